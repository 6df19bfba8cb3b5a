import AlarmModel
import PhoneProtocol
import Platform

/// The topic server and the store app that listens there.
extension DemoStage {
    /// Starts the simulated topic server, which writes its authority's certificate to `authorityFile`; its port.
    /// - Parameter takesPlain: pages of this machine may come without TLS
    func startTopics(authorityFile: String, takesPlain: Bool) throws -> UInt16 {
        let server = try start(
            "simulated topic server",
            ["simulate", "ntfy", "--port", "0", "--ca-out", authorityFile, "--trace"]
                + (takesPlain ? ["--plain-too"] : []))
        server.onLine = { [weak self] line in
            guard line.hasPrefix("published "), let json = try? JSON(parsing: String(line.dropFirst(10))),
                let title = json["title"]?.stringValue, let text = json["message"]?.stringValue
            else { return }
            self?.onLine?(.ben, DemoNotice(title: title, text: text).line)
        }
        guard try wait(until: { !server.first.isEmpty }) else { throw DemoEnd.noAnswer("the simulated topic server") }
        let ports = server.first[0].split(separator: " ").filter { $0.contains("port=") }
            .compactMap { $0.split(separator: "=").last.flatMap { UInt16($0) } }
        guard ports.count == 1 else {
            throw DemoEnd.failed("the simulated topic server said something unexpected: \(server.first[0])")
        }
        return ports[0]
    }

    /// `howalarming phones pair --ntfy`; `digits` waits for those that arrive in the topic.
    func pairStoreApp(_ person: String, name: String, digits: () throws -> String) throws {
        let pairing = try start(
            "phones pair --ntfy",
            ["phones", "pair", "--ntfy", "--person", person, "--name", name, "--state", directory])
        var isServerNamed = false
        pairing.onLine = { [weak self] line in
            if line.contains("topic") || line.contains("server") { self?.onLine?(.box, line) }
            if line.contains("server") { isServerNamed = true }
        }
        guard try wait(until: { isServerNamed }) else { throw DemoEnd.noAnswer("'howalarming phones pair --ntfy'") }
        let digits = try digits()
        onLine?(.box, "> howalarming phones confirm \(digits)")
        let confirmation = try start("phones confirm", ["phones", "confirm", digits, "--state", directory])
        try finish([pairing, confirmation])
    }
}
