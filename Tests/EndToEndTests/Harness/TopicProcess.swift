import PhoneProtocol

/// `howalarming simulate ntfy` on free ports, steered through its control port.
final class TopicProcess {
    let program: Program
    let port: UInt16
    /// The authority's certificate.
    let authorityFile: String
    private let control: LineClient

    /// `arguments` are added to those for the ports.
    init(in directory: TestDirectory, name: String = "topics", arguments: [String] = []) throws {
        authorityFile = "\(directory.path)/\(name)-ca.pem"
        program = try Program(
            name,
            ["simulate", "ntfy", "--port", "0", "--control-port", "0", "--ca-out", authorityFile] + arguments,
            in: directory)
        let line = try program.waitForLine(containing: "topic server listens:")
        func value(_ key: String) throws -> UInt16 {
            let pair = line.split(separator: " ").first { $0.hasPrefix("\(key)=") }
            guard let pair, let port = UInt16(pair.dropFirst(key.count + 1)) else {
                throw HarnessError("no \(key) in \"\(line)\"")
            }
            return port
        }
        port = try value("port")
        control = try LineClient(port: try value("control-port"))
    }

    /// What the control port answers to a verb.
    func answer(_ verb: String) throws -> String {
        control.sendLine(verb)
        return try control.readLine()
    }

    /// Something happens at the server; must be taken.
    func perform(_ verb: String) throws {
        let answer = try answer(verb)
        guard answer == "ok" else { throw HarnessError("'\(verb)' was not taken: \(answer)") }
    }

    /// What is really so there.
    func truth() throws -> JSON { try JSON(parsing: try answer("truth")) }
}
