import AlarmModel
import CommandKit
import PhoneProtocol

/// `self-test`: tries everything once.
struct SelfTestCommand: Command, Equatable {
    var stateDirectory: String
    /// nil: the one that the daemon used last.
    var configurationFile: String?
    /// Phones get a test message.
    var sendsPush: Bool
    var json: Bool

    func run(on console: Console) -> Int32 {
        var lines: [SelfTestLine] = []
        let test = SelfTest(
            stateDirectory: stateDirectory, configurationFile: configurationFile, sendsPush: sendsPush)
        test.run { line in
            lines.append(line)
            if !json { console.print(line.lines()) }
        }
        if json { console.print([Self.json(lines).text]) }
        let failures = lines.count { $0.result == .failed }
        if !json {
            console.print([
                "", failures == 0 ? "Everything that could be tried works." : "\(Text.count(failures, "test")) failed.",
            ])
        }
        return failures == 0 ? ExitStatus.done : ExitStatus.failed
    }

    /// Keys: `ok`, `tests[]` (see `SelfTestLine`).
    static func json(_ lines: [SelfTestLine]) -> JSON {
        .object([
            "ok": .bool(!lines.contains { $0.result == .failed }), "tests": .array(lines.map(\.json)),
        ])
    }
}

extension SelfTestCommand {
    static let entry = CommandEntry(
        "self-test", in: .phones, brief: "try everything once",
        """
        Tries the daemon, the panel, the store, phones (with a test message), links, modem, clock, certificates,
        watchdog and permissions. Each line passes or says what to do. Ends with 0 when all pass and 1 otherwise.
        Without a daemon it tries what it can.

        \(CommandSyntax.json)
        --no-push      send no test message to phones
        --config FILE  the configuration, where no daemon has run yet

        howalarming self-test
        howalarming self-test --no-push --json
        """
    ) {
        SelfTestCommand(
            stateDirectory: $0.stateDirectory, configurationFile: $0.value("--config"),
            sendsPush: !$0.has("--no-push"), json: $0.json)
    }
}
