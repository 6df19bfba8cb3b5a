import AlarmModel
import ApplianceCore
import Companion
import PhoneLink
import PhoneProtocol
import Platform
import Simulators
import Testing

@Suite("What phones put into the database")
struct FCMDatabaseChannelTests {
    @Test("an original app may ask and is answered; its orders may have lain there for hours and are refused")
    func anOriginalAppMayAskAndIsAnswered() throws {
        var configuration = try Bench.fcmConfiguration()
        configuration.phones.isLegacyEnabled = true
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        bench.ask(.phones(.approve(token: PhonesLegacyTests.token, [.ping, .arm, .disarm])), as: 60)
        bench.advance(.seconds(10))
        for (number, verb) in ["arm", "disarm"].enumerated() {
            bench.database(.put(place: "cmd", key: "a\(number)", PhonesLegacyTests.data(verb)))
            bench.advance(.seconds(2))
        }
        #expect(bench.panelOrders.isEmpty)
        let rejected = try #require(try bench.status()?.phones?.rejected)
        #expect(rejected.map(\.count) == [2])
        let count = bench.fcm.sent.count
        bench.database(.put(place: "cmd", key: "a3", PhonesLegacyTests.data("ping")))
        bench.advance(.seconds(2))
        #expect(bench.fcm.sent.count == count + 1)
        #expect(bench.fcm.nodes.isEmpty)
    }

    @Test("what has come while the box was away is looked at to the last message, however much of it is rubbish")
    func whatHasComeWhileTheBoxWasAwayIsLookedAtToTheLastMessage() throws {
        var bench = Bench.up(try Bench.fcmConfiguration())
        bench.advance(.seconds(10))
        let channel = try bench.pairByDatabase()
        var crypto = TestPhone.crypto
        let request = PhoneRequest(verb: "snapshot", rid: crypto.random(8), arguments: Arguments())
        let sealed = try channel.seal(request, &crypto)
        for number in 100..<180 { bench.database([2, 2] + crypto.random(64), key: "m\(number)") }
        bench.database(sealed, key: "z")
        bench.advance(.seconds(10))
        let heard = bench.fcm.envelopes.compactMap { try? channel.open($0, TestPhone.crypto) }
        #expect(heard.last { $0.rid == request.rid }?.kind == .status)
        #expect(bench.fcm.nodes.isEmpty)
    }

    @Test(
        "a node that is too large, put before or while the box listens, hides no message and is removed",
        arguments: [false, true])
    func aNodeThatIsTooLargeHidesNoMessage(isBefore: Bool) throws {
        var bench = Bench.up(try Bench.fcmConfiguration())
        bench.advance(.seconds(10))
        let channel = try bench.pairByDatabase()
        func poison(_ bench: inout Bench) {
            let text = String(repeating: "x", count: 600_000)
            for key in ["-0", "-00 a", "-1\u{E9}"] {
                bench.database(.put(place: "cmd", key: key, .object(["a": .string(text)])))
            }
            bench.database(.put(place: "cmd", key: "-2", .object(["a": .string(String(repeating: "y", count: 5000))])))
        }
        if isBefore {
            bench.database(.databaseError(FCMFaults.Answer(status: 503, code: "", count: 1)))
            bench.database(.closeStreams)
            poison(&bench)
        }
        var crypto = TestPhone.crypto
        let request = PhoneRequest(verb: "snapshot", rid: crypto.random(8), arguments: Arguments())
        bench.database(try channel.seal(request, &crypto), key: "z")
        if !isBefore { poison(&bench) }
        bench.advance(.seconds(30))
        let heard = bench.fcm.envelopes.compactMap { try? channel.open($0, TestPhone.crypto) }
        #expect(heard.last { $0.rid == request.rid }?.kind == .status)
        #expect(bench.fcm.nodes.isEmpty)
        let second = PhoneRequest(verb: "snapshot", rid: crypto.random(8), arguments: Arguments())
        bench.database(try channel.seal(second, &crypto), key: "z2")
        bench.advance(.seconds(5))
        let more = bench.fcm.envelopes.compactMap { try? channel.open($0, TestPhone.crypto) }
        #expect(more.last { $0.rid == second.rid }?.kind == .status)
    }

    @Test("a database that is away for a moment is no news; one that stays away is told once, and alarms go out")
    func aDatabaseThatIsAwayForAMomentIsNoNews() throws {
        var bench = Bench.up(try Bench.fcmConfiguration())
        bench.advance(.seconds(10))
        _ = try bench.pairByDatabase()
        // Without signs of life each stream is given up after 70 s and made anew.
        bench.advance(.minutes(10))
        #expect(bench.events(.pushOffline).isEmpty && bench.events(.pushOnline).isEmpty)
        bench.database(.databaseError(FCMFaults.Answer(status: 503, code: "", count: 1000)))
        bench.database(.closeStreams)
        bench.advance(.minutes(5))
        let told = bench.messages(.pushOffline)
        #expect(told.count == 1 && told.first?.hasPrefix("What phones send does not come in: database: ") == true)
        #expect(told.first?.hasSuffix(". Alarms still go out.") == true)
        let count = bench.fcm.envelopes.count
        bench.panel("6011003")
        bench.advance(.seconds(2))
        #expect(bench.fcm.envelopes.count > count)
        bench.database(.faultsOff)
        bench.advance(.minutes(2))
        #expect(bench.messages(.pushOnline) == ["What phones send comes in again."])
    }
}
