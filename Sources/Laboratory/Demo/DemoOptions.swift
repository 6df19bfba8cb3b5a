/// The arguments of `demo`.
struct DemoOptions: Hashable, Sendable {
    var isFast = false
    var keeps = false
    /// Where the configuration is written, too.
    var configurationFile: String?

    enum Misuse: Error, Hashable, Sendable, CustomStringConvertible {
        case help
        case unknown(String)
        case valueMissing(String)

        var description: String {
            switch self {
            case .help: DemoOptions.usage
            case .unknown(let word): "'\(word)' is not an option of 'demo'"
            case .valueMissing(let option): "option '\(option)' needs a value"
            }
        }
    }

    static let usage = """
        usage: howalarming-lab demo [--fast] [--keep] [--config-out FILE]

        A simulated house, push service and phone around the real daemon, as programs of their own that speak over real
        sockets: a day in little more than a minute. Needs no panel, no phone, no rights and no network, and changes
        nothing outside a new directory under $TMPDIR.

          --fast              without pauses, about a minute, for tests; the directory is removed at the end
          --keep              keep it all the same
          --config-out FILE   write the configuration that is used to FILE, too, and the authority of its push service
                              to FILE.pem
        """

    init(_ arguments: [String]) throws(Misuse) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": throw .help
            case "--fast": isFast = true
            case "--keep": keeps = true
            case "--config-out":
                guard let file = rest.popFirst() else { throw .valueMissing(argument) }
                configurationFile = file
            case _ where argument.hasPrefix("--config-out="): configurationFile = String(argument.dropFirst(13))
            default: throw .unknown(argument)
            }
        }
    }
}
