import AlarmModel
import PhoneProtocol
package import Platform
import Simulators

/// The way to steer a simulated panel from outside: a loopback port that takes one verb of a script per line and answers
/// each with one line, `ok` or `error: column N: …`. Confined to the loop's thread.
///
/// Besides the verbs of `PanelScript`: `truth` answers the panel's own state as JSON, `flood N` toggles zones N times a
/// second (0 ends it), `quit` ends the program.
package final class PanelControlPort {
    package let port: UInt16
    private let listener: Listener
    private let server: PanelServer
    private let onQuit: () -> Void
    private static let lineLimit = 4096

    /// Listens at once; port 0 takes a free one.
    package init(
        for server: PanelServer, port wanted: UInt16, on loop: EventLoop, onQuit: @escaping () -> Void
    ) throws(SystemError) {
        self.server = server
        self.onQuit = onQuit
        var welcome: ((Stream) -> Void)?
        guard let address = IPAddress(bytes: [127, 0, 0, 1]) else { preconditionFailure("four bytes are an address") }
        listener = try Listener(loopback: Endpoint(address: address, port: wanted), on: loop) { welcome?($0) }
        port = listener.port
        welcome = { [weak self] stream in self?.accepted(stream) }
    }

    package func close() { listener.close() }

    private func accepted(_ stream: Stream) {
        var partial: [UInt8] = []
        stream.onReceived = { [weak self, weak stream] bytes in
            guard let self, let stream else { return }
            for byte in bytes {
                guard byte == UInt8(ascii: "\n") else {
                    partial.append(byte)
                    continue
                }
                let line = partial
                partial = []
                answer(line, to: stream)
            }
            if partial.count > Self.lineLimit {
                stream.send(Array("error: column \(Self.lineLimit): the line is too long\n".utf8))
                stream.close()
            }
        }
    }

    private func answer(_ bytes: [UInt8], to stream: Stream) {
        let line = String(decoding: bytes.last == 13 ? bytes.dropLast() : bytes[...], as: UTF8.self)
        let words = line.split(separator: " ")
        guard !words.isEmpty else { return }
        stream.send(Array("\(answer(line, words))\n".utf8))
        guard words == ["quit"] else { return }
        stream.close()
        onQuit()
    }

    /// One verb and what is said to it.
    func answer(_ line: String, _ words: [Substring]) -> String {
        if words == ["quit"] { return "ok" }
        switch server.machine {
        case .transcript: return "error: column 1: a transcript is played; only 'quit' is understood"
        case .panel: break
        }
        if words == ["truth"] {
            guard let json = try? JSON.encoding(server.truth) else {
                return "error: column 1: the panel's state cannot be written down"
            }
            return json.text
        }
        if words[0] == "flood" {
            guard words.count == 2, let rate = Int(words[1]), (0...100_000).contains(rate) else {
                return "error: column 7: 'flood' takes a number of changes a second, 0 to 100000"
            }
            server.flood(changesPerSecond: rate)
            return "ok"
        }
        do throws(ScriptError) {
            server.perform(try PanelScript.parseStimulus(line))
            return "ok"
        } catch {
            return "error: column \(error.column): \(error.reason)"
        }
    }
}
