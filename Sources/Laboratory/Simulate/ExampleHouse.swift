import AlarmModel
package import Simulators

extension SimulatedHouse {
    /// The house of `howalarming.example.yaml`: two partitions, ten zones; codes 1234 (master, user 40), 4321 (user 1),
    /// 5678 (user 2), and 9876 under duress (user 33).
    package static var example: SimulatedHouse {
        var house = SimulatedHouse(
            zones: [
                SimulatedZone(1, .entryExit), SimulatedZone(2, .entryExit), SimulatedZone(3, .perimeter),
                SimulatedZone(4, .interior), SimulatedZone(5, .interior), SimulatedZone(6, .interior),
                SimulatedZone(7, .fire24h), SimulatedZone(8, .entryExit, partition: 2),
                SimulatedZone(9, .interior, partition: 2), SimulatedZone(10, .fire24h, partition: 2),
            ],
            users: [
                SimulatedUser(number: 1, code: Secret("4321")), SimulatedUser(number: 2, code: Secret("5678")),
                SimulatedUser(number: 33, code: Secret("9876"), isDuress: true),
                SimulatedUser(number: 40, code: Secret("1234")),
            ])
        house.partitions = [1, 2]
        return house
    }
}
