import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Simulators

/// What is built of it: the house with its panel, and what the owner has written of both.
extension HousePlan {
    static let sender = "4711"
    static let pushKey = Secret("toy-key")

    var house: SimulatedHouse {
        var house = SimulatedHouse(
            zones: (1...World.zones).map { number in
                let kinds: [SimulatedZone.Kind] = [.entryExit, .perimeter, .interior, .perimeter]
                return SimulatedZone(number, kinds[number % 4], partition: number % 5 == 0 ? 2 : 1)
            })
        house.partitions = [1, 2]
        if asksCodeToArm { house.codeDemands = [.arm] }
        return incidents?.programmed(house) ?? house
    }

    /// Without channels and links; those add their own.
    var configuration: Configuration {
        var configuration = Configuration(
            panelHost: "192.0.2.10", panel: panelSettings, phones: PhoneSettings(host: "push.example", port: 5235))
        if channels.contains(where: { $0.kind == .ccs }) {
            configuration.phones.account = .init(senderID: Self.sender, apiKey: Self.pushKey)
        }
        configuration.phones.timing.pairingLife = .minutes(2)
        configuration.retention = Configuration.Retention(maximumAge: nil, maximumCount: 100)
        configuration.pace.retentionInterval = .minutes(10)
        return configuration
    }
}
