import AlarmModel
import PhoneProtocol

/// The number of a phone's newest command, as each status tells it.
struct LastCounter: Codable, Equatable, Sendable {
    var phone: PhoneID
    var last: UInt64
}

/// A phone's command that events may name as their cause.
struct PhoneCause: Codable, Equatable, Sendable {
    var command: CommandID
    /// Phone and counter, as phones know it.
    var text: String

    static let limit = 128
}

extension Step {
    func counter(of phone: PhoneID) -> UInt64 { counters.first { $0.phone == phone }?.last ?? 0 }

    mutating func setCounter(_ last: UInt64, of phone: PhoneID) {
        if let index = counters.firstIndex(where: { $0.phone == phone }) { counters[index].last = last }
    }

    func cause(_ command: CommandID) -> String? { causes.last { $0.command == command }?.text }

    mutating func remember(_ cause: PhoneCause) {
        if causes.count == PhoneCause.limit { causes.removeFirst() }
        causes.append(cause)
    }
}
