package import AlarmModel
import PhoneLink

/// What has come lately from accounts, topics, brokers and queues, so that the same message twice is one command.
///
/// Each sender has places of its own: whoever sends a lot pushes out nothing of another's, which its service may bring
/// again.
package struct HeardTexts: Codable, Equatable, Sendable {
    struct Heard: Codable, Equatable, Sendable {
        var message: HeardCommand
        var at: BootTime
        /// It became a command in an earlier run; who sent it has not been told in this one that it is not repeated.
        var isOfEarlierRun = false
    }

    private var heard: [Heard] = []

    /// Messages of one sender.
    package static let limit = 256

    /// - Parameter earlier: what became a command in an earlier run
    package init(earlier: [HeardCommand] = [], at now: BootTime) {
        heard = earlier.map { Heard(message: $0, at: now, isOfEarlierRun: true) }
    }

    /// When it was heard last.
    package func lastHeard(_ message: HeardCommand) -> BootTime? { heard.last { $0.message == message }?.at }

    package mutating func note(_ message: HeardCommand, at now: BootTime) {
        let sender = Self.sender(message)
        if heard.count(where: { Self.sender($0.message) == sender }) >= Self.limit,
            let oldest = heard.firstIndex(where: { Self.sender($0.message) == sender })
        {
            heard.remove(at: oldest)
        }
        heard.append(Heard(message: message, at: now))
    }

    /// True once for each message that became a command in an earlier run.
    package mutating func tellsEarlier(_ message: HeardCommand) -> Bool {
        guard let index = heard.lastIndex(where: { $0.message == message }), heard[index].isOfEarlierRun else {
            return false
        }
        heard[index].isOfEarlierRun = false
        return true
    }

    /// A broker and a queue do not say who has sent something; what stands there could be made up.
    private static func sender(_ message: HeardCommand) -> [String] {
        switch ChannelKind(rawValue: message.channel) {
        case .mqtt, .beanstalk, nil: [message.channel]
        case .xmpp, .ntfy, .ccs, .fcm, .mail, .url, .program, .webPush, .receiver: [message.channel, message.from]
        }
    }
}
