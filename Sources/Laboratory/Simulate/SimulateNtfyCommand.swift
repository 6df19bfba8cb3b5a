import AlarmModel
import CommandKit
import PhoneProtocol
import Platform
import Simulators

/// `howalarming-lab simulate ntfy`: a simulated topic server on a loopback port, until SIGTERM, SIGINT or `quit`.
struct SimulateNtfyCommand: Command {
    private let port: UInt16
    /// nil: no such port.
    private let controlPort: UInt16?
    private let authorityFile: String?
    private let isEncrypted: Bool
    private let takesPlain: Bool
    private var server = NtfyServerSettings()
    private let seed: UInt64
    private let names: [String]

    static let entry = CommandEntry(
        laboratory: "simulate ntfy",
        """
        usage: howalarming-lab simulate ntfy [options]

        A topic server on this machine that speaks as ntfy does, for trying things out: TLS on 127.0.0.1 with a
        certificate of an authority that is made at each start.

          --port N             the server's port; 0 takes a free one (8443)
          --plain              without TLS
          --plain-too          with TLS and without, at the same port, for a web page on this machine
          --control-port N     a port that takes one verb per line, such as 'status 503 3'; 0 takes a free one
          --ca-out FILE        where to write the authority's certificate, for 'ca_file' of a client
          --name HOST          a name or an address that clients reach it by, for its certificate; may be given again
          --access TOKEN:TOPIC:RIGHTS
                               what a token may do: rights are r, w or rw; a * at the topic's end stands for anything.
                               With the first one, nobody may do anything without a token. May be given several times
          --keepalive SECONDS  between signs of life on streams (45)
          --quota N            messages that may be published until the quota is used up
          --no-attachments     a message that is too long is refused; otherwise it becomes a file
          --path PREFIX        in front of every path, such as /ntfy
          --seed N             for what happens by chance (1)
          --trace              show the requests
        """
    ) { given throws(UsageError) in try SimulateNtfyCommand(given) }

    private init(_ given: ParsedArguments) throws(UsageError) {
        port = try given.port("--port") ?? 8443
        controlPort = try given.port("--control-port")
        authorityFile = given.value("--ca-out")
        isEncrypted = !given.has("--plain")
        takesPlain = given.has("--plain-too")
        seed = try given.seed()
        names = given.values("--name")
        guard !names.contains("") else { throw given.misuse("option '--name' takes a host's name or address") }
        server.isTraced = given.has("--trace")
        server.takesAttachments = !given.has("--no-attachments")
        for text in given.values("--access") { try grant(text, given) }
        if let seconds = try given.read("--keepalive", "seconds, 1 to 3600", in: 1...3600) {
            server.keepalive = .seconds(seconds)
        }
        server.quota = try given.read("--quota", "a number of messages", in: 0...Int.max)
        let path = try given.read("--path", "a path that begins with a slash and does not end with one") {
            $0.hasPrefix("/") && !$0.hasSuffix("/") ? $0 : nil
        }
        server.pathPrefix = path ?? server.pathPrefix
    }

    private mutating func grant(_ text: String, _ given: ParsedArguments) throws(UsageError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, ["r", "w", "rw"].contains(parts[2]) else {
            throw given.misuse("option '--access' takes TOKEN:TOPIC:RIGHTS, for example tk_box:alerts*:w")
        }
        let grant = NtfyServerSettings.Grant(
            parts[1], mayRead: parts[2].contains("r"), mayWrite: parts[2].contains("w"))
        let token = Secret(parts[0])
        server.everybodyMay = false
        if let index = server.accounts.firstIndex(where: { $0.token == token }) {
            server.accounts[index].grants.append(grant)
        } else {
            server.accounts.append(NtfyServerSettings.Account(token: token, grants: [grant]))
        }
    }

    func run(on console: Console) -> Int32 {
        HTTPServiceCommand(
            name: "topic server", port: port, controlPort: controlPort,
            authorityFile: authorityFile, isEncrypted: isEncrypted, takesPlain: takesPlain,
            isTraced: server.isTraced, names: names, answer: Self.answer
        ).run(NtfySimulator(settings: server, seed: seed), on: console)
    }

    /// A verb of `NtfyScript`; besides them `truth` answers what is really so as JSON.
    private static func answer(_ line: String, _ mount: HTTPServiceMount<NtfySimulator>) -> String {
        if line == "truth" {
            guard let json = try? JSON.encoding(mount.service.truth) else {
                return "error: column 1: the server's state cannot be written down"
            }
            return json.text
        }
        do throws(ScriptError) {
            let stimulus = try NtfyScript.parseStimulus(line)
            mount.step { $0.perform(stimulus, at: $1, into: &$2) }
            return "ok"
        } catch {
            return "error: column \(error.column): \(error.reason)"
        }
    }
}
