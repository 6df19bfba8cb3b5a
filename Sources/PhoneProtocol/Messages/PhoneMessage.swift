/// What a phone says inside an envelope (docs/pairing.md 7).
package enum PhoneMessage: Codable, Equatable, Sendable {
    case request(PhoneRequest)
    case command(PhoneCommand)
}

/// Not signed: whoever holds the transport key may ask.
package struct PhoneRequest: Codable, Equatable, Sendable {
    /// `ping`, `sync`, `snapshot`, `got`; a reader takes any word and refuses it later.
    package var verb: String
    /// Eight random bytes; the answer repeats them.
    package var rid: [UInt8]
    package var arguments: Arguments

    package init(verb: String, rid: [UInt8], arguments: Arguments = Arguments()) {
        self.verb = verb
        self.rid = rid
        self.arguments = arguments
    }
}

/// Signed by one of the phone's keys.
package struct PhoneCommand: Codable, Equatable, Sendable {
    package enum Freshness: Codable, Equatable, Sendable {
        case challenge([UInt8])
        /// Seconds since 1970, and for how many seconds it holds, at most 60.
        case time(issued: Int64, ttl: UInt16)

        private enum CodingKeys: String, CodingKey {
            case challenge = "challenge", time = "time"
        }
    }
    /// 1 or 2.
    package var key: UInt8
    package var counter: UInt64
    package var freshness: Freshness
    package var verb: String
    package var arguments: Arguments
    package var condition: Arguments

    package init(
        key: UInt8, counter: UInt64, freshness: Freshness, verb: String, arguments: Arguments = Arguments(),
        condition: Arguments = Arguments()
    ) {
        self.key = key
        self.counter = counter
        self.freshness = freshness
        self.verb = verb
        self.arguments = arguments
        self.condition = condition
    }
}

/// ASCII `k=v` joined by `;`, in the order of the text; of equal keys the first counts.
package struct Arguments: Codable, Equatable, Sendable, CustomStringConvertible {
    package struct Pair: Codable, Equatable, Sendable {
        package var key: String
        package var value: String

        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }
    package var pairs: [Pair]

    package init(_ pairs: KeyValuePairs<String, String> = [:]) {
        self.pairs = pairs.map { Pair(key: $0.key, value: $0.value) }
    }
    package subscript(_ key: String) -> String? { pairs.first { $0.key == key }?.value }
    package var description: String { pairs.map { "\($0.key)=\($0.value)" }.joined(separator: ";") }

    /// nil unless it is printable ASCII made of pairs. The empty text has none.
    package init?(parsing text: String) {
        pairs = []
        guard !text.isEmpty else { return }
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        for part in text.split(separator: ";", omittingEmptySubsequences: false) {
            guard let mark = part.firstIndex(of: "="), mark != part.startIndex else { return nil }
            pairs.append(Pair(key: String(part[..<mark]), value: String(part[part.index(after: mark)...])))
        }
    }
}

/// What the vault found out about a command's signature and challenge.
package struct CommandVerdict: Codable, Equatable, Sendable {
    package enum Signature: String, Codable, Hashable, Sendable {
        case good, bad
        /// The phone has no such key.
        case noKey
    }
    package enum Challenge: Codable, Equatable, Sendable {
        /// The command carries a time instead.
        case none
        /// Ours, made in this run for this phone; it expires so many seconds after the start.
        case ours(expiry: UInt32)
        case foreign
    }
    package var signature: Signature
    package var challenge: Challenge
    /// SHA-256 of the signed bytes.
    package var digest: [UInt8]

    package init(signature: Signature, challenge: Challenge, digest: [UInt8]) {
        self.signature = signature
        self.challenge = challenge
        self.digest = digest
    }
}
