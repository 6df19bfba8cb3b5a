import AlarmModel
import Companion
import PhoneProtocol
import Platform
import Testing

/// A box and a page that are paired.
struct AppHouse {
    var box: ModelBox
    var page: AppPage

    struct Unpaired: Error {}

    init(seed: UInt64 = 1) throws {
        box = ModelBox(seed: seed)
        page = try AppPage(seed: seed &+ 7, at: PhoneTime(uptime: 5_000_000, wall: 1_795_228_190))
        #expect(
            box.vault.carryOut(.beginPairing(servers: [PairedHouse.server])) == .pairingReady(box.vault.pairingTopics))
        let code = try #require(box.vault.pairingText)
        let begun = try page.call(
            "pair",
            [
                "code": .string(code.revealed), "name": "Anna", "topic": "ntfy.sh/abcdefghijklmnopqrstuvwx",
                "key1": .string(Base64URL.encode(page.key1.publicKey)), "algorithm2": .integer(2),
                "key2": .string(Base64URL.encode(page.key2.publicKey)),
            ])
        #expect(begun["servers"]?.text == #"[{"kind":1,"place":"ntfy.sh"}]"#)
        #expect(begun["next"] == .integer(page.time.uptime + 20_000))
        let frame = try Base64URL.decode(try #require(begun["frame"]?.stringValue))
        let heard = box.vault.carryOut(.handshake(frame: frame, siteName: "Home"))
        guard case .pairingHeard(let answer) = heard else { throw Unpaired() }
        let told = try page.call("pairFrame", ["e": .string(Base64URL.encode(answer.answer))])
        #expect(told["site"] == "Home")
        let digits = try #require(told["digits"]?.stringValue)
        guard case .confirmed(let id) = box.vault.carryOut(.confirm(Secret(digits))) else { throw Unpaired() }
        box.phone = id
        let kept = try page.call("keep")
        page.secrets = try #require(kept["secrets"]?.stringValue)
        page.memory = try #require(kept["memory"]?.stringValue)
    }

    func row(_ number: Int, mark: String? = nil, state: String = "a=a;r=0;al=1;t=0;z=1;x=") -> ModelBox.Row {
        ModelBox.Row(raw: "6011\(number)", mark: mark, timestamp: box.now, state: state)
    }

    /// Everything that the page sends is answered at once, until nothing more is said.
    mutating func talk() throws {
        for _ in 0..<100 {
            let envelopes = page.sent()
            guard !envelopes.isEmpty else { return }
            for envelope in envelopes {
                for answer in box.heard(envelope) { try page.received(answer) }
            }
        }
    }

    mutating func pass(seconds: Int64) throws {
        advance(to: page.time.uptime + seconds * 1000)
        try page.call("timer")
    }

    mutating func advance(to uptime: Int64) {
        let seconds = uptime / 1000 - page.time.uptime / 1000
        page.time.uptime = uptime
        page.time.wall += seconds
        box.up += seconds
        box.now += seconds
    }

    mutating func welcome(_ more: [JSON.Member] = []) throws {
        guard case .object(let status) = box.statusContent() else { return }
        try page.received(box.seal(.welcome, .object(status + [.init(key: "roles", value: "view,arm")] + more)))
        try talk()
    }
}
