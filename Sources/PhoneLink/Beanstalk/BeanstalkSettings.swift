import AlarmModel

/// The work queue of this machine through which programs written for HowAlarming hear and ask (docs/messages.md B.1).
package struct BeanstalkSettings: Codable, Equatable, Sendable {
    package var host: String
    package var port: UInt16
    /// Where commands come from; none: nobody may ask.
    package var commandTubes: [String]

    package var pace = ReconnectPace()
    /// For an attempt to connect to be answered at all.
    package var dialPatience = Duration.seconds(30)
    /// From the connection until it can be used.
    package var setupDeadline = Duration.seconds(15)
    /// For the answer to a command.
    package var answerPatience = Duration.seconds(15)
    /// Without anything to say, it is asked for a sign of life after so long.
    package var idleBeforePing = Duration.seconds(60)
    /// The queue answers a wait for jobs after so many seconds, whether there is one or not.
    package var waitSeconds = 30
    /// A job that was handed on is kept alive so often …
    package var touchInterval = Duration.seconds(20)
    /// … and given back after so long without a word about it.
    package var handedPatience = Duration.minutes(2)
    /// A job that was reserved more often is put aside.
    package var reserveLimit = 10
    /// Messages that are kept here at a time.
    package var window = 100
    /// Of these, kept for alarms.
    package var reservedForAlarms = 10

    package init(host: String = "127.0.0.1", port: UInt16 = 11_300, commandTubes: [String] = []) {
        self.host = host
        self.port = port
        self.commandTubes = commandTubes
    }

    /// Every client hears that tube unless it says otherwise (docs/push.md D.26): events are never put there.
    package static let everybodysTube = "default"

    /// Whether a tube may have this name: 1 to 200 letters, digits and marks, not beginning with `-`.
    package static func isTubeName(_ name: String) -> Bool {
        guard (1...200).contains(name.utf8.count), !name.hasPrefix("-") else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "-+/;.$_()".utf8.contains(byte)
            }
        }
    }
}
