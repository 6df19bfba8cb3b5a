import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

/// docs/ARCHITECTURE.md 1.6 for phones.
@Suite("Duress and phones")
struct PhonesDuressTests {
    private static func house() throws -> (Bench, contact: TestPhone, other: TestPhone) {
        var bench = Bench.withPush { $0.isLegacyEnabled = true }
        let anna = try bench.pair()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.ask(.people(.set(name: "Anna", PersonChange(isDuressContact: true))), as: 60)
        bench.ask(.phones(.approve(token: "token-of-old-app", LegacyPhone.allowedByDefault)), as: 61)
        bench.advance(.minutes(2))
        return (bench, anna, ben)
    }

    @Test("it reaches the contact, sealed, with a mark and without a number, and nobody else")
    func itReachesTheContact() throws {
        var (bench, anna, ben) = try Self.house()
        let mark = bench.push.server.pushes.count
        bench.panel("6200000")
        bench.advance(.seconds(20))
        let told = bench.eventsHeard(anna, since: mark)
        #expect(told.count == 1 && bench.push.server.pushes.count == mark + 1)
        #expect(told.first?["u"]?.stringValue != nil && told.first?["seq"] == nil && told.first?["st"] == nil)
        #expect(bench.eventsHeard(ben, since: mark).isEmpty)
        #expect(!bench.push.server.pushes.dropFirst(mark).contains { $0.to == "token-of-old-app" })
    }

    @Test("it is repeated until the contact has it, and its absence is told to nobody")
    func itIsRepeatedUntilTheContactHasIt() throws {
        var (bench, anna, _) = try Self.house()
        let mark = bench.push.server.pushes.count
        let rows = bench.stored.count
        bench.panel("6200000")
        bench.advance(.minutes(3))
        #expect(bench.eventsHeard(anna, since: mark).count == 3)
        #expect(bench.stored.count == rows)
        let status = try #require(try bench.status()?.phones)
        #expect(status.waiting == 0 && status.overdue == 0 && status.entries.allSatisfy { $0.overdue == 0 })
        bench.request(anna, "got", ["u": try #require(bench.eventsHeard(anna).last?["u"]?.stringValue)])
        bench.advance(.hours(1))
        #expect(bench.eventsHeard(anna, since: mark).count == 3)
    }

    @Test("it is in no sync, status, list of the dead or count")
    func itIsInNoSyncStatusListOfTheDeadOrCount() throws {
        var (bench, anna, _) = try Self.house()
        bench.panel("609003", "6200000", "610003")
        bench.advance(.seconds(20))
        let mark = bench.push.server.pushes.count
        bench.request(anna, "sync", ["log": "00000000", "from": "1", "max": "20"])
        bench.request(anna, "ping", ["log": "00000000", "seq": "\(bench.lastSequence.number - 10)"])
        for message in bench.heard(anna, since: mark) {
            #expect(!message.content.text.contains("620") || !message.content.text.contains("uress"))
        }
        bench.push.server.unregistered = [anna.token]
        bench.advance(.minutes(3))
        bench.ask(.phones(.dead(limit: 100)), as: 80)
        bench.ask(.status, as: 81)
        let shown = try (bench.answers(80) + bench.answers(81)).map { try JSON.encoding($0).text }.joined()
        #expect(!shown.contains("uress") && !shown.contains("6200000"))
        #expect(try bench.status()?.phones?.dead == 0)
    }

    @Test("nobody in the house can silence it: seen for all alarms is not seen for this one")
    func nobodyInTheHouseCanSilenceIt() throws {
        var (bench, anna, ben) = try Self.house()
        let mark = bench.push.server.pushes.count
        bench.panel("6200000")
        bench.ask(.phones(.seen), as: 77)
        var other = ben
        try bench.command(&other, "seen")
        bench.advance(.minutes(3))
        #expect(bench.eventsHeard(anna, since: mark).count { $0["code"]?.stringValue == "620" } == 3)
    }
}
