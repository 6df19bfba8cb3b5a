import AlarmModel

/// The arguments of `simulate push`.
struct SimulatePushOptions: Hashable, Sendable {
    var port: UInt16 = 5235
    /// nil: no such port.
    var phonesPort: UInt16?
    var controlPort: UInt16?
    var sender = ""
    var key = Secret("")
    var authorityFile: String?
    var scriptFile: String?
    var seed: UInt64 = 1
    /// Messages a minute that one device may get; nil: as the service has it.
    var deviceRate: Int?
    var isTraced = false
    /// Names and addresses that its certificate holds besides those of this machine and of the service.
    var names: [String] = []

    enum Misuse: Error, Hashable, Sendable, CustomStringConvertible {
        case help
        case unknown(String)
        case valueMissing(String)
        case badValue(option: String, expected: String)
        case missing(String)

        var description: String {
            switch self {
            case .help: SimulatePushOptions.usage
            case .unknown(let word): "'\(word)' is not an option of 'simulate push'"
            case .valueMissing(let option): "option '\(option)' needs a value"
            case .badValue(let option, let expected): "option '\(option)' takes \(expected)"
            case .missing(let option): "'simulate push' needs \(option)"
            }
        }
    }

    static let usage = """
        usage: howalarming-lab simulate push --sender ID --key KEY [options]

        Google's push service (FCM over XMPP) with its phones on this machine, for trying things out: TLS on 127.0.0.1
        with a certificate of an authority that is made at each start.

          --sender ID          the project number that logs in
          --key KEY            the server key that logs in
          --port N             the service's port; 0 takes a free one (5235)
          --phones-port N      a port for virtual phones, one JSON object per line; 0 takes a free one
          --control-port N     a port that takes one verb per line, such as 'drain'; 0 takes a free one
          --ca-out FILE        where to write the authority's certificate, for 'ca_file' of a client
          --script FILE        what happens to the service, with times
          --seed N             for what happens by chance (1)
          --device-rate N      messages a minute that one device may get, without a limit by the hour (240, 5000 an hour)
          --name HOST          a name or an address that clients reach it by, for its certificate; may be given again
          --trace              show the stanzas of both sides, without the key
        """

    init(_ arguments: [String]) throws(Misuse) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let option = parts[0]
            if option == "--help" || option == "-h" { throw .help }
            if option == "--trace", parts.count == 1 {
                isTraced = true
                continue
            }
            guard Self.withValue.contains(option) else { throw .unknown(argument) }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else { throw .valueMissing(option) }
            try take(option, value)
        }
        guard !sender.isEmpty else { throw .missing("--sender, the project number that is to log in") }
        guard !key.revealed.isEmpty else { throw .missing("--key, the server key that is to log in") }
    }

    private static let withValue = [
        "--port", "--phones-port", "--control-port", "--sender", "--key", "--ca-out", "--script", "--seed",
        "--device-rate", "--name",
    ]

    private mutating func take(_ option: String, _ value: String) throws(Misuse) {
        switch option {
        case "--port": port = try Self.port(option, value)
        case "--phones-port": phonesPort = try Self.port(option, value)
        case "--control-port": controlPort = try Self.port(option, value)
        case "--sender":
            guard !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw .badValue(option: option, expected: "a project number, digits only")
            }
            sender = value
        case "--key": key = Secret(value)
        case "--name":
            guard !value.isEmpty else { throw .badValue(option: option, expected: "a host's name or address") }
            names.append(value)
        case "--ca-out": authorityFile = value
        case "--script": scriptFile = value
        case "--seed":
            guard let number = UInt64(value) else { throw .badValue(option: option, expected: "a whole number") }
            seed = number
        case "--device-rate":
            guard let number = Int(value), (1...1_000_000).contains(number) else {
                throw .badValue(option: option, expected: "messages a minute, 1 to 1000000")
            }
            deviceRate = number
        default: throw .unknown(option)
        }
    }

    private static func port(_ option: String, _ value: String) throws(Misuse) -> UInt16 {
        guard let port = UInt16(value) else { throw .badValue(option: option, expected: "a port, 0 to 65535") }
        return port
    }
}
