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

    private static func house(_ standing: Standing) throws -> TwinBench {
        var twin = try TwinBench(roles: standing.roles)
        if standing == .suspended {
            try twin.bench.command(&twin.anna, "suspend", ["id": twin.berta.id.description])
            try #require(twin.bench.lastWord(twin.anna) == "ok")
        }
        return twin
    }

    private static func tell(_ lie: Lie, _ twin: inout TwinBench) throws {
        let newest = twin.bench.stored.map(\.seq.number).max() ?? 0
        switch lie {
        case .receipt:
            for seq in max(1, newest - 20)...max(1, newest) {
                twin.bench.request(twin.berta, "got", ["log": "00000000", "seq": "\(seq)"])
            }
        case .ping: twin.bench.request(twin.berta, "ping", ["log": "00000000", "seq": "\(newest)"])
        case .seen: try twin.bench.command(&twin.berta, "seen", ["log": "00000000", "seq": "\(newest)"])
        }
    }

    @Test("pushes, texts and calls to everybody else are the same", arguments: Standing.allCases, Lie.allCases)
    func pushesTextsAndCallsToEverybodyElseAreTheSame(standing: Standing, lie: Lie) throws {
        var (quiet, lied) = (try Self.house(standing), try Self.house(standing))
        try quiet.live()
        try lied.live { pass, twin in
            if pass % 4 == 0 { try Self.tell(lie, &twin) }
        }
        quiet.compare(with: lied, ["push to Anna", "text to Anna", "text to nobody", "call to Anna"])
    }
}
