import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform
import Testing

/// What a phone may do: the key that a verb wants, and the role (docs/pairing.md 7.1).
@Suite("Permissions of phones")
struct PhonesPermissionTests {
    @Test("arming with open zones wants key 2; without them, and with f=0, it does with key 1")
    func armingWithOpenZonesWantsKey2() throws {
        var (bench, phone) = try Bench.paired(roles: [.view, .arm])
        bench.panel("6531")
        bench.forget()
        for force in ["1", "2", "01", ""] {
            try bench.command(&phone, "arm", ["p": "1", "f": force], key: 1)
            #expect(bench.lastWord(phone) == "denied key", "\(force)")
        }
        try bench.command(&phone, "arm", ["p": "1", "f": "2"], key: 2)
        #expect(bench.lastWord(phone) == "denied verb")
        #expect(bench.panelOrders.isEmpty)
        try bench.command(&phone, "arm", ["p": "1", "f": "1"], key: 2)
        #expect(bench.panelOrders == ["0301"])
        var (other, second) = try Bench.paired(roles: [.view, .arm])
        other.forget()
        try other.command(&second, "arm", ["p": "1", "f": "0"], key: 1)
        #expect(other.panelOrders == ["0301"])
        var (last, weak) = try Bench.paired(noPresence: true, presence: false)
        last.forget()
        try last.command(&weak, "arm", ["p": "1", "f": "1"], key: 1)
        #expect(last.panelOrders == ["0301"])
    }

    @Test("the chime is switched with key 1 and the role arm, and not by what makes no sense")
    func theChimeIsSwitchedWithKey1AndTheRoleArm() throws {
        var (bench, phone) = try Bench.paired(roles: [.view, .arm])
        bench.panel("6631")
        bench.forget()
        for arguments: KeyValuePairs in [["on": "yes"], ["p": "9"], ["p": "1", "z": "1"]] {
            try bench.command(&phone, "chime", arguments)
            #expect(bench.lastWord(phone) == "denied verb")
        }
        #expect(bench.panelOrders.isEmpty)
        try bench.command(&phone, "chime", ["p": "1", "on": "0"])
        #expect(bench.panelOrders == ["0711*4#"])
        var (other, viewer) = try Bench.paired(roles: .view)
        other.forget()
        try other.command(&viewer, "chime", ["p": "1"])
        #expect(other.lastWord(viewer) == "denied role" && other.panelOrders.isEmpty)
    }

    @Test("disarm wants key 2: with key 1 it is refused, unless the phone was paired without presence")
    func disarmWantsKey2() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("6561", "65210")
        bench.forget()
        try bench.command(&phone, "disarm", ["p": "1"], key: 1)
        #expect(bench.lastWord(phone) == "denied key" && bench.panelOrders.isEmpty)
        #expect(bench.events(.phoneDenied).count == 1 && bench.push.ledger.isEmpty)
        var (other, weak) = try Bench.paired(noPresence: true, presence: false)
        other.panel("6561", "65210")
        other.forget()
        try other.command(&weak, "disarm", ["p": "1"], key: 1)
        #expect(other.panelOrders.count == 1)
        #expect(try other.status()?.phones?.entries.first?.note?.contains("without presence") == true)
        var (last, lockless) = try Bench.paired(presence: false)
        last.panel("6561", "65210")
        last.forget()
        try last.command(&lockless, "disarm", ["p": "1"], key: 1)
        #expect(last.lastWord(lockless) == "denied key" && last.panelOrders.isEmpty)
    }

    @Test("a role that is not given refuses, and what is refused is journalled once and told to the others only")
    func aRoleThatIsNotGivenRefuses() throws {
        var (bench, phone) = try Bench.paired(roles: [.view, .arm])
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.advance(.seconds(30))
        bench.panel("6561", "65210")
        bench.advance(.seconds(30))
        bench.forget()
        let verbs: [(String, KeyValuePairs<String, String>)] = [
            ("disarm", ["p": "1"]), ("bypass", ["z": "3"]), ("output", ["p": "1", "o": "1"]), ("panic", ["k": "fire"]),
            ("suspend", ["id": ben.id.description]),
        ]
        for (verb, arguments) in verbs {
            let rows = bench.stored.count
            let mark = bench.push.server.pushes.count
            try bench.command(&phone, verb, arguments)
            #expect(bench.lastWord(phone) == "denied role", "\(verb)")
            #expect(bench.stored.count == rows + 2, "\(verb)")
            bench.advance(.seconds(30))
            #expect(bench.eventsHeard(ben, since: mark).count == 2, "\(verb)")
            #expect(bench.eventsHeard(phone, since: mark).isEmpty, "\(verb)")
        }
        #expect(bench.panelOrders.isEmpty)
    }

    @Test("suspended by an admin: acting verbs are refused until that is lifted at the box")
    func suspendedByAnAdmin() throws {
        var (bench, anna) = try Bench.paired()
        var ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.advance(.seconds(10))
        try bench.command(&anna, "suspend", ["id": ben.id.description])
        #expect(bench.lastWord(anna) == "ok")
        bench.forget()
        try bench.command(&ben, "arm", PhonesCommandTests.away)
        #expect(bench.lastWord(ben) == "denied role" && bench.panelOrders.isEmpty)
        try bench.command(&ben, "seen")
        #expect(bench.lastWord(ben) == "denied role")
        bench.ask(.phones(.lift(phone: "iPhone")), as: 40)
        try bench.command(&ben, "arm", PhonesCommandTests.away)
        #expect(bench.panelOrders.count == 1)
    }
}
