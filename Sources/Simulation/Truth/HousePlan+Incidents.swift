import AlarmModel
import PanelLink
import PhoneLink
import Simulators

extension HousePlan {
    /// Programs the panel, and has every third house watched by a station. Drawn apart from all else.
    mutating func drawIncidents() {
        incidents = Incidents(seed: seed)
        guard seed % 3 == 0, !channels.contains(where: { $0.kind == .receiver }) else { return }
        channels.append(Channel(kind: .receiver, seed: seed))
        channels.sort { $0.kind < $1.kind }
    }

    /// Programming of a panel whose alarms are compared with its ledger. Times are in seconds.
    struct Incidents: Codable, Equatable, Sendable {
        var bellTime: Int
        var exitDelay: Int
        var entryDelay: Int
        var delaysInAlarm: Bool
        /// nil: the panel takes any number of alarms from a zone.
        var swingerLimit: Int?

        init(seed: UInt64) {
            var chance = Jitter(seed: seed ^ 0x62_65_6C_6C)
            func one(of times: [Int]) -> Int { times[Int(chance.next() % UInt64(times.count))] }
            bellTime = one(of: [20, 60, 120, 240])
            exitDelay = one(of: [10, 30, 60])
            entryDelay = one(of: [10, 30])
            delaysInAlarm = chance.next() % 4 == 0
            swingerLimit = chance.next() % 3 == 0 ? 1 + Int(chance.next() % 3) : nil
        }

        static let users = [
            SimulatedUser(number: 1, code: Secret("1111")), SimulatedUser(number: 2, code: Secret("2222")),
            SimulatedUser(number: 3, code: Secret("3333"), partitions: [2]),
            SimulatedUser(number: 33, code: Secret("9876"), isDuress: true),
            SimulatedUser(number: 40, code: Secret("1234")),
        ]

        static let zones = [
            SimulatedZone(1, .entryExit), SimulatedZone(2, .perimeter, isForceArmable: true),
            SimulatedZone(3, .interior), SimulatedZone(4, .perimeter), SimulatedZone(5, .perimeter, partition: 2),
            SimulatedZone(6, .fire24h), SimulatedZone(7, .burglary24h), SimulatedZone(8, .burglary24h, isSilent: true),
            SimulatedZone(9, .perimeter, isSilent: true), SimulatedZone(10, .entryExit, partition: 2),
            SimulatedZone(11, .perimeter, partition: 2, isForceArmable: true),
            SimulatedZone(12, .fire24h, partition: 2),
        ]

        /// The house of this kind.
        func programmed(_ house: SimulatedHouse) -> SimulatedHouse {
            var house = house
            house.zones = Self.zones
            house.users = Self.users
            house.bellTime = .seconds(bellTime)
            house.exitDelay = .seconds(exitDelay)
            house.entryDelay = .seconds(entryDelay)
            house.delaysInAlarm = delaysInAlarm
            house.swingerLimit = swingerLimit
            return house
        }

        /// Entry of the zone in the owner's configuration.
        static func name(_ names: SiteNames) -> SiteNames {
            SiteNames(
                partitions: names.partitions,
                zones: zones.map {
                    SiteNames.Zone(
                        number: $0.number, name: "Zone \($0.number)", partition: $0.partition,
                        isFire: $0.kind == .fire24h)
                },
                users: names.users + [.init(number: 1, name: "Ben"), .init(number: 2, name: "Cleo")])
        }
    }
}
