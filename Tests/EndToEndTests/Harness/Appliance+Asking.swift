import Glibc
import PhoneProtocol

/// Looks until `condition` gives something; says what did not come.
@discardableResult
func eventually<Value>(
    within span: Duration = .patience, _ what: @autoclosure () throws -> String, _ condition: () throws -> Value?
) throws -> Value {
    var found: Value?
    _ = try Deadline.wait(span) {
        found = try condition()
        return found != nil
    }
    guard let found else { throw HarnessError("not within \(span): \(try what())") }
    return found
}

extension Appliance {
    /// A house with these settings, its panel with short delays.
    convenience init(
        _ configuration: Configuration, panelArguments: [String] = [], in directory: TestDirectory? = nil
    ) throws {
        try self.init(
            configuration: { port in
                var filled = configuration
                if filled.port == 0 { filled.port = port }
                return filled.text
            },
            panelArguments: ["--exit-delay", "1", "--entry-delay", "2", "--bell-time", "5"] + panelArguments,
            in: directory)
    }

    /// The same with the daemon running and its session up.
    static func running(
        _ configuration: Configuration = Configuration(), panelArguments: [String] = []
    ) throws -> Appliance {
        let house = try Appliance(configuration, panelArguments: panelArguments)
        try house.start()
        try house.waitUntilUp()
        return house
    }

    /// Runs a subcommand with these words on this state directory.
    @discardableResult
    func run(_ words: String..., input: String? = nil) throws -> Program.Result {
        try command(words, input: input)
    }

    /// Things happen in the house, one after the other.
    func house(_ verbs: String...) throws {
        for verb in verbs { try panel.house(verb) }
    }

    /// Starts a command that goes on, such as a trace.
    func spawn(_ name: String, _ words: [String]) throws -> Program {
        try Program(name, words + ["--state", stateDirectory], in: directory)
    }

    /// Bytes from the panel on the wire, as they are.
    func wire(_ bytes: [UInt8]) throws {
        try panel.house("bytes \(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())")
    }

    /// A line of the panel with its checksum.
    func wire(line: String) throws {
        let sum = line.utf8.reduce(0) { ($0 + Int($1)) % 256 }
        try wire(Array("\(line)\(sum < 16 ? "0" : "")\(String(sum, radix: 16).uppercased())\r\n".utf8))
    }

    /// What `events --json` lists.
    func records(_ words: String...) throws -> [Record] {
        try Record.all(in: command(["events", "--json", "--limit", "1000"] + words).output)
    }

    @discardableResult
    func waitForRecord(_ what: String, where fits: (Record) -> Bool) throws -> Record {
        try eventually("an event: \(what)") { try records().first(where: fits) }
    }

    /// What `sqlite3` prints for a query on the journal.
    func sql(_ query: String) throws -> String {
        let result = try Program.run(
            ["\(stateDirectory)/journal.db", query], in: directory, executable: "/usr/bin/sqlite3")
        guard result.status == 0 else { throw HarnessError("sqlite3 \(query): \(result.errors)") }
        return String(result.output.dropLast(result.output.hasSuffix("\n") ? 1 : 0))
    }
}
