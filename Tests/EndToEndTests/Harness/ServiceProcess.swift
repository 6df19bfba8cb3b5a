/// One of the services that `howalarming-lab simulate` plays, on free ports, steered through its control port.
class ServiceProcess: Steered {
    let program: Program
    let port: UInt16
    /// The authority's certificate.
    let authorityFile: String
    private let line: String
    let control: LineClient

    /// - Parameters:
    ///   - service: as `simulate` calls it
    ///   - mark: how the line begins that tells its ports
    ///   - arguments: added to those for the ports
    init(_ service: String, mark: String, in directory: TestDirectory, name: String, arguments: [String]) throws {
        authorityFile = "\(directory.path)/\(name)-ca.pem"
        program = try Program(
            name, ["simulate", service, "--port", "0", "--control-port", "0", "--ca-out", authorityFile] + arguments,
            in: directory)
        line = try program.waitForLine(containing: mark)
        port = try Self.port("port", in: line)
        control = try LineClient(port: try Self.port("control-port", in: line))
    }

    /// One that the first line tells.
    func port(_ key: String) throws -> UInt16 { try Self.port(key, in: line) }

    private static func port(_ key: String, in line: String) throws -> UInt16 {
        let pair = line.split(separator: " ").first { $0.hasPrefix("\(key)=") }
        guard let pair, let port = UInt16(pair.dropFirst(key.count + 1)) else {
            throw HarnessError("no \(key) in \"\(line)\"")
        }
        return port
    }
}
