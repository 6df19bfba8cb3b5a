import AlarmModel
import CommandKit
import PhoneProtocol

/// `self-test`: tries everything once.
package struct SelfTestCommand: Hashable, Sendable {
    package var stateDirectory: String
    /// nil: the one that the daemon used last.
    package var configurationFile: String?
    /// Phones get a test message.
    package var sendsPush: Bool
    package var json: Bool

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
