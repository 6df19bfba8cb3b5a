import Foundation
import Testing

@testable import Daemon

@Suite("secrets in what comes in")
struct StreamMaskTests {
    private let placeholders = SecretPlaceholders(key: Array(1...16))

    private func masked(_ pieces: [String], known: [String] = []) -> String {
        let secrets = KnownSecrets()
        for secret in known { secrets.learn(secret) }
        var mask = StreamMask()
        return String(
            decoding: pieces.flatMap { mask.masked(Array($0.utf8), secrets, placeholders) }, as: UTF8.self)
    }

    /// What is said, and the secret in it.
    private static let secret: [(String, String)] = [
        ("<message from='ann@x.example/p'><body>disarm 135792</body></message>", "135792"),
        ("<body>Bypass  864213 5</body>", "864213"),
        (#"0…house/partition/1/set{"action":"DISARM","code":"9173"}"#, "9173"),
        (#"{"action":"DISARM","code": 91735}"#, "91735"),
        (#"{"action":"ARM_AWAY","code":"open-sesame"}"#, "open-sesame"),
        (#"RESERVED 17 60\r\n{"type":"command","code":"200","data":"739146"}\r\n"#, "739146"),
        (#"{"code":"071","data":["1","*1*739146#"]}"#, "739146"),
        ("<gcm>{&quot;code&quot;:&quot;040&quot;,&quot;data&quot;:&quot;17391&quot;}</gcm>", "17391"),
        (#"{"access_token":"ya29.A0ARrda-M_xyz~1","expires_in":3599,"token_type":"Bearer"}"#, "ya29.A0ARrda-M_xyz~1"),
        (#"{"from":"APA91bH-x_y:zzTOKEN","message_id":"m-1"}"#, "APA91bH-x_y:zzTOKEN"),
        (#"{"event":"message","message":"HA2BAAECAwQFBgcICQoLDA0ODw"}"#, "AAECAwQFBgcICQoLDA0OD"),
    ]

    @Test(
        "codes, tokens and buttons are replaced by something of their length, wherever the bytes are cut",
        arguments: secret)
    func codesTokensAndButtonsAreReplacedBySomethingOfTheirLength(text: String, secret: String) {
        let whole = masked([text])
        #expect(whole.utf8.count == text.utf8.count)
        #expect(!whole.contains(secret), "\(whole)")
        let place = text.range(of: secret)
        #expect(place.map { whole.hasPrefix(text[..<$0.lowerBound]) } ?? false, "\(whole)")
        for cut in 1..<text.utf8.count {
            let bytes = Array(text.utf8)
            let pieces = [bytes[..<cut], bytes[cut...]].map { String(decoding: $0, as: UTF8.self) }
            // Not within a character.
            guard pieces.joined() == text else { continue }
            let cutUp = masked(pieces)
            #expect(!cutUp.contains(secret), "cut at \(cut): \(cutUp)")
        }
    }

    @Test("a code that the core reads is the placeholder that the configuration has")
    func aCodeThatTheCoreReadsIsTheFallbackDelivery() {
        #expect(masked([#"{"action":"DISARM","code":"9173"}"#]).contains(placeholders.text("9173")))
        #expect(masked(["disarm 135792"]) == "disarm " + placeholders.text("135792"))
    }

    @Test("a secret that is known is replaced, also across two pieces", arguments: 1..<26)
    func aSecretThatIsKnownIsReplaced(cut: Int) {
        let text = "hello tk_TOPICtoken77 you!"
        let found = masked(
            [String(text.prefix(cut)), String(text.dropFirst(cut))], known: ["tk_TOPICtoken77", "12345678"])
        #expect(!found.contains("TOPIC") || (7..<13).contains(cut), "\(found)")
        #expect(!found.contains("TOPICtoken77"))
        #expect(found.hasPrefix("hello ") && found.hasSuffix(" you!"))
    }

    @Test(
        "what is no secret stays as it is",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 123456\r\nDate: Sat, 21 Nov 2026 23:00:00 GMT\r\n\r\n",
            #"{"id":"abc12345","time":1795240801,"expires":1795284001,"event":"keepalive","topic":"mytopic"}"#,
            #"{"code":42908,"http":429,"error":"limit reached"}"#, "6543D2\r\n5108A\r\n9000A5\r\n",
            #"data: {"path":"/","data":{"k":{"e":"AAAA","t":1795240801}}}"#, "RESERVED 12345 678\r\n",
            "<stream:stream from='fcm.example' id='12345678' xmlns='jabber:client'>", #"{"error":{"code":404}}"#,
        ])
    func whatIsNoSecretStaysAsItIs(text: String) { #expect(masked([text]) == text) }

    @Test("the salt of a login is replaced and the rest of the challenge is not")
    func theSaltOfALoginIsReplacedAndTheRestOfTheChallengeIsNot() throws {
        // r=abcXYZ,s=QSXCR+Q6sek8bf92,i=4096
        let challenge = "cj1hYmNYWVoscz1RU1hDUitRNnNlazhiZjkyLGk9NDA5Ng=="
        let found = masked(["<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(challenge)</challenge>"])
        #expect(!found.contains("UVNYQ1IrUTZzZWs4"))
        #expect(found.contains("cj1hYmNYWVoscz1") && found.hasSuffix("LGk9NDA5Ng==</challenge>"), "\(found)")
        #expect(!masked(["<challenge x=''>\(challenge.prefix(30))"]).contains("cj1hYmN"))
    }
}
