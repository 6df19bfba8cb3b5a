import PhoneProtocol

/// One line that asks the runner for a program (see `ProgramAnswer`).
struct HookRequest: Equatable, Sendable {
    var program: String
    var message: String
    /// Seconds, 1 to 300.
    var limit: Int64
    /// For the program's standard input.
    var event: JSON

    static let sizeLimit = 256 * 1024

    /// nil: it is none, or its program has no name of a file.
    init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 16, bytes: Self.sizeLimit)),
            let program = json["program"]?.stringValue, let message = json["message"]?.stringValue,
            let limit = json["limit"]?.integerValue, (1...300).contains(limit), let event = json["event"],
            message.utf8.count <= 256, !message.utf8.contains(0)
        else { return nil }
        self.program = program
        self.message = message
        self.limit = limit
        self.event = event
    }
}
