package import AlarmModel
import Glibc
import Platform

/// Draws a code with the program qrencode. The code goes through its standard input, where nobody else can read it.
package enum QRPicture {
    package enum Result: Equatable, Sendable {
        case rows([String])
        /// The same of a link that opens the app.
        case link([String])
        /// A sentence for people.
        case none(String)
    }

    private static let name = "qrencode"
    /// Light dots around.
    package static let margin = 4
    private static let patience = Duration.seconds(5)

    /// Columns and rows that a screen of 80 by 24 has for a picture with words beside it.
    private static let room = (columns: 49, rows: 23)

    /// The link where there is one that such a screen can hold, if need be with half of the light border, which cameras
    /// can do with; else the code alone.
    package static func draw(link: Secret?, code: Secret) -> Result {
        draw(link: link, code: code) { draw($0, margin: $1) }
    }

    static func draw(link: Secret?, code: Secret, with draw: (Secret, Int) -> Result) -> Result {
        if let link {
            for margin in [margin, margin / 2] {
                guard case .rows(let rows) = draw(link, margin) else { break }
                if rows.count <= room.rows, rows.allSatisfy({ $0.count <= room.columns }) { return .link(rows) }
            }
        }
        return draw(code, margin)
    }

    package static func draw(_ code: Secret, margin: Int = margin) -> Result {
        guard let program = program(in: getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin") else {
            return .none("There is no picture: install qrencode ('apt install qrencode'), then begin again.")
        }
        do throws(SystemError) {
            let loop = try EventLoop()
            var rows: [String] = []
            var end: ChildProcess.End?
            // Level L: 33 dots and four light ones around make 41 columns and 21 rows.
            let child = try ChildProcess(
                program, ["-t", "UTF8", "-l", "L", "-m", "\(margin)", "-o", "-"], input: Array(code.revealed.utf8),
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
