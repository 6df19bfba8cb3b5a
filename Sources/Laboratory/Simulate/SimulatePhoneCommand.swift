import AlarmModel
import CommandKit
import Companion
import Glibc
import Platform
import Simulators

/// `howalarming-lab simulate phone`: a virtual phone on a terminal, or driven by words, until `quit`, the end of the words,
/// SIGTERM or SIGINT.
struct SimulatePhoneCommand: Command {
    /// The phones' port of a simulated push service.
    private let push: Endpoint
    /// A pairing code to begin with.
    private let code: Secret?
    private let name: String
    private let stateFile: String?
    /// Words from standard input instead of keys.
    private let isScripted: Bool

    static let entry = CommandEntry(
        laboratory: "simulate phone", missing: "takes a value",
        """
        usage: howalarming-lab simulate phone --push HOST:PORT [options]

        A phone with the app, on a simulated push service: it pairs, keeps its own log and state, closes gaps and gives
        signed commands. On a terminal keys do that; otherwise words from standard input, one per line, and every answer
        is one line.

          --push HOST:PORT     the phones' port of 'howalarming-lab simulate push' or 'fcm'; HOST is an address
          --code TEXT          pair with this code at once
          --name NAME          what the phone calls itself, 1 to 32 bytes
          --state FILE         keep keys and log there (mode 0600), so that the phone survives a restart
          --script -           read words even on a terminal

        words: pair CODE, digits, ping, sync, snapshot, prepare, arm [away|stay|zero-entry], disarm,
               bypass ZONE [off], panic fire|ambulance|police, output N, seen, leave, list names|phones|channels,
               log, state, offline, online, wait-for TEXT, quit
        """
    ) { given throws(UsageError) in try SimulatePhoneCommand(given) }

    private init(_ given: ParsedArguments) throws(UsageError) {
        let push = try given.read("--push", "an address and a port, such as 127.0.0.1:5236") { Self.endpoint($0) }
        code = given.value("--code").map { Secret($0) }
        name =
            try given.read("--name", "1 to 32 bytes") { (1...32).contains($0.utf8.count) ? $0 : nil }
            ?? "Virtual phone"
        stateFile = given.value("--state")
        isScripted = try given.read("--script", "-, for standard input") { $0 == "-" ? true : nil } ?? false
        guard let push else {
            throw given.misuse(
                "'simulate phone' needs --push HOST:PORT, the phones' port of 'simulate push' or 'simulate fcm'")
        }
        self.push = push
    }

    private static func endpoint(_ text: String) -> Endpoint? {
        guard let mark = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: mark)...]), port > 0 else {
            return nil
        }
        let host = text[..<mark]
        return IPAddress(host == "localhost" ? "127.0.0.1" : String(host)).map { Endpoint(address: $0, port: port) }
    }

    func run(on console: Console) -> Int32 {
        LoopCommand.serve(on: console) { loop in
            let file = try PhoneKeyFile(stateFile)
            let shell = try PhoneShell(file, name: name, push: push, on: loop)
            var status: Int32 = 0
            shell.onQuit = { loop.stop() }
            var failure: String?
            shell.onFailure = { why in
                failure = why
                loop.stop()
            }
            let screen = isScripted ? nil : PhoneScreen()
            let words = PhoneWords(for: shell, on: loop)
            words.onEnd = { code in
                status = code
                loop.stop()
            }
            let window = screen.map { PhoneWindow($0, for: shell, on: loop, name: name) }
            if let window { try window.open() } else { try words.open() }
            if let code { shell.perform(.pair(code.revealed)) }
            shell.connect()
            loop.run()
            window?.close()
            shell.close()
            if let failure {
                console.complain(failure)
                return 1
            }
            return status
        }
    }
}
