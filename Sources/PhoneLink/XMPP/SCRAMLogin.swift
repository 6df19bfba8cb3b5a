import PhoneProtocol

/// The client's half of a SCRAM login (RFC 5802, RFC 7677); hashes are computed elsewhere.
struct SCRAMLogin: Codable, Equatable, Sendable {
    enum Step: String, Codable { case first, computing, final, proved }

    /// What follows from the server's first message.
    struct Task: Codable, Equatable, Sendable {
        var salt: [UInt8]
        var rounds: Int
        var authMessage: [UInt8]
    }

    /// Why the server's message cannot be believed.
    struct Fault: Error, Equatable { var words: String }

    /// RFC 5802 5.1 asks for 4096 at least; more than the limit would occupy the board for many seconds.
    static let rounds = 4096...500_000

    let hash: SCRAMHash
    let isBound: Bool
    var step = Step.first
    private let flag: String
    private let binding: [UInt8]
    private let firstBare: String
    private let nonce: String
    private var finalBare = ""
    private var signature: [UInt8] = []

    /// - Parameters:
    ///   - binding: the channel's, if the login is bound to it
    ///   - couldBind: we could have bound, but the server offers no such login; that is said, so that somebody between
    ///     who took the offer away is noticed
    init(_ hash: SCRAMHash, user: String, nonce: [UInt8], binding: [UInt8]?, couldBind: Bool) {
        self.hash = hash
        isBound = binding != nil
        flag = binding != nil ? "p=tls-exporter,," : couldBind ? "y,," : "n,,"
        self.binding = binding ?? []
        self.nonce = Base64.encode(nonce)
        firstBare = "n=\(Self.escaped(user)),r=\(self.nonce)"
    }

    var mechanism: String {
        switch hash {
        case .sha1: isBound ? "SCRAM-SHA-1-PLUS" : "SCRAM-SHA-1"
        case .sha256: isBound ? "SCRAM-SHA-256-PLUS" : "SCRAM-SHA-256"
        }
    }

    var firstMessage: String { flag + firstBare }

    /// The server's first message: nonce, salt, rounds.
    mutating func challenged(_ text: String) throws(Fault) -> Task {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count >= 3, let theirs = Self.value("r", parts[0]), let salted = Self.value("s", parts[1]),
            let counted = Self.value("i", parts[2])
        else { throw Fault(words: "its challenge is none") }
        guard theirs.utf8.starts(with: nonce.utf8), theirs.utf8.count > nonce.utf8.count else {
            throw Fault(words: "its challenge is not an answer to ours")
        }
        guard let salt = Base64.decode(salted), !salt.isEmpty, salt.count <= 1024 else {
            throw Fault(words: "its challenge has no salt")
        }
        guard counted.utf8.count <= 9, counted.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let rounds = Int(counted), Self.rounds.contains(rounds)
        else { throw Fault(words: "it wants fewer than 4096 rounds of hashing, or far too many") }
        finalBare = "c=\(Base64.encode(Array(flag.utf8) + binding)),r=\(theirs)"
        step = .computing
        return Task(salt: salt, rounds: rounds, authMessage: Array("\(firstBare),\(text),\(finalBare)".utf8))
    }

    mutating func computed(proof: [UInt8], serverSignature: [UInt8]) -> String {
        signature = serverSignature
        step = .final
        return "\(finalBare),p=\(Base64.encode(proof))"
    }

    /// The server's last message, which proves that it knows the password, too.
    mutating func finished(_ text: String) throws(Fault) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard step == .final, let first = parts.first, let proof = Self.value("v", first).flatMap(Base64.decode),
            !signature.isEmpty, ConstantTime.equal(proof, signature)
        else { throw Fault(words: "it did not prove that it knows the password") }
        step = .proved
    }

    private static func value(_ name: String, _ part: Substring) -> String? {
        part.hasPrefix("\(name)=") ? String(part.dropFirst(2)) : nil
    }

    private static func escaped(_ user: String) -> String {
        var out = String.UnicodeScalarView()
        for scalar in user.unicodeScalars {
            switch scalar {
            case "=": out.append(contentsOf: "=3D".unicodeScalars)
            case ",": out.append(contentsOf: "=2C".unicodeScalars)
            default: out.append(scalar)
            }
        }
        return String(out)
    }
}
