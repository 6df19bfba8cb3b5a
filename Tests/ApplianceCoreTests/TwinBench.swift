import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing
import Uplinks

/// A house with two people that is lived twice, with and without somebody hostile, and what left it for people.
struct TwinBench {
    /// Something that left the box.
    struct Sent: Equatable, CustomStringConvertible {
        var what: String
        var second: Int64
        var description: String { "\(what) at \(second) s" }
    }

    private static let numbers = ["+431234567": "Anna", "+437654321": "Berta", "+4420123456": "nobody"]

    var bench: Bench
    var anna: TestPhone
    var berta: TestPhone
    private(set) var sent: [Sent] = []

    /// - Parameter roles: of Berta's phone
    init(roles: Roles = Bench.everything, _ change: (inout Configuration) throws -> Void = { _ in }) throws {
        var failure: (any Error)?
        bench = Bench.withLinks { configuration in
            configuration.phones = Bench.phoneConfiguration().phones
            configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            var texts = TextAlarmSettings(numbers: Self.numbers.keys.sorted())
            texts.people = ["+431234567", "+437654321"].map { .init(name: Self.numbers[$0] ?? "", number: $0) }
            configuration.texts = texts
            do {
                configuration.calls = try CallTests.settings()
                configuration.calls?.unless = .confirmed
                try change(&configuration)
            } catch { failure = error }
        }
        if let failure { throw failure }
        LastResortTests.plugIn(&bench)
        anna = try bench.pair()
        berta = try bench.pair("Tablet", person: "Berta", roles: roles, token: "token-of-berta")
        bench.advance(.seconds(10))
    }

    /// 15 minutes with an alarm at their beginning and one in the tenth minute.
    ///
    /// - Parameter act: called each 5 s with their count
    mutating func live(_ act: (Int, inout TwinBench) throws -> Void = { _, _ in }) throws {
        bench.panel("6011003")
        let begin = bench.now.boot
        var (texts, calls, pushes) = (0, 0, PhonesDeliveryTests.alarms(bench, anna).count)
        for pass in 0..<180 {
            bench.advance(.seconds(5))
            if pass == 120 { bench.panel("6011004") }
            try act(pass, &self)
            let second = (bench.now.boot - begin).milliseconds / 1000
            func note(_ what: String, _ number: String) {
                sent.append(Sent(what: "\(what) to \(Self.numbers[number] ?? number)", second: second))
            }
            let now = PhonesDeliveryTests.alarms(bench, anna).count
            for _ in pushes..<max(pushes, now) { sent.append(Sent(what: "push to Anna", second: second)) }
            for text in bench.net.texts.dropFirst(texts) { note("text", text.number) }
            for call in bench.caller.calls.dropFirst(calls) { note("call", call.number) }
            (texts, calls, pushes) = (bench.net.texts.count, bench.caller.calls.count, now)
        }
    }

    /// Expects that all of these kinds left both houses as often, up to 45 s apart.
    func compare(with other: TwinBench, _ kinds: [String]) {
        for what in kinds {
            let (mine, theirs) = (sent.filter { $0.what == what }, other.sent.filter { $0.what == what })
            #expect(!mine.isEmpty, "\(what)")
            #expect(mine.count == theirs.count, "\(what): \(mine) became \(theirs)")
            for (a, b) in zip(mine, theirs) { #expect(abs(a.second - b.second) <= 45, "\(a) became \(b)") }
        }
    }
}
