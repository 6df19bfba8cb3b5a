import AlarmModel
import CommandKit
import Platform

/// What has to do with the phone and with the push service between it and the box.
extension DemoDirector {
    static let phoneName = "Anna's phone"
    /// A phone asks 25 times a minute at most; where the day went by faster than it may ask, it has to wait.
    private static let askingPatience = Duration.seconds(75)

    func pair(_ person: String, _ roles: String) throws {
        try stage.pair(person, roles: roles) { code in
            self.screen.show(.anna, "> pair \(code.prefix(32))…")
            try self.stage.tellPhone("pair \(code)")
        } digits: {
            try self.awaitPhone("digits ", "the pairing").split(separator: " ").last.map(String.init) ?? ""
        }
    }

    func pairStoreApp(_ person: String, _ name: String) throws {
        let start = topicNotices.count
        try stage.pairStoreApp(person, name: name) {
            try awaitTopic("code ", since: start, "the pairing").title.split(separator: " ").last.map(String.init) ?? ""
        }
    }

    @discardableResult
    func awaitTopic(_ text: String, since start: Int, _ act: String) throws -> DemoNotice {
        var notice: DemoNotice?
        _ = try stage.wait {
            notice = self.topicNotices[start...].first { $0.contains(text) }
            return notice != nil
        }
        guard let notice else {
            throw DemoEnd.failed("\"\(act)\": Ben's store app should have been told '\(text)' and was not")
        }
        return notice
    }

    /// Has a command ready at the phone, as the app does while its button is on the screen: the box wants each command to
    /// carry a challenge while the clock of its machine is not trusted.
    func preparePhone() throws {
        let start = phoneLines.count
        try stage.tellPhone("prepare")
        let isPrepared = try stage.wait(within: Self.askingPatience) {
            self.phoneLines[start...].contains("prepared")
        }
        guard isPrepared else {
            throw DemoEnd.failed("the box gave Anna's phone no challenge; please report this")
        }
    }

    /// What passes the push service because of an `arm` is remembered for `forge`.
    func tellPhone(_ word: String) throws {
        screen.show(.anna, "> \(word)")
        if word == "arm" { taped = stage.trace.tape.count..<stage.trace.tape.count }
        try stage.tellPhone(word)
    }

    /// The line.
    @discardableResult
    func awaitPhone(_ text: String, _ act: String) throws -> String {
        var line: String?
        let start = phoneStart
        _ = try stage.wait {
            line = self.phoneLines[start...].first { $0.contains(text) }
            return line != nil
        }
        guard let line else {
            throw DemoEnd.failed(
                "\"\(act)\": the phone should have told '\(text)' and did not; the last it told:\n"
                    + phoneLines.suffix(5).map { "  \($0)" }.joined(separator: "\n"))
        }
        if text == "arm ok", let start = taped?.lowerBound { taped = start..<stage.trace.tape.count }
        return line
    }

    func awaitSameMessage() throws {
        var message: DemoPushTrace.Message?
        _ = try stage.wait {
            message = self.stage.trace.messages.last { $0.connections.count > 1 }
            return message != nil
        }
        guard let message else {
            throw DemoEnd.failed("the box did not send again what the push service had not acknowledged")
        }
        let connections = message.connections.map(String.init).joined(separator: ", then on connection ")
        screen.show(.push, "message \(message.id) came on connection \(connections), with the same id")
    }

    /// Replays and forgeries; nothing may come of them.
    func forge() throws {
        let start = seen.count
        let token = try stage.phoneToken()
        let recorded = taped.map { Array(stage.trace.tape[$0]) } ?? []
        guard !recorded.isEmpty else { throw DemoEnd.failed("the push service saw nothing of the phone's command") }
        var last = ""
        for (index, sealed) in recorded.prefix(8).enumerated() {
            last = "again-\(index)"
            try stage.push("upstream \(token) \(last) 0 {\"v\":\"2\",\"command\":\"ha2\",\"e\":\"\(sealed)\"}")
        }
        let count = Text.count(recorded.prefix(8).count, "message")
        screen.show(.push, "> what Anna's phone sent when it armed (\(count)), under new ids")
        let turned = String(recorded[0].reversed())
        try stage.push("upstream \(token) made-up 0 {\"v\":\"2\",\"command\":\"ha2\",\"e\":\"\(turned)\"}")
        last = "in-clear"
        try stage.push("upstream \(token) \(last) 0 {\"command\":\"arm\"}")
        screen.show(.push, "> two commands in her name without her keys")
        guard try stage.wait(until: { self.stage.trace.acknowledged.contains(last) }) else {
            throw DemoEnd.failed("the box did not take what the push service sent")
        }
        // Longer than a command takes.
        try stage.rest(.milliseconds(500))
        if let event = seen[start...].first(where: { $0.event.type != .info }) {
            throw DemoEnd.failed(
                "a forged or repeated command had an effect: '\(event.event.message)'; please report this")
        }
        screen.show(.box, "nothing came of it")
    }

    /// Lays the phone's log beside the journal until both are the same.
    func compare() throws {
        let end = SystemClock.bootTime() + Self.askingPatience
        var turn = 1
        while true {
            // How far the journal goes, the phone learns from the answer; mostly it has asked by itself.
            if turn.isMultiple(of: 20) { try stage.tellPhone("ping") }
            turn += 1
            try stage.rest(.milliseconds(250))
            let log = try readLog()
            guard let difference = log.difference(from: seen) else {
                phoneLog = log
                screen.show(.anna, "its log is the journal: \(log.rows.count) events, each once and in order")
                return
            }
            guard SystemClock.bootTime() < end else {
                throw DemoEnd.failed("the phone's log is not the journal: \(difference)")
            }
        }
    }

    private func readLog() throws -> DemoPhoneLog {
        let start = phoneLines.count
        try stage.tellPhone("log")
        let isThere = try stage.wait {
            self.phoneLines[start...].contains { $0.hasPrefix("log end ") }
        }
        guard isThere else { throw DemoEnd.noAnswer("the virtual phone") }
        return DemoPhoneLog(phoneLines[start...].filter { $0.hasPrefix("log ") })
    }
}
