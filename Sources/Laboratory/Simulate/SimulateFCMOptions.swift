/// The arguments of `simulate fcm`.
struct SimulateFCMOptions: Hashable, Sendable {
    var port: UInt16 = 8443
    /// nil: no such port.
    var controlPort: UInt16?
    /// nil: no such port.
    var phonesPort: UInt16?
    /// Where phones put their messages.
    var place = "/up/box1"
    var project = "house-1"
    var authorityFile: String?
    var isTraced = false

    enum Misuse: Error, Hashable, Sendable, CustomStringConvertible {
        case help
        case unknown(String)
        case valueMissing(String)
        case badPort(String)
        case badPlace(String)

        var description: String {
            switch self {
            case .help: SimulateFCMOptions.usage
            case .unknown(let word): "'\(word)' is not an option of 'simulate fcm'"
            case .valueMissing(let option): "option '\(option)' needs a value"
            case .badPort(let option): "option '\(option)' takes a port, 0 to 65535"
            case .badPlace(let option): "option '\(option)' takes a path that begins with '/'"
            }
        }
    }

    static let usage = """
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
            guard ["--port", "--control-port", "--phones-port", "--place", "--project", "--ca-out"].contains(option)
            else {
                throw .unknown(argument)
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else { throw .valueMissing(option) }
            switch option {
            case "--port": port = try Self.port(option, value)
            case "--control-port": controlPort = try Self.port(option, value)
            case "--phones-port": phonesPort = try Self.port(option, value)
            case "--place":
                guard value.hasPrefix("/") else { throw .badPlace(option) }
                place = value
            case "--project": project = value
            default: authorityFile = value
            }
        }
    }

    private static func port(_ option: String, _ value: String) throws(Misuse) -> UInt16 {
        guard let port = UInt16(value) else { throw .badPort(option) }
        return port
    }
}
