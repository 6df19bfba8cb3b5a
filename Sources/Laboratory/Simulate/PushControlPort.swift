import AlarmModel
import PhoneProtocol
import Platform
import Simulators

/// The way to steer a simulated push service from outside: a loopback port that takes one verb of a script per line and
/// answers each with one line, `ok` or `error: column N: …`. Confined to the loop's thread.
///
/// Besides the verbs of `PushScript`: `truth` answers what is really so as JSON, `quit` ends the program.
final class PushControlPort {
    var port: UInt16 { lines.port }
    private let lines: LoopbackLines

    /// Listens at once; port 0 takes a free one.
    init(
        for server: PushServer, port wanted: UInt16, on loop: EventLoop, onQuit: @escaping () -> Void
    ) throws(SystemError) {
        lines = try LoopbackLines(port: wanted, on: loop)
        lines.onLine = { client, line in
            let words = line.split(separator: " ")
            guard !words.isEmpty else { return }
            client.send(Self.answer(line, words, server))
            guard words == ["quit"] else { return }
            client.close()
            onQuit()
        }
    }

    func close() { lines.close() }

    private static func answer(_ line: String, _ words: [Substring], _ server: PushServer) -> String {
        if words == ["quit"] { return "ok" }
        if words == ["truth"] {
            guard let json = try? JSON.encoding(server.machine.truth) else {
                return "error: column 1: the service's state cannot be written down"
            }
            return json.text
        }
        do throws(ScriptError) {
            server.perform(try PushScript.parseStimulus(line))
            return "ok"
        } catch {
            return "error: column \(error.column): \(error.reason)"
        }
    }
}
