import PhoneProtocol

/// `howalarming-lab simulate panel` on free ports, steered through its control port.
final class PanelProcess: Steered {
    let program: Program
    let port: UInt16
    let controlPort: UInt16
    let control: LineClient

    /// `arguments` are added to those for the ports.
    init(in directory: TestDirectory, name: String = "panel", arguments: [String] = []) throws {
        program = try Program(
            name, ["simulate", "panel", "--port", "0", "--control-port", "0"] + arguments, in: directory)
        let line = try program.waitForLine(containing: "panel simulator listens on")
        let ports = line.split(whereSeparator: { $0 == ":" || $0 == "," || $0 == " " }).compactMap { UInt16($0) }
        guard ports.count == 2 else { throw HarnessError("no two ports in \"\(line)\"") }
        port = ports[0]
        controlPort = ports[1]
        control = try LineClient(port: ports[1])
    }

    /// Something happens in the house; must be taken.
    func house(_ verb: String) throws { try perform(verb) }
}
