import AlarmModel
import PhoneLink
import Simulation
import Testing

/// Houses with one hostile service: what all other channels carry is the same, and not later.
@Suite struct TwinHouseTests {
    static let traitors: [ChannelKind] = [.ntfy, .mqtt, .xmpp, .mail, .url, .fcm, .beanstalk, .receiver]

    @Test("whatever one service does, the alarms of all others arrive as without it, up to 45 s", arguments: traitors)
    func whateverOneServiceDoes(_ traitor: ChannelKind) throws {
        var (alarms, deeds) = (0, 0)
        for seed in UInt64(1)...2 {
            let twins = try TwinHouses(seed: seed, span: .minutes(30), traitor: traitor)
            #expect(twins.late(by: .seconds(45)) == [], "seed \(seed)")
            alarms += twins.alone.count
            deeds += twins.deeds
        }
        #expect(alarms > 10 && deeds > 1, "\(alarms) alarms, \(deeds) deeds")
    }
}
