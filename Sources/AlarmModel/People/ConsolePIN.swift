/// The PIN of the serial console as it is kept: salted scrypt (RFC 7914), never the digits.
package struct ConsolePIN: Codable, Equatable, Sendable {
    /// scrypt's N as a power of two, its r and p.
    package var logN: Int
    package var blockSize: Int
    package var parallel: Int
    package var salt: [UInt8]
    package var hash: [UInt8]

    package init(logN: Int, blockSize: Int, parallel: Int, salt: [UInt8], hash: [UInt8]) {
        self.logN = logN
        self.blockSize = blockSize
        self.parallel = parallel
        self.salt = salt
        self.hash = hash
    }

    /// Digits that a PIN has.
    package static let length = 6...16

    /// Digits only, as many as a PIN has.
    package static func isAcceptable(_ pin: Secret) -> Bool {
        length.contains(pin.revealed.utf8.count) && pin.revealed.utf8.allSatisfy { (48...57).contains($0) }
    }
}

/// What outlives a power cut of the serial console's lock.
package struct ConsoleRecord: Codable, Equatable, Sendable {
    /// nil: none was set yet, or it was reset.
    package var pin: ConsolePIN?
    /// Tries since the last right one, with the one that is being checked.
    package var wrongTries = 0
    /// So many of them no event has told yet.
    package var untoldTries = 0

    package init(pin: ConsolePIN? = nil, wrongTries: Int = 0, untoldTries: Int = 0) {
        self.pin = pin
        self.wrongTries = wrongTries
        self.untoldTries = untoldTries
    }
}

/// A key derivation that the worker thread does for the console's lock.
package enum PINJob: Codable, Equatable, Sendable {
    /// Answered by `made`, with a new salt.
    case make(Secret)
    /// Answered by `matches`.
    case check(Secret, against: ConsolePIN)
}

package enum PINAnswer: Codable, Equatable, Sendable {
    case made(ConsolePIN)
    case matches(Bool)
    /// In words for people.
    case failed(String)
}
