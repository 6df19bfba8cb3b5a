/// The names that the owner gave to partitions, zones and users; ascending by number.
package struct SiteNames: Codable, Equatable, Sendable {
    package struct Zone: Codable, Equatable, Sendable {
        package var number: Int
        package var name: String
        package var partition: Int?
        /// A 601 of it is a fire.
        package var isFire: Bool
        /// Home Assistant's word for what the zone watches (`door`, `motion` …); nil: none is configured.
        package var deviceClass: String?

        package init(
            number: Int, name: String, partition: Int? = nil, isFire: Bool = false, deviceClass: String? = nil
        ) {
            self.deviceClass = deviceClass
            self.number = number
            self.name = name
            self.partition = partition
            self.isFire = isFire
        }
    }
    package struct Named: Codable, Equatable, Sendable {
        package var number: Int
        package var name: String

        package init(number: Int, name: String) {
            self.number = number
            self.name = name
        }
    }

    package var partitions: [Named]
    package var zones: [Zone]
    package var users: [Named]

    package init(partitions: [Named] = [], zones: [Zone] = [], users: [Named] = []) {
        self.partitions = partitions.sorted { $0.number < $1.number }
        self.zones = zones.sorted { $0.number < $1.number }
        self.users = users.sorted { $0.number < $1.number }
    }

    package func partition(_ number: Int) -> String? { partitions.first { $0.number == number }?.name }
    package func zone(_ number: Int) -> Zone? { zones.first { $0.number == number } }
    package func user(_ number: Int) -> String? { users.first { $0.number == number }?.name }
}
