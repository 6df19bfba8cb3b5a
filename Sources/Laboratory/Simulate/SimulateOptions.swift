import AlarmModel

/// The arguments of `simulate panel`.
struct SimulateOptions: Hashable, Sendable {
    var port: UInt16 = 4025
    /// nil: no control port.
    var controlPort: UInt16?
    var scriptFile: String?
    var transcriptFile: String?
    var seed: UInt64 = 1
    var password: Secret?
    var masterCode: Secret?
    var isTraced = false
    /// Changes a second; 0: none.
    var flood = 0
    /// nil: as the house has them.
    var exitDelay: Duration?
    var entryDelay: Duration?
    var bellTime: Duration?

    enum Misuse: Error, Hashable, Sendable, CustomStringConvertible {
        case help
        case unknown(String)
        case valueMissing(String)
        case badValue(option: String, expected: String)
        case twoSources

        var description: String {
            switch self {
            case .help: SimulateOptions.usage
            case .unknown(let word): "'\(word)' is not an option of 'simulate panel'"
            case .valueMissing(let option): "option '\(option)' needs a value"
            case .badValue(let option, let expected): "option '\(option)' takes \(expected)"
            case .twoSources: "choose one of --script and --transcript"
            }
        }
    }

    static let usage = """
        usage: howalarming-lab simulate panel [options]

        A DSC panel with an EnvisaLink module on this machine, for trying things out: point 'panel.host' of a
        configuration at 127.0.0.1 and its port. Two partitions, ten zones, as in howalarming.example.yaml.

          --port N             the module's port; 0 takes a free one (4025)
          --control-port N     a port that takes one verb per line, such as 'open 3'; 0 takes a free one
          --script FILE        what happens to the house, with times
          --transcript FILE    play a recorded session instead
          --seed N             for the faults that happen by chance (1)
          --password P         of the simulated module (user)
          --master-code C      of the simulated panel, 4 or 6 digits; then every code has so many (1234)
          --exit-delay S       seconds (60)
          --entry-delay S      seconds (30)
          --bell-time S        seconds (240)
          --flood N            toggle zones N times a second, for ever
          --trace              show the lines of both sides
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
        if scriptFile != nil, transcriptFile != nil { throw .twoSources }
    }

    private static let withValue = [
        "--port", "--control-port", "--script", "--transcript", "--seed", "--password", "--master-code", "--exit-delay",
        "--entry-delay", "--bell-time", "--flood",
    ]

    private mutating func take(_ option: String, _ value: String) throws(Misuse) {
        switch option {
        case "--port": port = try Self.port(option, value)
        case "--control-port": controlPort = try Self.port(option, value)
        case "--script": scriptFile = value
        case "--transcript": transcriptFile = value
        case "--seed":
            guard let number = UInt64(value) else { throw .badValue(option: option, expected: "a whole number") }
            seed = number
        case "--password": password = Secret(value)
        case "--master-code":
            guard [4, 6].contains(value.utf8.count), value.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw .badValue(option: option, expected: "4 or 6 digits")
            }
            masterCode = Secret(value)
        case "--exit-delay": exitDelay = try Self.seconds(option, value)
        case "--entry-delay": entryDelay = try Self.seconds(option, value)
        case "--bell-time": bellTime = try Self.seconds(option, value)
        case "--flood":
            guard let number = Int(value), (0...100_000).contains(number) else {
                throw .badValue(option: option, expected: "changes a second, 0 to 100000")
            }
            flood = number
        default: throw .unknown(option)
        }
    }

    private static func port(_ option: String, _ value: String) throws(Misuse) -> UInt16 {
        guard let port = UInt16(value) else { throw .badValue(option: option, expected: "a port, 0 to 65535") }
        return port
    }

    private static func seconds(_ option: String, _ value: String) throws(Misuse) -> Duration {
        guard let number = Double(value), number >= 0, number <= 86_400 else {
            throw .badValue(option: option, expected: "seconds, 0 to 86400")
        }
        return .milliseconds(Int64(number * 1000))
    }
}
