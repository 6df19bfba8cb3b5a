package import AlarmModel
import Glibc
import Platform

/// Draws a code with the program qrencode. The code goes through its standard input, where nobody else can read it.
package enum QRPicture {
    package enum Result: Hashable, Sendable {
        case rows([String])
        /// A sentence for people.
        case none(String)
    }

    private static let name = "qrencode"
    private static let patience = Duration.seconds(5)

    package static func draw(_ code: Secret) -> Result {
        guard let program = program(in: getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin") else {
            return .none("There is no picture: install qrencode ('apt install qrencode'), then begin again.")
        }
        do throws(SystemError) {
            let loop = try EventLoop()
            var rows: [String] = []
            var end: ChildProcess.End?
            // Level L and four light dots around: 33 dots make 41 columns and 21 rows.
            let child = try ChildProcess(
                program, ["-t", "UTF8", "-l", "L", "-m", "4", "-o", "-"], input: Array(code.revealed.utf8),
                output: .lines, on: loop)
            child.onLine = { source, line in if source == .output { rows.append(line) } }
            child.onEnd = {
                end = $0
                loop.stop()
            }
            let timer = loop.setTimer(after: patience) { child.kill() }
            loop.run()
            loop.cancel(timer)
            guard end == .exited(0), !rows.isEmpty else { return .none("There is no picture: qrencode failed.") }
            return .rows(rows)
        } catch {
            return .none("There is no picture: qrencode cannot be started (\(error)).")
        }
    }

    static func program(in path: String) -> String? {
        path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
