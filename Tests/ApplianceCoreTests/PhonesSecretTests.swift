import AlarmModel
import ApplianceCore
import Companion
import PhoneProtocol
import Platform
import Testing

/// Row 5 of the attacks of docs/pairing.md 12: nothing of a pairing is written anywhere.
@Suite("Secrets of phones")
struct PhonesSecretTests {
    private static func number(_ digits: String, isIn text: String) -> Bool {
        let all = Array(text.utf8)
        let wanted = Array(digits.utf8)
        func isDigit(_ index: Int) -> Bool { all.indices.contains(index) && (48...57).contains(all[index]) }
        guard all.count >= wanted.count else { return false }
        return (0...(all.count - wanted.count)).contains { start in
            all[start] == wanted[0] && all[start..<start + wanted.count].elementsEqual(wanted) && !isDigit(start - 1)
                && !isDigit(start + wanted.count)
        }
    }

    @Test("code, digits, keys and the account's key are in no effect, input, event or state as they are written down")
    func codeDigitsKeysAndTheAccountsKeyAreInNoEffectInputEvent() throws {
        var bench = Bench.withPush()
        let code = try bench.startPairing(as: 1)
        let keys = try Bench.signers()
        var pairing = try bench.handshake(code, signers: PhoneSigners(key1: keys.key1, key2: keys.key2))
        bench.inbound(from: "token-of-anna", pairing.frame)
        let midway = try JSON.encoding(bench.core).text
        pairing.received(try #require(bench.push.server.pushes.last?.bytes))
        guard case .digits(let digits, _) = pairing.phase else { throw Bench.NotPaired() }
        bench.ask(.phones(.confirm(Secret(digits))), as: 2)
        let secrets = try #require(pairing.paired?.secrets)
        var phone = TestPhone(
            channel: try PhoneChannel(bytes: secrets.storage), key1: keys.key1, key2: keys.key2, token: "token-of-anna")
        bench.advance(.seconds(1))
        bench.request(phone, "got", ["seq": "0"])
        try bench.command(&phone, "arm", ["p": "1", "m": "away"])
        bench.panel("6561", "6011003")
        bench.advance(.minutes(1))
        var texts = [midway, try JSON.encoding(bench.core).text, "\(bench.core)"]
        texts += try bench.inputs.map { try JSON.encoding($0.input).text }
        texts += try bench.history.map { try JSON.encoding($0).text }
        texts += try bench.stored.map { try JSON.encoding($0).text }
        texts += bench.history.map { "\($0)" }
        let all = texts.joined(separator: "\n")
        let parsed = try PairingText(parsing: code.revealed, OpenSSLCrypto())
        let storage = Array(secrets.storage.dropFirst(9))
        var markers = [code.revealed, String(code.revealed.dropFirst(4)), Bench.apiKey]
        for key in [
            Array(parsed.payload.suffix(16)), Array(storage[..<32]), Array(storage[32..<64]), Array(storage[64...]),
        ] {
            markers += [Base64URL.encode(key), key.map(String.init).joined(separator: ",")]
            markers.append(key.map(String.init).joined(separator: ", "))
        }
        for (index, marker) in markers.enumerated() { #expect(!all.contains(marker), "marker \(index)") }
        #expect(!Self.number(digits, isIn: all))
        #expect(all.contains("token-of-anna"))
    }
}
