package import AlarmModel
package import PhoneProtocol

/// The token that opens FCM and the database for an hour: what is signed for it, asked for it, and when it is renewed
/// (docs/push.md C.2; RFC 7523).
package struct AccessToken: Codable, Equatable, Sendable {
    private enum Phase: Codable, Equatable, Sendable {
        case idle
        /// Until the signature is there.
        case signing(TransportJobID)
        case asking
    }

    private var phase = Phase.idle
    private var held: Held?

    private struct Held: Codable, Equatable, Sendable {
        var token: Secret
        var renewAt: BootTime
        var endsAt: BootTime
    }

    package init() {}

    /// A signature or an answer is being waited for.
    package var isUnderWay: Bool { phase != .idle }

    /// nil when there is none that is still good.
    package func bearer(at now: BootTime) -> Secret? {
        guard let held, now < held.endsAt else { return nil }
        return held.token
    }

    /// When the next one is to be asked for; nil while that is under way. The past: at once.
    package var renewAt: BootTime? { isUnderWay ? nil : held?.renewAt ?? .zero }
    package var endsAt: BootTime? { held?.endsAt }

    /// Begins to ask for a token: what is to be signed. Answered by `signed` or `failed`.
    package mutating func begin(
        _ account: ServiceAccount, scopes: [String], job: TransportJobID, at now: Moment
    ) -> TransportJob {
        phase = .signing(job)
        return .signRS256(
            key: account.privateKey, message: Self.signingInput(account, scopes: scopes, at: now.wall))
    }

    /// The signature of the input came.
    ///
    /// - Returns: the form for the token's URL; nil when it is not the signature that is waited for
    package mutating func signed(_ job: TransportJobID, _ signature: [UInt8], input: [UInt8]) -> [UInt8]? {
        guard phase == .signing(job) else { return nil }
        phase = .asking
        let grant = HTTPRequest.escaped("urn:ietf:params:oauth:grant-type:jwt-bearer")
        // Base64url and dots need no escapes.
        return Array("grant_type=\(grant)&assertion=".utf8) + input + Array(".\(Base64URL.encode(signature))".utf8)
    }

    package func isWaiting(for job: TransportJobID) -> Bool { phase == .signing(job) }

    /// The answer of the token's URL, status 200.
    package mutating func granted(_ body: [UInt8], at now: BootTime) -> Bool {
        phase = .idle
        guard let json = try? JSON(parsing: body), let token = json["access_token"]?.stringValue,
            (1...4096).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            (json["token_type"]?.stringValue ?? "Bearer").lowercased() == "bearer"
        else { return false }
        let seconds = min(max(json["expires_in"]?.integerValue ?? 3600, 30), 86_400)
        held = Held(
            token: Secret(token), renewAt: now + .seconds(seconds * 4 / 5), endsAt: now + .seconds(seconds))
        return true
    }

    /// No token came of it; what is held stays good until its end.
    package mutating func failed() { phase = .idle }

    /// The service does not take the token any more.
    package mutating func forget() { held = nil }

    /// Header and claims of the JWT, as they are signed.
    static func signingInput(_ account: ServiceAccount, scopes: [String], at time: WallTime) -> [UInt8] {
        let header = JSON.object([
            "alg": .string("RS256"), "typ": .string("JWT"), "kid": .string(account.privateKeyID),
        ])
        let claims = JSON.object([
            "iss": .string(account.clientEmail), "scope": .string(scopes.joined(separator: " ")),
            "aud": .string(account.audience), "iat": .integer(time.seconds), "exp": .integer(time.seconds + 3600),
        ])
        return Array("\(Base64URL.encode(Array(header.text.utf8))).\(Base64URL.encode(Array(claims.text.utf8)))".utf8)
    }
}

/// Why no access token was given.
package enum AccessTokenProblem: Codable, Equatable, Sendable, CustomStringConvertible {
    /// In words.
    case unsigned(String)
    /// This box's clock is wrong, or may be.
    case clock(now: WallTime, theirs: WallTime?)
    case badSignature
    case unknownAccount
    /// OAuth's error and its description, printable.
    case refused(String)
    case busy(Int)
    case meaningless(Int)

    /// Reads the answer of the token's URL, unless it was 200.
    package init(status: Int, body: [UInt8], date: WallTime?, at now: Moment) {
        let json = try? JSON(parsing: body)
        let code = json?["error"]?.stringValue ?? ""
        let text = json?["error_description"]?.stringValue ?? ""
        let words = PeerText.printable(text.isEmpty ? code : "\(code), \(text)")
        switch (status, code) {
        case (400...401, "invalid_grant"):
            let lower = text.lowercased()
            let isFar = date.map { abs(($0 - now.wall).milliseconds) > 240_000 } ?? false
            if isFar || lower.includes("iat") || lower.includes("timeframe") || lower.includes("expired") {
                self = .clock(now: now.wall, theirs: date)
            } else if lower.includes("signature") {
                self = .badSignature
            } else if lower.includes("account not found") || lower.includes("issuer") {
                self = .unknownAccount
            } else if !now.isWallTrusted {
                self = .clock(now: now.wall, theirs: date)
            } else {
                self = .refused(words)
            }
        case (400...403, "invalid_client"), (400...403, "unauthorized_client"), (400...403, "invalid_scope"),
            (400...403, "access_denied"), (400...403, "disabled_client"), (400...403, "invalid_request"):
            self = .refused(words)
        case (429, _), (500...599, _): self = .busy(status)
        default: self = .meaningless(status)
        }
    }

    var kind: TransportProblem.Kind {
        switch self {
        case .unsigned: .notComputed
        case .clock: .clock
        case .badSignature: .badSignature
        case .unknownAccount: .notFound
        case .refused: .loginRefused
        case .busy: .busy
        case .meaningless: .notTheProtocol
        }
    }

    /// Only a person can change it.
    package var isRefusal: Bool {
        switch self {
        case .unsigned, .badSignature, .unknownAccount, .refused: true
        case .clock, .busy, .meaningless: false
        }
    }

    package var description: String {
        switch self {
        case .unsigned(let why): "this box cannot sign in to Google: \(why)"
        case .clock(let now, let theirs):
            "this box's clock is wrong (it says \(Self.text(now))\(theirs.map { ", Google's says \(Self.text($0))" } ?? "")"
                + "), so Google does not let it in; let it reach a time server, or set the clock"
        case .badSignature:
            "Google does not accept this box's signature: the service account's key was deleted or changed; download a "
                + "new key file in the project's settings"
        case .unknownAccount:
            "Google does not know the service account: it was deleted, or the file is another project's; download a new "
                + "key file in the project's settings"
        case .refused(let text):
            "Google does not let the service account in (it says: \(text)); look at its state and rights in the project's "
                + "settings"
        case .busy(let status): "Google's sign-in is not available at the moment (status \(status)); we try again"
        case .meaningless(let status):
            "what answers for Google's sign-in is not it (status \(status)); we try again. If this goes on, check "
                + "token_uri in the key file and whether a proxy is in between"
        }
    }

    /// To the minute, in UTC.
    private static func text(_ time: WallTime) -> String {
        let civil = CivilTime(secondsSince1970: time.seconds, offset: 0)
        return "\(civil.date) \(civil.hour.padded()):\(civil.minute.padded()) UTC"
    }
}
