import CommandKit
import PhoneProtocol
import Platform
import Simulators

/// `howalarming-lab simulate webpush`: a simulated push service of browsers on a loopback port, until SIGTERM, SIGINT or
/// `quit`.
struct SimulateWebPushCommand: Command {
    private let port: UInt16
    /// nil: no such port.
    private let controlPort: UInt16?
    private let authorityFile: String?
    private let seed: UInt64

    static let entry = CommandEntry(
        laboratory: "simulate webpush",
        """
        usage: howalarming-lab simulate webpush [options]

        A browser's push service on this machine, for trying things out: the box posts to it as to Mozilla's (RFC 8030,
        signed and encrypted as it has to be), and Firefox gets its pushes there when the preference dom.push.serverURL
        says wss://localhost:PORT/. TLS on 127.0.0.1 with a certificate of an authority that is made at each start;
        the box names it by 'hosts' and 'ca_file' in 'web_push'.

          --port N             the service's port; 0 takes a free one (8443)
          --control-port N     a port that takes one verb per line, such as 'truth', 'end' or 'status 503 3'; 0 takes a
                               free one
          --ca-out FILE        where to write the authority's certificate, for 'ca_file' of a client
          --seed N             for what happens by chance (1)
        """
    ) { given throws(UsageError) in try SimulateWebPushCommand(given) }

    private init(_ given: ParsedArguments) throws(UsageError) {
        port = try given.port("--port") ?? 8443
        controlPort = try given.port("--control-port")
        authorityFile = given.value("--ca-out")
        seed = try given.seed()
    }

    func run(on console: Console) -> Int32 {
        HTTPServiceCommand(
            name: "push service of browsers", port: port, controlPort: controlPort, authorityFile: authorityFile,
            opened: { mount, _ in
                BrowserPushService.settle(mount)
                return ("firefox=\(BrowserPushService.address(port: mount.port))", {})
            }, answer: Self.answer
        ).run(BrowserPushService.make(seed: seed), on: console)
    }

    /// A verb of `WebPushScript`; besides them `truth` answers what is really so as JSON.
    private static func answer(_ line: String, _ mount: HTTPServiceMount<WebPushSimulator>) -> String {
        if line == "truth" { return mount.service.truth.text }
        do throws(ScriptError) {
            let stimuli = try WebPushScript.parse(line, endpoints: mount.service.endpoints)
            mount.step { service, now, actions in
                for stimulus in stimuli { service.perform(stimulus, at: now, into: &actions) }
            }
            return "ok"
        } catch {
            return "error: column \(error.column): \(error.reason)"
        }
    }
}
