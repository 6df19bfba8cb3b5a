import CommandKit
import PhoneProtocol
import Simulators

/// `howalarming-lab simulate calls`: a simulated provider of telephone calls on a loopback port, until SIGTERM, SIGINT or
/// `quit`.
struct SimulateCallsCommand: Command {
    private let port: UInt16
    /// nil: no such port.
    private let controlPort: UInt16?
    private let authorityFile: String?
    private let isTraced: Bool
    private var provider = CallPeer()

    static let entry = CommandEntry(
        laboratory: "simulate calls",
        """
        usage: howalarming-lab simulate calls [options]

        A provider of telephone calls on this machine, for trying 'calls' of a configuration out: TLS on 127.0.0.1 with a
        certificate of an authority that is made at each start. It has the two interfaces of the manual, at
        /flows/alarm/executions and /v3/voice/send. No telephone rings.

          --port N             the provider's port; 0 takes a free one (8444)
          --control-port N     a port that takes one verb per line; 0 takes a free one
                                 press NUMBER SECONDS   who is called there presses a key so long after
                                 status N               what requests for a call are answered; 201 takes them
                                 calls                  answers all calls as JSON
          --ca-out FILE        where to write the authority's certificate, for 'ca_file' of 'calls'
          --login USER:SECRET  whom it lets in (everybody)
          --trace              show the requests
        """
    ) { given throws(UsageError) in try SimulateCallsCommand(given) }

    private init(_ given: ParsedArguments) throws(UsageError) {
        port = try given.port("--port") ?? 8444
        controlPort = try given.port("--control-port")
        authorityFile = given.value("--ca-out")
        isTraced = given.has("--trace")
        provider.login = given.value("--login")
    }

    func run(on console: Console) -> Int32 {
        HTTPServiceCommand(
            name: "provider of calls", port: port, controlPort: controlPort, authorityFile: authorityFile,
            isTraced: isTraced, answer: Self.answer
        ).run(provider, on: console)
    }

    private static func answer(_ line: String, _ mount: HTTPServiceMount<CallPeer>) -> String {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("calls", 1):
            return JSON.array(
                mount.service.calls.map { .object(["number": .string($0.number), "words": .string($0.words)]) }
            ).text
        case ("press", 3):
            guard let seconds = Int(words[2]), (0...3600).contains(seconds) else { break }
            mount.step { provider, _, _ in provider.pressAfter[words[1]] = .seconds(seconds) }
            return "ok"
        case ("status", 2):
            guard let status = Int(words[1]), (200...599).contains(status) else { break }
            mount.step { provider, _, _ in provider.status = status }
            return "ok"
        case _: break
        }
        return "error: 'press NUMBER SECONDS', 'status N', 'calls' and 'quit' are what there is"
    }
}
