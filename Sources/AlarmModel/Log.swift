/// A line for the service's log: a fixed phrase and values beside it. Secrets are redacted before one is made.
package struct LogEntry: Codable, Equatable, Sendable {
    package enum Level: Int, Codable, Hashable, Comparable, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
        case debug = 7
        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }
    package struct Field: Codable, Equatable, Sendable {
        package var key: String
        package var value: String
        package init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    package var level: Level
    package var message: String
    package var fields: [Field]

    package init(_ level: Level, _ message: String, _ fields: [Field] = []) {
        self.level = level
        self.message = message
        self.fields = fields
    }
}
