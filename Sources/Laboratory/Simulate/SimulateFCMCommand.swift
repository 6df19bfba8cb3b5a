import AlarmModel
import CommandKit
import PhoneProtocol
import Platform
import Simulators

/// `howalarming-lab simulate fcm`: Google's sign-in, FCM's HTTP v1 and a Realtime Database on a loopback port, until SIGTERM,
/// SIGINT or `quit`.
struct SimulateFCMCommand: Command {
    private let port: UInt16
    /// nil: no such port.
    private let controlPort: UInt16?
    private let phonesPort: UInt16?
    /// Where phones put their messages.
    private let place: String
    private let project: String
    private let authorityFile: String?
    private let isTraced: Bool

    static let entry = CommandEntry(
        laboratory: "simulate fcm",
        """
        usage: howalarming-lab simulate fcm [options]

        Google's sign-in for service accounts (/token), FCM's HTTP v1 (/v1/projects/ID/messages:send) and a Realtime
        Database (any path that ends in .json) on this machine, for trying things out: TLS on 127.0.0.1 with a
        certificate of an authority that is made at each start. It takes any signature.

          --port N             the service's port; 0 takes a free one (8443)
          --control-port N     a port that takes one verb per line, such as 'send-error 503 UNAVAILABLE', 'truth' or
                               'put /up/box1 KEY {"command":"ping"}'; 0 takes a free one
          --phones-port N      a port for 'howalarming-lab simulate phone --push'; 0 takes a free one
          --place PATH         where these phones put their messages (/up/box1)
          --project ID         the only project that it knows (house-1)
          --ca-out FILE        where to write the authority's certificate, for 'ca_file' of a client
          --trace              show the requests, without tokens
        """
    ) { given throws(UsageError) in try SimulateFCMCommand(given) }

    private init(_ given: ParsedArguments) throws(UsageError) {
        port = try given.port("--port") ?? 8443
        controlPort = try given.port("--control-port")
        phonesPort = try given.port("--phones-port")
        place =
            try given.read("--place", "a path that begins with '/'") { $0.hasPrefix("/") ? $0 : nil } ?? "/up/box1"
        project = given.value("--project") ?? "house-1"
        authorityFile = given.value("--ca-out")
        isTraced = given.has("--trace")
    }

    func run(on console: Console) -> Int32 {
        HTTPServiceCommand(
            name: "fcm simulator", port: port, controlPort: controlPort,
            authorityFile: authorityFile, isTraced: isTraced,
            opened: phonesPort.map { port in
                { mount, loop in
                    let phones = try FCMPhonesPort(for: mount, place: place, port: port, on: loop)
                    return ("phones-port=\(phones.port)", { phones.close() })
                }
            }, answer: Self.answer
        ).run(FCMSimulator(settings: FCMServerSettings(projectID: project)), on: console)
    }

    private static func answer(_ line: String, _ mount: HTTPServiceMount<FCMSimulator>) -> String {
        if line == "truth" { return mount.service.truth.text }
        do throws(FCMScriptError) {
            let stimulus = try FCMScript.parseStimulus(line)
            mount.step { $0.perform(stimulus, at: $1, into: &$2) }
            return "ok"
        } catch {
            return "error: \(error)"
        }
    }
}
