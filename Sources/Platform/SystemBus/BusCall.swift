/// A method to be called.
package struct BusCall: Sendable {
    package var destination: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
    /// Without an answer by then it has failed.
    package var patience: Duration
    /// The message's memory is wiped when it has been sent.
    package var isSensitive: Bool

    package init(
        _ member: String, of interface: String, at path: String, from destination: String, _ arguments: [BusValue] = [],
        within patience: Duration = .seconds(25), isSensitive: Bool = false
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.patience = patience
        self.isSensitive = isSensitive
    }
}

/// A signal that came.
package struct BusSignal: Sendable {
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
}

/// How a call failed.
package struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error's name on the bus, such as `org.freedesktop.DBus.Error.NoReply`.
    package var name: String
    /// In the words of who answered: printable, one line, at most 200 characters.
    package var words: String

    package init(name: String, words: String = "") {
        self.name = name
        let printable = words.unicodeScalars.map { scalar -> Character in
            switch scalar.value {
            case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: " "
            default: Character(scalar)
            }
        }
        self.words = String(printable.prefix(200))
    }

    package var description: String { words.isEmpty ? name : "\(words) (\(name))" }

    /// The connection to the bus is not there, or went before the answer came.
    package static let disconnected = BusError(name: "org.freedesktop.DBus.Error.Disconnected", words: "no system bus")
    static let unreadable = BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", words: "an answer nobody can read")
    static let unwritable = BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", words: "a call nobody can write")
}
