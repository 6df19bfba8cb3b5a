import AlarmModel
import Platform

/// The virtual phone, and pairing it.
extension DemoStage {
    /// Starts the phone and waits until the push service takes what it sends.
    func startPhone(name: String, at endpoint: Endpoint) throws {
        let phone = try start(
            "virtual phone",
            ["simulate", "phone", "--push", "127.0.0.1:\(endpoint.port)", "--name", name, "--script", "-"],
            hasInput: true)
        self.phone = phone
        var isReady = false
        phone.onLine = { [weak self] line in
            if line == "ready" { isReady = true }
            self?.onLine?(.anna, line)
        }
        guard try wait(until: { isReady }) else { throw DemoEnd.noAnswer("the simulated push service's channel") }
    }

    /// The phone's owner does something.
    func tellPhone(_ word: String) throws {
        guard phone?.process.write(Array("\(word)\n".utf8)) == true else {
            throw DemoEnd.failed("the virtual phone does not take '\(word)'; please report this")
        }
    }

    /// `howalarming phones pair`, which shows a code; hands that over and goes on until the pairing is over.
    func pair(
        _ person: String, roles: String, onCode: @escaping (String) throws -> Void, digits: () throws -> String
    ) throws {
        let pairing = try start(
            "phones pair", ["phones", "pair", "--person", person, "--role", roles, "--state", directory])
        var lines: [String] = []
        pairing.onLine = { [weak self] line in
            lines.append(line)
            // The code is the first line, and longer than a screen of the story can take.
            self?.onLine?(.box, lines.count == 1 ? "\(line.prefix(32))… (shown in part here)" : line)
        }
        guard try wait(until: { lines.count >= 2 }) else { throw DemoEnd.noAnswer("'howalarming phones pair'") }
        try onCode(lines[0])
        let digits = try digits()
        guard try wait(until: { lines.count >= 3 }) else { throw DemoEnd.noAnswer("'howalarming phones pair'") }
        onLine?(.box, "> howalarming phones confirm \(digits)")
        let confirmation = try start("phones confirm", ["phones", "confirm", digits, "--state", directory])
        // The pairing ends as soon as it is confirmed.
        try finish([pairing, confirmation])
    }
}
