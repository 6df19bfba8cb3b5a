import AlarmModel
import CommandKit
import PanelLink
import Platform
import Simulators

/// `howalarming-lab simulate panel`: a simulated panel on a loopback port, until SIGTERM, SIGINT or `quit`.
struct SimulatePanelCommand: Command {
    private let port: UInt16
    /// nil: no control port.
    private let controlPort: UInt16?
    private let scriptFile: String?
    private let transcriptFile: String?
    private let seed: UInt64
    private let password: Secret?
    private let masterCode: Secret?
    private let isTraced: Bool
    /// Changes a second; 0: none.
    private let flood: Int
    /// nil: as the house has them.
    private let exitDelay: Duration?
    private let entryDelay: Duration?
    private let bellTime: Duration?

    static let entry = CommandEntry(
        laboratory: "simulate panel",
        """
        usage: howalarming-lab simulate panel [options]

        A DSC panel with an EnvisaLink module on this machine, for trying things out: point 'panel.host' of a
        configuration at 127.0.0.1 and its port. Two partitions, ten zones, as in howalarming.example.yaml.

          --port N             the module's port; 0 takes a free one (4025)
          --control-port N     a port that takes one verb per line, such as 'open 3'; 0 takes a free one
          --script FILE        what happens to the house, with times
          --transcript FILE    play a recorded session instead
          --seed N             for the faults that happen by chance (1)
          --password P         of the simulated module (user)
          --master-code C      of the simulated panel, 4 or 6 digits; then every code has so many (1234)
          --exit-delay S       seconds (60)
          --entry-delay S      seconds (30)
          --bell-time S        seconds (240)
          --flood N            toggle zones N times a second, for ever
          --trace              show the lines of both sides
        """
    ) { given throws(UsageError) in try SimulatePanelCommand(given) }

    private init(_ given: ParsedArguments) throws(UsageError) {
        port = try given.port("--port") ?? 4025
        controlPort = try given.port("--control-port")
        scriptFile = given.value("--script")
        transcriptFile = given.value("--transcript")
        seed = try given.seed()
        password = given.value("--password").map { Secret($0) }
        masterCode = try given.read("--master-code", "4 or 6 digits") { code in
            [4, 6].contains(code.utf8.count) && code.utf8.allSatisfy { (48...57).contains($0) } ? Secret(code) : nil
        }
        exitDelay = try Self.seconds("--exit-delay", given)
        entryDelay = try Self.seconds("--entry-delay", given)
        bellTime = try Self.seconds("--bell-time", given)
        flood = try given.read("--flood", "changes a second, 0 to 100000", in: 0...100_000) ?? 0
        isTraced = given.has("--trace")
        guard scriptFile == nil || transcriptFile == nil else {
            throw given.misuse("choose one of --script and --transcript")
        }
    }

    private static func seconds(_ option: String, _ given: ParsedArguments) throws(UsageError) -> Duration? {
        try given.read(option, "seconds, 0 to 86400") { text in
            Double(text).flatMap { $0 >= 0 && $0 <= 86_400 ? .milliseconds(Int64($0 * 1000)) : nil }
        }
    }

    func run(on console: Console) -> Int32 {
        LoopCommand.serve(on: console) { loop in
            let machine = try machine()
            let script = try scriptFile.map { try LoopCommand.read($0) { try PanelScript(parsing: $0) } }
            let server = try PanelServer(machine, port: port, on: loop)
            var line = "panel simulator listens on 127.0.0.1:\(server.port)"
            var control: PanelControlPort?
            if let wanted = controlPort {
                // The answer to `quit` still leaves.
                let opened = try PanelControlPort(for: server, port: wanted, on: loop) {
                    loop.setTimer(after: .milliseconds(50)) { loop.stop() }
                }
                line += ", control on 127.0.0.1:\(opened.port)"
                control = opened
            }
            if isTraced {
                let trace = WireTrace(on: console)
                server.onSight = { trace.show($0) }
            }
            console.print([line])
            if let script { server.run(script) }
            if flood > 0 { server.flood(changesPerSecond: flood) }
            loop.run()
            control?.close()
            server.close()
            return Self.verdict(server.machine, on: console)
        }
    }

    /// What a transcript wanted and did not get is said at the end.
    private static func verdict(_ machine: PanelMachine, on console: Console) -> Int32 {
        switch machine {
        case .panel: return 0
        case .transcript(let player):
            for mismatch in player.mismatches {
                console.complain(
                    "line \(mismatch.line) of the transcript: expected \(text(mismatch.expected)), "
                        + "the client sent \(text(mismatch.found))")
            }
            if let line = player.line { console.complain("the transcript was played up to line \(line)") }
            return player.mismatches.isEmpty && player.isFinished ? 0 : 1
        }
    }

    private static func text(_ line: String?) -> String {
        line.map { Redaction.line(Array("\($0)\r\n".utf8)) } ?? "nothing"
    }

    private func machine() throws -> PanelMachine {
        if let file = transcriptFile {
            return .transcript(TranscriptPlayer(try LoopCommand.read(file) { try Transcript(parsing: $0) }))
        }
        var house = SimulatedHouse.example
        if let password { house.password = password }
        if let code = masterCode {
            house.codeLength = code.revealed.utf8.count
            for index in house.users.indices where house.users[index].number == 40 { house.users[index].code = code }
        }
        if let span = exitDelay { house.exitDelay = span }
        if let span = entryDelay { house.entryDelay = span }
        if let span = bellTime { house.bellTime = span }
        return .panel(PanelSimulator(house: house, seed: seed))
    }
}
