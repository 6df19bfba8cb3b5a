/// An event as a station's receiver reads it: Contact ID (SIA DC-05).
package struct ContactID: Codable, Equatable, Sendable {
    package enum Qualifier: String, Codable, Hashable, Sendable {
        /// Something new is wrong, or a partition was disarmed.
        case new = "1"
        /// It is over, or a partition was armed.
        case restored = "3"
    }
    package var qualifier: Qualifier
    /// Three digits.
    package var code: Int
    /// 0…99; 0 is the whole house.
    package var partition: Int
    /// 0…999: a zone, of arming and duress a user; 0 is none.
    package var number: Int

    package init(_ qualifier: Qualifier, _ code: Int, partition: Int? = nil, number: Int? = nil) {
        self.qualifier = qualifier
        self.code = min(max(code, 100), 999)
        self.partition = min(max(partition ?? 0, 0), 99)
        self.number = min(max(number ?? 0, 0), 999)
    }

    /// `1130 01 005`
    package var text: String { "\(qualifier.rawValue)\(code.padded(3)) \(partition.padded()) \(number.padded(3))" }
}

/// Which number a receiver was told last, kept over restarts: a message that has to be sent again has the same. With it
/// how far its encrypted answers had come by then.
package struct ReceiverRecord: Codable, Equatable, Sendable {
    /// 1…9999; 0: none yet.
    package var sequence: Int
    /// Whose it is.
    package var message: MessageID?
    /// Time in the newest encrypted answer that had confirmed when the message was handed over; nil: none had.
    package var answered: WallTime?

    package init(sequence: Int = 0, message: MessageID? = nil, answered: WallTime? = nil) {
        self.sequence = sequence
        self.message = message
        self.answered = answered
    }

    /// The number of this message; 1 follows 9999.
    package mutating func number(of message: MessageID) -> Int {
        if self.message != message {
            sequence = (1..<9999).contains(sequence) ? sequence + 1 : 1
            self.message = message
        }
        return sequence
    }
}
