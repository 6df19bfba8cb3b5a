import AlarmModel
import ApplianceCore
import PanelLink
import Testing

@testable import Simulation

@Suite("One number for all effects of a run")
struct EffectHashTests {
    private static let moment = Moment(
        boot: BootTime(nanoseconds: 5), wall: WallTime(milliseconds: 7), isWallTrusted: true)
    private static let start = Input.started(
        Start(configuration: Configuration(panelHost: "h", panel: PanelSettings(password: Secret("user")))))

    private static func hash(_ steps: [[Effect]], at moment: Moment = moment) -> String {
        var hash = EffectHash()
        hash.follow(start, at: moment, [])
        for effects in steps { hash.follow(.timer(.panel), at: moment, effects) }
        return hash.text
    }

    /// Connections and reads under these numbers.
    private static func life(_ first: UInt64, _ second: UInt64, _ query: UInt64) -> [[Effect]] {
        [
            [.resolve(ResolveID(first), name: "h", .any), .readMessages(QueryID(query), .dead(limit: 3))],
            [.send(ConnectionID(first), [1, 2]), .send(ConnectionID(second), [3])],
            [.close(ConnectionID(first)), .close(ConnectionID(second))],
        ]
    }

    @Test("it does not depend on how the core numbers what it names")
    func itDoesNotDependOnHowTheCoreNumbersWhatItNames() {
        #expect(Self.hash(Self.life(1, 2, 9)) == Self.hash(Self.life(1 << 40, 7, 1)))
        // But on which is which.
        var swapped = Self.life(1, 2, 9)
        swapped[2].reverse()
        #expect(Self.hash(Self.life(1, 2, 9)) != Self.hash(swapped))
    }

    @Test("each value, each order and each moment counts")
    func eachValueEachOrderAndEachMomentCounts() {
        let event = Event(
            type: .alarm, code: "601", raw: "6011003", message: "m", time: WallTime(milliseconds: 1),
            isTimeTrusted: true)
        var other = event
        other.flags = .whileAway
        var later = Self.moment
        later.boot = later.boot + .nanoseconds(1)
        let steps: [[Effect]] = [[.commit(Batch(id: BatchID(1), events: [event]))], [.log(LogEntry(.info, "x"))]]
        let hashes = [
            Self.hash(steps), Self.hash([steps[0]]), Self.hash([steps[1], steps[0]]),
            Self.hash([[.commit(Batch(id: BatchID(1), events: [other]))], steps[1]]),
            Self.hash(steps, at: later), Self.hash([steps[0], [.log(LogEntry(.notice, "x"))]]),
            Self.hash([[.setTimer(.panel, nil)]]), Self.hash([[.setTimer(.journal, nil)]]),
            Self.hash([[.send(ConnectionID(1), [1]), .send(ConnectionID(1), [2])]]),
            Self.hash([[.send(ConnectionID(1), [1, 2])]]),
        ]
        #expect(Set(hashes).count == hashes.count)
    }

    @Test("a house that is lived again has the same")
    func aHouseThatIsLivedAgainHasTheSame() {
        let first = SeedRun(seed: 3, span: .minutes(3), isHashed: true)
        #expect(first.hash == SeedRun(seed: 3, span: .minutes(3), isHashed: true).hash)
        #expect(first.hash != SeedRun(seed: 4, span: .minutes(3), isHashed: true).hash)
        #expect(SeedRun(seed: 3, span: .minutes(3)).hash == nil)
    }
}
