/// Who says a line of the demo.
enum DemoSpeaker: String, Sendable, CaseIterable {
    /// The simulated panel with its house.
    case house
    /// The daemon.
    case box
    /// The simulated push service.
    case push
    /// Anna's virtual phone.
    case phone
    /// Ben's store app, as its topic server knows it.
    case topic

    /// As long as the longest.
    static let width = 5
}
