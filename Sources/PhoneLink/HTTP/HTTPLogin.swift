package import AlarmModel
import PhoneProtocol

/// A name and a password as an answer to a server's challenge. `Digest` never sends the password; `Basic` does.
package struct HTTPLogin: Equatable, Sendable {
    package enum Hash: Equatable, Sendable { case md5, sha256 }

    package var user: String
    package var password: Secret

    package init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }

    /// The value of `Authorization` for one request; nil: none of the challenges can be answered.
    ///
    /// The strongest one is taken: Digest with SHA-256, Digest with MD5, Basic.
    /// - Parameters:
    ///   - target: of the request
    ///   - mayAskBasic: the password may go over this connection as it is
    ///   - nonce: of ours, new for each request
    package func answer(
        to challenges: [HTTPChallenge], method: HTTPRequest.Method, target: String, mayAskBasic: Bool, nonce: String,
        hash: (Hash, [UInt8]) -> [UInt8]
    ) -> Secret? {
        let digests = challenges.compactMap { challenge in
            Self.algorithm(of: challenge).map { (challenge: challenge, algorithm: $0) }
        }
        if let best = digests.first(where: { $0.algorithm == .sha256 }) ?? digests.first {
            return digest(best.challenge, best.algorithm, method, target, nonce, hash)
        }
        guard mayAskBasic, challenges.contains(where: { $0.scheme == .basic }), !user.utf8.contains(UInt8(ascii: ":"))
        else { return nil }
        return Secret("Basic " + Base64.encode(Array("\(user):\(password.revealed)".utf8)))
    }

    /// nil: it is no Digest, or one that is not spoken here.
    private static func algorithm(of challenge: HTTPChallenge) -> Hash? {
        let qualities = challenge.parameters["qop"]?.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
        guard challenge.scheme == .digest, challenge.parameters["nonce"] != nil, challenge.parameters["realm"] != nil,
            qualities?.contains("auth") ?? true
        else { return nil }
        return switch challenge.parameters["algorithm"]?.lowercased() {
        case nil, "md5": .md5
        case "sha-256": .sha256
        default: nil
        }
    }

    private func digest(
        _ challenge: HTTPChallenge, _ algorithm: Hash, _ method: HTTPRequest.Method, _ target: String, _ nonce: String,
        _ hash: (Hash, [UInt8]) -> [UInt8]
    ) -> Secret? {
        func digest(_ text: String) -> String { Hex.encode(hash(algorithm, Array(text.utf8))) }
        func quoted(_ text: String) -> String {
            "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
        }
        let realm = challenge.parameters["realm"] ?? ""
        let theirs = challenge.parameters["nonce"] ?? ""
        let who = digest("\(user):\(realm):\(password.revealed)")
        let what = digest("\(method.rawValue):\(target)")
        var fields = [
            "username=\(quoted(user))", "realm=\(quoted(realm))", "nonce=\(quoted(theirs))", "uri=\(quoted(target))",
        ]
        if challenge.parameters["qop"] != nil {
            fields.append("response=\"\(digest("\(who):\(theirs):00000001:\(nonce):auth:\(what)"))\"")
            fields += ["qop=auth", "nc=00000001", "cnonce=\"\(nonce)\""]
        } else {
            fields.append("response=\"\(digest("\(who):\(theirs):\(what)"))\"")
        }
        if let algorithm = challenge.parameters["algorithm"] { fields.append("algorithm=\(algorithm)") }
        if let opaque = challenge.parameters["opaque"] { fields.append("opaque=\(quoted(opaque))") }
        let text = "Digest " + fields.joined(separator: ", ")
        // What it would break is the request: such a server is not answered.
        return HTTPText.isFieldValue(text.utf8) ? Secret(text) : nil
    }
}
