import AlarmModel
import Simulation

/// The arguments of `simulate ntfy`.
struct SimulateNtfyOptions: Hashable, Sendable {
    var port: UInt16 = 8443
    /// nil: no such port.
    var controlPort: UInt16?
    var authorityFile: String?
    var isEncrypted = true
    var server = NtfyServerSettings()
    var seed: UInt64 = 1

    enum Misuse: Error, Hashable, Sendable, CustomStringConvertible {
        case help
        case unknown(String)
        case valueMissing(String)
        case badValue(option: String, expected: String)

        var description: String {
            switch self {
            case .help: SimulateNtfyOptions.usage
            case .unknown(let word): "'\(word)' is not an option of 'simulate ntfy'"
            case .valueMissing(let option): "option '\(option)' needs a value"
            case .badValue(let option, let expected): "option '\(option)' takes \(expected)"
            }
        }
    }

    static let usage = """
        usage: howalarming-lab simulate ntfy [options]

        A topic server on this machine that speaks as ntfy does, for trying things out: TLS on 127.0.0.1 with a
        certificate of an authority that is made at each start.

          --port N             the server's port; 0 takes a free one (8443)
          --plain              without TLS
          --control-port N     a port that takes one verb per line, such as 'status 503 3'; 0 takes a free one
          --ca-out FILE        where to write the authority's certificate, for 'ca_file' of a client
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

    init(_ arguments: [String]) throws(Misuse) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts[0] {
            case "--help", "-h": throw .help
            case "--trace" where parts.count == 1: server.isTraced = true
            case "--plain" where parts.count == 1: isEncrypted = false
            case "--no-attachments" where parts.count == 1: server.takesAttachments = false
            case let option where Self.withValue.contains(option):
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else { throw .valueMissing(option) }
                try take(option, value)
            default: throw .unknown(argument)
            }
        }
    }

    private static let withValue = [
        "--port", "--control-port", "--ca-out", "--access", "--keepalive", "--quota", "--path", "--seed",
    ]

    private mutating func take(_ option: String, _ value: String) throws(Misuse) {
        switch option {
        case "--port": port = try Self.port(option, value)
        case "--control-port": controlPort = try Self.port(option, value)
        case "--ca-out": authorityFile = value
        case "--access": try grant(option, value)
        case "--keepalive":
            guard let seconds = Int(value), (1...3600).contains(seconds) else {
                throw .badValue(option: option, expected: "seconds, 1 to 3600")
            }
            server.keepalive = .seconds(seconds)
        case "--quota":
            guard let count = Int(value), count >= 0 else {
                throw .badValue(option: option, expected: "a number of messages")
            }
            server.quota = count
        case "--path":
            guard value.hasPrefix("/"), !value.hasSuffix("/") else {
                throw .badValue(option: option, expected: "a path that begins with a slash and does not end with one")
            }
            server.pathPrefix = value
        case "--seed":
            guard let number = UInt64(value) else { throw .badValue(option: option, expected: "a whole number") }
            seed = number
        default: throw .unknown(option)
        }
    }

    private mutating func grant(_ option: String, _ value: String) throws(Misuse) {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, ["r", "w", "rw"].contains(parts[2]) else {
            throw .badValue(option: option, expected: "TOKEN:TOPIC:RIGHTS, for example tk_box:alerts*:w")
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

    private static func port(_ option: String, _ value: String) throws(Misuse) -> UInt16 {
        guard let port = UInt16(value) else { throw .badValue(option: option, expected: "a port, 0 to 65535") }
        return port
    }
}
