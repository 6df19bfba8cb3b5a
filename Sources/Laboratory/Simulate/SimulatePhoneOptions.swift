import AlarmModel

/// The arguments of `simulate phone`.
struct SimulatePhoneOptions: Hashable, Sendable {
    /// The phones' port of a simulated push service.
    var push: Endpoint
    /// A pairing code to begin with.
    var code: Secret?
    var name = "Virtual phone"
    var stateFile: String?
    /// Words from standard input instead of keys.
    var isScripted = false

    enum Misuse: Error, Hashable, Sendable, CustomStringConvertible {
        case help
        case unknown(String)
        case badValue(option: String, expected: String)
        case pushMissing

        var description: String {
            switch self {
            case .help: SimulatePhoneOptions.usage
            case .unknown(let word): "'\(word)' is not an option of 'simulate phone'"
            case .badValue(let option, let expected): "option '\(option)' takes \(expected)"
            case .pushMissing:
                "'simulate phone' needs --push HOST:PORT, the phones' port of 'simulate push' or 'simulate fcm'"
            }
        }
    }

    static let usage = """
        usage: howalarming-lab simulate phone --push HOST:PORT [options]

        A phone with the app, on a simulated push service: it pairs, keeps its own log and state, closes gaps and gives
        signed commands. On a terminal keys do that; otherwise words from standard input, one per line, and every answer
        is one line.

          --push HOST:PORT     the phones' port of 'howalarming-lab simulate push' or 'fcm'; HOST is an address
          --code TEXT          pair with this code at once
          --name NAME          what the phone calls itself, 1 to 32 bytes
          --state FILE         keep keys and log there (mode 0600), so that the phone survives a restart
          --script -           read words even on a terminal

        words: pair CODE, digits, ping, sync, snapshot, arm [away|stay|zero-entry], disarm, bypass ZONE [off],
               panic fire|ambulance|police, output N, seen, leave, log, state, offline, online, wait-for TEXT, quit
        """

    init(_ arguments: [String]) throws(Misuse) {
        var rest = arguments[...]
        var push: Endpoint?
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let option = parts[0]
            if option == "--help" || option == "-h" { throw .help }
            guard ["--push", "--code", "--name", "--state", "--script"].contains(option) else {
                throw .unknown(argument)
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                throw .badValue(option: option, expected: "a value")
            }
            switch option {
            case "--push":
                guard let endpoint = Self.endpoint(value) else {
                    throw .badValue(option: option, expected: "an address and a port, such as 127.0.0.1:5236")
                }
                push = endpoint
            case "--code": code = Secret(value)
            case "--name":
                guard (1...32).contains(value.utf8.count) else {
                    throw .badValue(option: option, expected: "1 to 32 bytes")
                }
                name = value
            case "--state": stateFile = value
            case _:
                guard value == "-" else { throw .badValue(option: option, expected: "-, for standard input") }
                isScripted = true
            }
        }
        guard let push else { throw .pushMissing }
        self.push = push
    }

    private static func endpoint(_ text: String) -> Endpoint? {
        guard let mark = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: mark)...]), port > 0 else {
            return nil
        }
        let host = text[..<mark]
        return IPAddress(host == "localhost" ? "127.0.0.1" : String(host)).map { Endpoint(address: $0, port: port) }
    }
}
