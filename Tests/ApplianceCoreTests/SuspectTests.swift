import AlarmModel
import PhoneLink
import Testing

@testable import ApplianceCore

@Suite("A channel that was at work in the last crashes")
struct SuspectTests {
    private static func configuration(_ channels: [ChannelSettings]) -> Configuration {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = channels
        return configuration
    }

    private static let ntfy = ChannelSettings.ntfy(NtfySettings(host: "192.0.2.9"))
    private static let web = ChannelSettings.beanstalk(BeanstalkSettings(host: "192.0.2.8"))

    private static func called(_ bench: Bench, _ address: String) -> Bool {
        bench.history.contains {
            if case .open(_, let endpoint, _) = $0 { "\(endpoint)".contains(address) } else { false }
        }
    }

    @Test("starts two minutes after the others in safe mode, and says so")
    func startsTwoMinutesAfterTheOthers() {
        let configuration = Self.configuration([Self.ntfy, Self.web])
        var bench = Bench(configuration)
        bench.start(configuration) { $0.suspects = [.ntfy] }
        bench.advance(.milliseconds(119_999))
        #expect(Self.called(bench, "192.0.2.8"))
        #expect(!Self.called(bench, "192.0.2.9"))
        let told = bench.events(.safeMode).map(\.message)
        #expect(told == ["ntfy was at work in the last crashes: it starts two minutes later than the others."])
        bench.advance(.milliseconds(1))
        #expect(Self.called(bench, "192.0.2.9"))
    }

    @Test("starts at once where there is no other")
    func startsAtOnceWhereThereIsNoOther() {
        let configuration = Self.configuration([Self.ntfy])
        var bench = Bench(configuration)
        bench.start(configuration) { $0.suspects = [.ntfy] }
        bench.advance(.seconds(1))
        #expect(Self.called(bench, "192.0.2.9"))
        #expect(bench.events(.safeMode).isEmpty)
    }
}
