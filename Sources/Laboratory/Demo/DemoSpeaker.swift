/// Who says a line of the demo.
enum DemoSpeaker: String, Sendable, CaseIterable {
    /// The simulated panel with its house.
    case house
    /// The daemon.
    case box
    /// The simulated push service.
    case push
    /// The paired virtual phone.
    case anna = "Anna"
    /// The store app, as its topic server knows it.
    case ben = "Ben"

    /// As long as the longest.
    static let width = 5
}
