import AlarmModel
import AppCore
import Companion
import PhoneProtocol
import Platform
import PortableCrypto
import Testing

@Suite("The web app's core")
struct AppCoreTests {
    @Test("a page pairs, is welcomed, and shows the house, its addresses and the key for pushes")
    func aPagePairsAndIsWelcomed() throws {
        var house = try AppHouse()
        #expect(try house.page.view()["welcomed"] == false)
        try house.welcome([
            .init(key: "cmds", value: .string(#"[{"k":"1","v":"ntfy.sh/box"},{"k":"x"}]"#)),
            .init(key: "name", value: "Mill Lane"), .init(key: "vapid", value: "BKey"),
        ])
        let view = try house.page.view()
        #expect(view["welcomed"] == true)
        #expect(view["site"] == "Mill Lane")
        #expect(view["name"] == "Anna")
        #expect(view["roles"]?.text == #"["view","arm"]"#)
        #expect(view["cmds"]?.text == #"[{"kind":1,"text":"ntfy.sh/box"}]"#)
        #expect(view["vapid"] == "BKey")
        #expect(view["stale"] == false)
        #expect(
            view["partitions"]?.text
                == #"[{"number":1,"arming":"d","isReady":true,"isInAlarm":false,"trouble":0,"openZones":[],"#
                + #""bypassedZones":[]}]"#)
        #expect(house.page.actions.isEmpty)
        try house.page.reload()
        #expect(try house.page.view() == view)
    }

    @Test("a status says whether the phone's subscription has ended; a copy of an older one does not")
    func aStatusSaysWhetherTheSubscriptionHasEnded() throws {
        var house = try AppHouse()
        try house.welcome()
        #expect(try house.page.view()["pushGone"] == false)
        guard case .object(let early) = house.box.statusContent() else { return }
        let copy = house.box.seal(.status, .object(early + [.init(key: "push", value: "gone")]))
        house.box.up += 60
        try house.page.received(house.box.heartbeat())
        try house.page.received(copy)
        #expect(try house.page.view()["pushGone"] == false)
        house.box.up += 60
        guard case .object(let later) = house.box.statusContent() else { return }
        try house.page.received(house.box.seal(.status, .object(later + [.init(key: "push", value: "gone")])))
        #expect(try house.page.view()["pushGone"] == true)
        house.box.up += 60
        try house.page.received(house.box.heartbeat())
        #expect(try house.page.view()["pushGone"] == false)
    }

    @Test("where a picture lies is told to the page as it came; what is no picture is counted and nothing else")
    func whereAPictureLiesIsTold() throws {
        var house = try AppHouse()
        try house.welcome()
        let key = String(repeating: "K3", count: 21) + "A"
        let hash = String(repeating: "h", count: 43)
        let text =
            #"{"v":"2","log":"0badcafe","seq":"7","timestamp":"1795228190","cam":"Garage","url":"https://ntfy.sh/file/a.bin","#
            + #""secret":"\#(key)","h":"\#(hash)","n":"50022","x":"1795238990","u":"0badcafe-5"}"#
        let called = try house.page.call(
            "received", ["e": .string(Base64URL.encode(house.box.seal(.picture, try JSON(parsing: text))))])
        #expect(
            called["actions"]?.text
                == #"[{"a":"picture","picture":{"position":{"log":195939070,"seq":7},"mark":"0badcafe-5","timestamp":1795228190,"#
                + #""camera":"Garage","url":"https://ntfy.sh/file/a.bin","key":"\#(key)","hash":"\#(hash)","bytes":50022,"#
                + #""expires":1795238990}},{"a":"changed"}]"#)
        for wrong in [text.replacing("https:", with: "http:"), text.replacing(#""seq":"7","#, with: "")] {
            let answer = try house.page.call(
                "received", ["e": .string(Base64URL.encode(house.box.seal(.picture, try JSON(parsing: wrong))))])
            #expect(answer["actions"] == .array([]))
        }
    }

    @Test("at the public topic server a page fetches the newest 100 rows of a long journal, and no others")
    func atThePublicTopicServerAPageFetchesTheNewest100Rows() throws {
        var house = try AppHouse()
        for number in 0..<500 { _ = house.box.store(house.row(number % 9 + 1)) }
        try house.welcome()
        for _ in 0..<60 {
            try house.pass(seconds: 5)
            try house.talk()
        }
        let rows = try #require(house.page.call("rows", ["max": .integer(1000)])["rows"]?.arrayValue)
        #expect(rows.compactMap { $0["position"]?["seq"]?.integerValue } == (401...500).reversed())
        #expect(try house.page.view()["gaps"] == .integer(0))
    }

    @Test("a command stops at its signature: the counter is stored before, and what was signed goes out after")
    func aCommandStopsAtItsSignature() throws {
        var house = try AppHouse()
        try house.welcome()
        house.page.signsAtOnce = false
        try house.page.call("give", ["command": .object(["verb": "disarm", "partition": .integer(1)])])
        try house.talk()
        #expect(house.box.commands.isEmpty)
        let sign = try #require(house.page.unsigned.first)
        #expect(sign["key"] == .integer(2))
        let memory = try JSON(parsing: house.page.memory)
        #expect(memory["counter"] == .integer(1))
        // Another one waits for its turn: a higher counter that came first would make the lower one worthless.
        try house.page.call(
            "give", ["command": .object(["verb": "panic", "kind": "fire"])])
        try house.talk()
        #expect(house.page.unsigned.count == 1)
        #expect(house.box.commands.isEmpty)
        try house.page.signAll()
        try house.talk()
        try house.page.signAll()
        try house.talk()
        #expect(house.box.commands.map { $0.0.verb } == ["disarm", "panic"])
        #expect(house.box.commands.map { $0.0.counter } == [1, 2])
        #expect(house.box.commands.allSatisfy { $0.1.signature == .good })
        try house.page.received(house.box.result(1, "denied", why: "role"))
        let command = try #require(house.page.view()["commands"]?.arrayValue?.first)
        #expect(command["outcome"] == "denied")
        #expect(command["why"] == "role")
        #expect(command["command"]?.text == #"{"verb":"disarm","partition":1}"#)
    }

    @Test("an owner who does not sign, or not in time, or twice, leaves a command that failed, and nothing is sent")
    func anOwnerWhoDoesNotSign() throws {
        var house = try AppHouse()
        try house.welcome()
        house.page.signsAtOnce = false
        try house.page.call("give", ["command": .object(["verb": "panic", "kind": "fire"])])
        let first = try #require(house.page.unsigned.first)
        try house.page.call("signed", ["id": first["id"], "signature": .null])
        try house.page.signAll()
        #expect(house.page.sent().isEmpty)
        try house.page.call("give", ["command": .object(["verb": "panic", "kind": "police"])])
        try house.pass(seconds: 44)
        #expect(try house.page.view()["commands"]?.arrayValue?.last?["outcome"] == "pending")
        #expect(house.page.next == house.page.time.uptime + 1000)
        try house.pass(seconds: 1)
        try house.page.signAll()
        #expect(house.page.sent().isEmpty)
        let commands = try house.page.view()["commands"]?.arrayValue ?? []
        #expect(commands.map { $0["outcome"] } == ["failed", "failed"])
        #expect(commands.map { $0["why"] } == ["not signed", "not signed"])
    }

    @Test("a row that came without a number is stored once it has one, and is found by its words")
    func aRowThatCameWithoutANumber() throws {
        var house = try AppHouse()
        try house.welcome()
        let row = house.row(1, mark: "b7-1")
        try house.page.received(house.box.sendUnstored(row))
        #expect(house.page.rows.isEmpty)
        try house.page.reload()
        try house.page.received(house.box.store(row))
        try house.page.received(house.box.store(house.row(2)))
        #expect(house.page.rows.keys.sorted() == ["00000010.0000000000000001", "00000010.0000000000000002"])
        #expect(house.page.rows.values.allSatisfy { $0["state"] != nil })
        let all = try house.page.call("rows", ["max": .integer(1), "text": "ALARM. zone"])
        #expect(all["more"] == true)
        #expect(all["rows"]?.arrayValue?.map { $0["key"] } == ["00000010.0000000000000002"])
        let older = try house.page.call("rows", ["before": "00000010.0000000000000002", "type": "alarm"])
        #expect(older["rows"]?.arrayValue?.map { $0["key"] } == ["00000010.0000000000000001"])
        #expect(older["more"] == false)
        #expect(try house.page.call("rows", ["text": "fire"])["rows"] == .array([]))
    }

    @Test("an address is told until the box has it, also over a reload")
    func anAddressIsTold() throws {
        var house = try AppHouse()
        try house.welcome()
        try house.page.call("address", ["kind": .integer(6), "value": #"{"endpoint":"https://push.example/1"}"#])
        #expect(house.page.sent().count == 1)
        try house.page.reload()
        try house.page.call("reachable")
        try house.talk()
        let command = try #require(house.box.commands.last?.0)
        #expect(command.verb == "addr")
        #expect(command.arguments["k"] == "6")
    }

    @Test(
        "a call that makes no sense gives a sentence, and changes nothing",
        arguments: [
            "", "{}", "[]", #"{"do":"view"}"#, #"{"do":"view","wall":1.5,"up":1}"#, #"{"do":"view","wall":-1,"up":1}"#,
            #"{"do":"view","wall":1,"up":9223372036854775807}"#, #"{"do":"nothing","wall":1,"up":1}"#,
            #"{"do":"received","wall":1,"up":1}"#, #"{"do":"received","e":"=","wall":1,"up":1}"#,
            #"{"do":"give","command":{"verb":"arm"},"wall":1,"up":1}"#, #"{"do":"signed","id":1,"wall":1,"up":1}"#,
            #"{"do":"address","kind":9,"value":"x","wall":1,"up":1}"#, #"{"do":"keep","wall":1,"up":1}"#,
            #"{"do":"pairFrame","e":"","wall":1,"up":1}"#, #"{"do":"pairTimer","wall":1,"up":1}"#,
            #"{"do":"open","secrets":"{}","memory":"{}","wall":1,"up":1}"#,
            #"{"do":"pair","code":"HA2:","name":"","topic":"","key1":"","algorithm2":7,"wall":1,"up":1}"#,
        ])
    func aCallThatMakesNoSense(text: String) throws {
        var house = try AppHouse()
        try house.welcome()
        let before = try house.page.view()
        let answer = try JSON(parsing: house.page.core.call(Array(text.utf8)))
        #expect(answer["error"]?.stringValue?.hasSuffix(".") ?? false, "\(answer.text)")
        #expect(try house.page.view() == before)
    }

    @Test("without an answer the first frame goes out again each 20 s, and after two minutes the pairing is over")
    func withoutAnAnswer() throws {
        var box = ModelBox(seed: 3)
        _ = box.vault.carryOut(.beginPairing(servers: [PairedHouse.server]))
        let code = try #require(box.vault.pairingText)
        var page = try AppPage(seed: 9, at: PhoneTime(uptime: 1000, wall: 1_795_228_190))
        let begun = try page.call(
            "pair",
            [
                "code": .string(code.revealed), "name": "Anna", "topic": "ntfy.sh/a",
                "key1": .string(Base64URL.encode(page.key1.publicKey)), "algorithm2": .integer(3),
                "key2": .string(Base64URL.encode(page.key2.publicKey)), "rp": "alarm.example",
                "origin": "https://alarm.example",
            ])
        page.time.uptime += 19_999
        #expect(try page.call("pairTimer")["frame"] == nil)
        page.time.uptime += 1
        #expect(try page.call("pairTimer")["frame"] == begun["frame"])
        page.time.uptime = 121_000
        let end = try page.call("pairTimer")
        #expect(end["failed"]?.stringValue == PhonePairing<PortableCrypto>.noAnswerText)
        #expect(end["next"] == nil)
    }
}
