import AlarmModel
import CommandKit

/// `keys`: presses keys of a keypad.
struct KeysCommand: Command, Equatable {
    /// From standard input; else they are asked for without echo.
    var isPiped = false
    var partition = 1
    var allowInstaller = false
    var stateDirectory: String

    static let entry = CommandEntry(
        "keys", "[-]", in: .acting, brief: "press keys of a keypad",
        """
        Presses keys (0-9 * #, at most \(PanelCommand.keyLimit)) as on a keypad. Keys may hold a code: they are asked for
        on the terminal without echo, or read from standard input with '-', and never taken as an argument.

        --partition N      partition 1 to 8 (1)
        --allow-installer  let *8 (installer programming) through

        howalarming keys
        howalarming keys - < keys.txt
        """
    ) { given throws(UsageError) in
        guard given.operand(0) ?? "-" == "-" else {
            throw given.misuse(
                "keys may hold a code and are never taken from the command line, because everybody on this machine "
                    + "can read it there; type them when asked, or give '-' and pipe them in")
        }
        return KeysCommand(
            isPiped: given.operand(0) != nil, partition: try given.number("--partition", in: 1...8) ?? 1,
            allowInstaller: given.has("--allow-installer"), stateDirectory: given.stateDirectory)
    }

    func run(on console: Console) -> Int32 {
        do throws(SecretInputError) {
            let keys = isPiped ? try SecretInput.standardInput() : try SecretInput.terminal("Keys")
            guard Self.areKeys(keys) else {
                console.complain("keys are 1 to \(PanelCommand.keyLimit) of 0-9 * #; nothing was sent")
                return ExitStatus.failed
            }
            return OrderCommand.send(
                .keys(partition: partition, keys: keys, allowInstaller: allowInstaller), code: nil, in: stateDirectory,
                on: console)
        } catch {
            console.complain(error.description)
            return ExitStatus.failed
        }
    }

    static func areKeys(_ keys: Secret) -> Bool {
        let bytes = keys.revealed.utf8
        return (1...PanelCommand.keyLimit).contains(bytes.count)
            && bytes.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "#") }
    }
}
