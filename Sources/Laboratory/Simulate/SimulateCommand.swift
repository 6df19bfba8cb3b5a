import AlarmModel
import CommandKit
import PanelLink
import Platform
import Simulation

/// `howalarming-lab simulate panel`: a simulated panel on a loopback port, until SIGTERM, SIGINT or `quit`. Passes
/// `simulate push`, `simulate phone`, `simulate fcm` and `simulate ntfy` on.
package enum SimulateCommand {
    private static var console: Console { Console(program: "howalarming-lab") }
    private static let fileLimit = 4 * 1024 * 1024

    /// Reads its own arguments (`panel …`, `push …`, `phone …` or `ntfy …`); gives the exit status.
    package static func run(arguments: [String]) -> Int32 {
        if arguments.first == "push" { return SimulatePushCommand.run(arguments: Array(arguments.dropFirst())) }
        if arguments.first == "phone" { return SimulatePhoneCommand.run(arguments: Array(arguments.dropFirst())) }
        if arguments.first == "fcm" { return SimulateFCMCommand.run(arguments: Array(arguments.dropFirst())) }
        if arguments.first == "ntfy" { return SimulateNtfyCommand.run(arguments: Array(arguments.dropFirst())) }
        guard let first = arguments.first, first == "panel" else {
            if arguments.contains("--help") || arguments.contains("-h") {
                console.print([
                    SimulateOptions.usage, "", SimulatePushOptions.usage, "", SimulatePhoneOptions.usage, "",
                    SimulateFCMOptions.usage, "", SimulateNtfyOptions.usage,
                ])
                return 0
            }
            console.complain(
                "simulate what? 'panel', 'push', 'phone', 'fcm' and 'ntfy' are what there is; see 'howalarming-lab simulate "
                    + "panel --help', 'howalarming-lab simulate push --help', and so on")
            return 64
        }
        do throws(SimulateOptions.Misuse) {
            return serve(try SimulateOptions(Array(arguments.dropFirst())))
        } catch .help {
            console.print([SimulateOptions.usage])
            return 0
        } catch {
            console.complain("\(error); see 'howalarming-lab simulate panel --help'")
            return 64
        }
    }

    private static func serve(_ options: SimulateOptions) -> Int32 {
        SignalSource.blockSignals()
        do {
            let machine = try machine(for: options)
            let script = try options.scriptFile.map { try read(script: $0) }
            let loop = try EventLoop()
            let server = try PanelServer(machine, port: options.port, on: loop)
            let signals = try SignalSource(on: loop) { signal in
                switch signal {
                case .terminate, .interrupt, .hangup: loop.stop()
                case .user1: break
                }
            }
            var line = "panel simulator listens on 127.0.0.1:\(server.port)"
            var control: PanelControlPort?
            if let wanted = options.controlPort {
                // The answer to `quit` still leaves.
                let opened = try PanelControlPort(for: server, port: wanted, on: loop) {
                    loop.setTimer(after: .milliseconds(50)) { loop.stop() }
                }
                line += ", control on 127.0.0.1:\(opened.port)"
                control = opened
            }
            if options.isTraced {
                let trace = WireTrace(on: console)
                server.onSight = { trace.show($0) }
            }
            console.print([line])
            if let script { server.run(script) }
            if options.flood > 0 { server.flood(changesPerSecond: options.flood) }
            loop.run()
            control?.close()
            server.close()
            signals.cancel()
            return verdict(server.machine)
        } catch {
            console.complain("\(error)")
            return 1
        }
    }

    /// What a transcript wanted and did not get is said at the end.
    private static func verdict(_ machine: PanelMachine) -> Int32 {
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

    private static func machine(for options: SimulateOptions) throws -> PanelMachine {
        if let file = options.transcriptFile {
            let text = String(decoding: try FileReader.read(file, limit: fileLimit), as: UTF8.self)
            do throws(TranscriptError) {
                return .transcript(TranscriptPlayer(try Transcript(parsing: text)))
            } catch {
                throw FileProblem(file: file, what: "\(error)")
            }
        }
        var house = SimulatedHouse.example
        if let password = options.password { house.password = password }
        if let code = options.masterCode {
            house.codeLength = code.revealed.utf8.count
            for index in house.users.indices where house.users[index].number == 40 { house.users[index].code = code }
        }
        if let span = options.exitDelay { house.exitDelay = span }
        if let span = options.entryDelay { house.entryDelay = span }
        if let span = options.bellTime { house.bellTime = span }
        return .panel(PanelSimulator(house: house, seed: options.seed))
    }

    private static func read(script file: String) throws -> PanelScript {
        let text = String(decoding: try FileReader.read(file, limit: fileLimit), as: UTF8.self)
        do throws(ScriptError) {
            return try PanelScript(parsing: text)
        } catch {
            throw FileProblem(file: file, what: "\(error)")
        }
    }

    private struct FileProblem: Error, CustomStringConvertible {
        var file: String
        var what: String
        var description: String { "\(file): \(what)" }
    }
}
