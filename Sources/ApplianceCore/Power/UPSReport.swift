package import AlarmModel

/// What `status` shows of the UPS.
package struct UPSReport: Codable, Equatable, Sendable {
    package var name: String
    package var server: String
    /// What it said last; nil: nothing yet.
    package var reading: UPSReading?
    package var lastRead: WallTime?
    /// What is wrong with the server, in words.
    package var problem: String?
    /// Nothing was heard of it for so long that this was told.
    package var isLost: Bool

    package init(
        name: String, server: String, reading: UPSReading? = nil, lastRead: WallTime? = nil, problem: String? = nil,
        isLost: Bool = false
    ) {
        self.name = name
        self.server = server
        self.reading = reading
        self.lastRead = lastRead
        self.problem = problem
        self.isLost = isLost
    }
}
