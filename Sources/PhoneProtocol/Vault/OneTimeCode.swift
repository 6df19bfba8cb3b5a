package import AlarmModel

/// One-time codes that an authenticator app shows: RFC 6238 with SHA-1, 6 digits and steps of 30 s (docs/pairing.md
/// 10).
package enum OneTimeCode {
    /// Bytes of a person's secret.
    package static let secretCount = 20
    /// Seconds of a step.
    package static let period: UInt64 = 30

    /// Number of the step at a time since 1970; nil before that.
    package static func step(at time: WallTime) -> UInt64? {
        time.seconds < 0 ? nil : UInt64(time.seconds) / period
    }

    /// The code of a step (RFC 4226 5.3).
    package static func code(_ secret: [UInt8], step: UInt64, _ crypto: some Crypto) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * UInt64($0))) }
        let code = crypto.hmacSHA1(key: secret, counter)
        // A library that gives fewer bytes gives a code that nobody has.
        let start = Int((code.last ?? 0) & 0x0F)
        guard start + 4 <= code.count else { return "" }
        let value = code[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return (value % 1_000_000).padded(6)
    }

    /// The step that a code is of: the current one or a neighbour of it, later than `lastUsed`; nil for a wrong, an old
    /// and a used code. The caller commits the step before it acts, and asks only while the clock is trusted.
    package static func check(
        _ text: String, secret: [UInt8], at time: WallTime, lastUsed: UInt64?, _ crypto: some Crypto
    ) -> UInt64? {
        guard isWellFormed(text), let now = step(at: time) else { return nil }
        var found: UInt64?
        // All three are compared, so that the time tells nothing.
        for step in (now == 0 ? 0 : now - 1)...(now + 1) {
            let isEqual = ConstantTime.equal(Array(code(secret, step: step, crypto).utf8), Array(text.utf8))
            let isNew = lastUsed.map { step > $0 } ?? true
            if isEqual && isNew && found == nil { found = step }
        }
        return found
    }

    /// Six digits.
    package static func isWellFormed(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The URI that authenticator apps read from a QR code. Secret as a whole. What is not said there (SHA-1, six digits,
    /// 30 s) is what apps take without being told; saying it makes the picture too large for a screen of 24 lines.
    ///
    /// - Parameters:
    ///   - issuer: what the app shows above the code, for instance the house's name
    ///   - account: whose code it is
    package static func uri(_ secret: [UInt8], issuer: String, account: String) -> Secret {
        let issuer = escaped(issuer)
        return Secret(
            "otpauth://totp/\(issuer):\(escaped(account))?secret=\(Base32.encode(secret))&issuer=\(issuer)")
    }

    /// RFC 3986 2.3: everything but the unreserved characters as `%XX`.
    private static func escaped(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                out.unicodeScalars.append(Unicode.Scalar(byte))
            default: out += "%" + Hex.encode([byte]).uppercased()
            }
        }
        return out
    }
}
