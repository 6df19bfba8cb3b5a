import AlarmModel
import PhoneProtocol
import Platform
import Testing

@Suite("One-time codes")
struct OneTimeCodeTests {
    private let crypto = OpenSSLCrypto()
    private let secret = Array("12345678901234567890".utf8)

    private func at(_ seconds: Int64) -> WallTime { WallTime(milliseconds: seconds * 1000) }

    @Test("HMAC with SHA-1 gives the value of RFC 2202, case 2")
    func hmacWithSHA1GivesTheValueOfRFC2202() {
        let code = crypto.hmacSHA1(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(Hex.encode(code) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(crypto.hmacSHA1(key: [], []) == crypto.hmacSHA1(key: [0], []))
    }

    @Test(
        "codes are the last six digits of those in RFC 6238, appendix B",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)])
    func codesAreTheLastSixDigitsOfThoseInRFC6238(_ seconds: Int64, _ code: String) throws {
        let step = try #require(OneTimeCode.step(at: at(seconds)))
        #expect(OneTimeCode.code(secret, step: step, crypto) == code)
        #expect(OneTimeCode.check(code, secret: secret, at: at(seconds), lastUsed: nil, crypto) == step)
    }

    @Test("a code is good for its step and its neighbours, once, and no earlier one after it")
    func aCodeIsGoodForItsStepAndItsNeighbours() {
        let time = at(1_234_567_890)
        let step = UInt64(1_234_567_890 / 30)
        func check(_ other: UInt64, _ lastUsed: UInt64?) -> UInt64? {
            OneTimeCode.check(
                OneTimeCode.code(secret, step: other, crypto), secret: secret, at: time, lastUsed: lastUsed, crypto)
        }
        #expect(check(step - 1, nil) == step - 1)
        #expect(check(step + 1, nil) == step + 1)
        #expect(check(step - 2, nil) == nil)
        #expect(check(step + 2, nil) == nil)
        #expect(check(step, step) == nil)
        #expect(check(step - 1, step) == nil)
        #expect(check(step + 1, step) == step + 1)
        #expect(OneTimeCode.check("00592", secret: secret, at: time, lastUsed: nil, crypto) == nil)
        #expect(OneTimeCode.check("005924", secret: secret, at: at(-1), lastUsed: nil, crypto) == nil)
    }

    @Test("the URI for authenticator apps escapes names and hides itself")
    func theURIForAuthenticatorAppsEscapesNamesAndHidesItself() {
        let uri = OneTimeCode.uri(secret, issuer: "Our House", account: "Anna:ä")
        #expect(
            uri.revealed
                == "otpauth://totp/Our%20House:Anna%3A%C3%A4?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=Our%20House")
        #expect(!"\(uri)".contains("GEZ"))
    }
}
