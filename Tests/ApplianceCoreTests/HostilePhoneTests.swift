import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing
import Uplinks

/// A house is run twice, with and without one phone that lies, and what is sent to everybody else is compared.
@Suite("One hostile phone changes nothing for other people")
struct HostilePhoneTests {
    /// Claim of the phone, made again and again.
    enum Lie: String, CaseIterable, Sendable {
        case receipt, ping, seen
    }

    enum Standing: String, CaseIterable, Sendable {
        case view, everything, suspended

        var roles: Roles {
            switch self {
            case .view: .view
            case .everything, .suspended: Bench.everything
            }
        }
    }

    /// Something that left the box for somebody other than the liar.
    private struct Sent: Equatable, CustomStringConvertible {
        var what: String
        var second: Int64
        var description: String { "\(what) at \(second) s" }
    }

    private static let numbers = ["+431234567": "Anna", "+437654321": "Berta", "+4420123456": "nobody"]

    private static func house(_ standing: Standing) throws -> (Bench, anna: TestPhone, berta: TestPhone) {
        var bench = Bench.withLinks {
            $0.phones = Bench.phoneConfiguration().phones
            $0.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            var texts = TextAlarmSettings(numbers: numbers.keys.sorted())
            texts.people = ["+431234567", "+437654321"].map { .init(name: numbers[$0] ?? "", number: $0) }
            $0.texts = texts
            $0.calls = try? CallTests.settings()
            $0.calls?.unless = .confirmed
        }
        LastResortTests.plugIn(&bench)
        var anna = try bench.pair()
        let berta = try bench.pair("Tablet", person: "Berta", roles: standing.roles, token: "token-of-berta")
        bench.advance(.seconds(10))
        if standing == .suspended {
            try bench.command(&anna, "suspend", ["id": berta.id.description])
            try #require(bench.lastWord(anna) == "ok")
        }
        return (bench, anna, berta)
    }

    private static func lie(_ lie: Lie, _ phone: inout TestPhone, _ bench: inout Bench) throws {
        let newest = bench.stored.map(\.seq.number).max() ?? 0
        switch lie {
        case .receipt:
            for seq in max(1, newest - 20)...max(1, newest) {
                bench.request(phone, "got", ["log": "00000000", "seq": "\(seq)"])
            }
        case .ping: bench.request(phone, "ping", ["log": "00000000", "seq": "\(newest)"])
        case .seen: try bench.command(&phone, "seen", ["log": "00000000", "seq": "\(newest)"])
        }
    }

    /// - Parameter liar: nil: the second phone sleeps
    private static func sent(_ liar: Lie?, _ standing: Standing) throws -> [Sent] {
        var (bench, anna, berta) = try house(standing)
        bench.panel("6011003")
        let begin = bench.now.boot
        var (texts, calls, pushes) = (0, 0, PhonesDeliveryTests.alarms(bench, anna).count)
        var sent: [Sent] = []
        for pass in 0..<180 {
            bench.advance(.seconds(5))
            // The tenth minute brings another alarm.
            if pass == 120 { bench.panel("6011004") }
            if let liar, pass % 4 == 0 { try lie(liar, &berta, &bench) }
            let second = (bench.now.boot - begin).milliseconds / 1000
            let now = PhonesDeliveryTests.alarms(bench, anna).count
            sent += (pushes..<now).map { _ in Sent(what: "push to Anna", second: second) }
            for text in bench.net.texts.dropFirst(texts) where numbers[text.number] != "Berta" {
                sent.append(Sent(what: "text to \(numbers[text.number] ?? text.number)", second: second))
            }
            for call in bench.caller.calls.dropFirst(calls) where numbers[call.number] != "Berta" {
                sent.append(Sent(what: "call to \(numbers[call.number] ?? call.number)", second: second))
            }
            (texts, calls, pushes) = (bench.net.texts.count, bench.caller.calls.count, now)
        }
        return sent
    }

    @Test("pushes, texts and calls to everybody else are the same", arguments: Standing.allCases, Lie.allCases)
    func pushesTextsAndCallsToEverybodyElseAreTheSame(standing: Standing, lie: Lie) throws {
        let quiet = try Self.sent(nil, standing)
        let lied = try Self.sent(lie, standing)
        for what in ["push to Anna", "text to Anna", "text to nobody", "call to Anna"] {
            let (without, with) = (quiet.filter { $0.what == what }, lied.filter { $0.what == what })
            #expect(!without.isEmpty, "\(what)")
            #expect(without.count == with.count, "\(what): \(without) became \(with)")
            for (a, b) in zip(without, with) { #expect(abs(a.second - b.second) <= 45, "\(a) became \(b)") }
        }
    }
}
