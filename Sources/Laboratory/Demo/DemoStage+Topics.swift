import AlarmModel
import PhoneProtocol
import Platform

/// The topic server and the store app that listens there.
extension DemoStage {
    var hasTopics: Bool { topics != nil }

    /// Starts the simulated topic server, which writes its authority's certificate to `authorityFile`; its port.
    /// - Parameter takesPlain: pages of this machine may come without TLS
    func startTopics(authorityFile: String, takesPlain: Bool) throws -> UInt16 {
        let server = try start(
            "simulated topic server",
            ["simulate", "ntfy", "--port", "0", "--control-port", "0", "--ca-out", authorityFile]
                + (takesPlain ? ["--plain-too"] : []))
        guard try wait(until: { !server.first.isEmpty }) else { throw DemoEnd.noAnswer("the simulated topic server") }
        let ports = server.first[0].split(separator: " ").filter { $0.contains("port=") }
            .compactMap { $0.split(separator: "=").last.flatMap { UInt16($0) } }
        guard ports.count == 2, let address = IPAddress(bytes: [127, 0, 0, 1]) else {
            throw DemoEnd.failed("the simulated topic server said something unexpected: \(server.first[0])")
        }
        topics = try steer("the simulated topic server", Endpoint(address: address, port: ports[1]))
        return ports[0]
    }

    /// All that was published, oldest first: title and text.
    func topicMessages() throws -> [String] {
        let answer = try tell(topics, "truth", "the simulated topic server")
        let messages = (try? JSON(parsing: answer))?["messages"]?.arrayValue ?? []
        return messages.map { message in
            "\(message["title"]?.stringValue ?? ""): \(message["message"]?.stringValue ?? "")"
        }
    }

    /// `howalarming phones pair --ntfy`, and the digits that arrive in the topic.
    func pairStoreApp(_ person: String, name: String) throws {
        let pairing = try start(
            "phones pair --ntfy",
            ["phones", "pair", "--ntfy", "--person", person, "--name", name, "--state", directory])
        pairing.onLine = { [weak self] line in
            if line.contains("topic") || line.contains("server") { self?.onLine?(.box, line) }
        }
        var digits: String?
        let end = SystemClock.bootTime() + Self.patience
        while digits == nil, SystemClock.bootTime() < end {
            try rest(.milliseconds(50))
            let code = try topicMessages().last?.split(separator: " ").first { $0.hasSuffix(":") && $0.utf8.count == 7 }
            digits = code.map { String($0.dropLast()) }
        }
        guard let digits else { throw DemoEnd.noAnswer("'howalarming phones pair --ntfy'") }
        onLine?(.box, "> howalarming phones confirm \(digits)")
        let confirmation = try start("phones confirm", ["phones", "confirm", digits, "--state", directory])
        try finish([pairing, confirmation])
    }
}
