import PhoneProtocol

/// A simulator that is steered through its control port.
protocol Steered {
    var control: LineClient { get }
}

extension Steered {
    /// What the control port answers to a verb.
    func answer(_ verb: String) throws -> String {
        control.sendLine(verb)
        return try control.readLine()
    }

    /// Something happens there; must be taken.
    func perform(_ verb: String) throws {
        let answer = try answer(verb)
        guard answer == "ok" else { throw HarnessError("'\(verb)' was not taken: \(answer)") }
    }

    /// What is really so there.
    func truth() throws -> JSON { try JSON(parsing: try answer("truth")) }
}
