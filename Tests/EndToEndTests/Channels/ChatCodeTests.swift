import AlarmModel
import EventStore
import Foundation
import Testing

/// One-time codes by chat: Prosody as the server, slixmpp as the app, PyOTP as the authenticator.
@Suite(
    "one-time codes by chat", .serialized, .timeLimit(.minutes(15)),
    .enabled(
        if: Independents.hasProsody && Independents.hasSlixmpp && Independents.hasPyOTP,
        "no Prosody, slixmpp or PyOTP: \(Independents.advice)"),
    .enabled(if: SetClock.isPossible, "no mount namespace of its own can be had here"))
struct ChatCodeTests {
    /// Sets Anna's codes up with the authenticator, and allows what needs them; returns the picture's text and the
    /// code.
    private func setUp(_ started: ChatHouse) throws -> (uri: String, code: String) {
        let early = try started.house.run("phones", "allow", "XMPP", "arm,disarm")
        #expect(early.status != 0 && early.errors.contains("phones codes"))
        let codes = try started.house.spawn("codes", ["phones", "codes", "Anna"])
        _ = try codes.waitForLine(containing: "authenticator app")
        let uri = codes.lines[0]
        #expect(uri.hasPrefix("otpauth://totp/"))
        let code = try started.code(uri)
        #expect(try started.house.run("phones", "confirm", code == "000000" ? "000001" : "000000").status != 0)
        let confirmed = try started.house.run("phones", "confirm", code)
        guard confirmed.status == 0 else { throw HarnessError("phones confirm: \(confirmed.errors)") }
        #expect(try codes.waitForExit() == 0)
        #expect(codes.output.contains("has one-time codes now"))
        let allowed = try started.house.run("phones", "allow", "XMPP", "seen,status,log,arm,disarm,bypass")
        #expect(allowed.status == 0, "\(allowed.errors)")
        return (uri, code)
    }

    private func arm(_ started: ChatHouse, _ chat: AccountServer.Chat) throws {
        try chat.say("arm")
        try eventually("armed; \(chat.program.report)") { try started.isAtPanel("armed") ? true : nil }
    }

    @Test("a code disarms once, also after kill -9; a wrong clock and five wrong codes are refused; no secret leaks")
    func aCodeDisarmsOnce() throws {
        let started = try ChatHouse.running(isClockSet: true)
        let house = started.house
        let chat = try started.server.app(of: "anna")
        try started.pair(chat)
        let (uri, first) = try setUp(started)

        try arm(started, chat)
        try chat.ask("disarm \(first)", "was used before")
        #expect(try started.isAtPanel("armed"))
        let next = try started.code(uri, steps: 1)
        try chat.say("disarm \(next)")
        try eventually("disarmed; \(chat.program.report)") { try started.isAtPanel("armed") ? nil : true }
        try house.waitForRecord("in Anna's name") { $0.type == "command" && $0.message.contains("disarm partition 1") }

        house.kill9()
        try house.start()
        try house.waitUntilUp()
        try eventually("the account is back") { try house.run("phones").output.contains("ready") ? true : nil }
        try arm(started, chat)
        try chat.ask("disarm \(next)", "was used before")
        #expect(try started.isAtPanel("armed"))

        // One was wrong already; locks do not outlive a restart.
        for _ in 0..<3 { try chat.ask("disarm \(next)", "Wait for the next code") }
        try chat.ask("disarm \(next)", "That was the fifth")
        try chat.ask("disarm \(try started.code(uri, steps: 1))", "locked for a while")
        try house.waitForRecord("the lock") { $0.code == "PHONE_LOCKED" }
        #expect(try house.run("phones", "lift", "XMPP").status == 0)
        #expect(try started.isAtPanel("armed"))

        try search(started, uri)
        #expect(try house.stop() == 0)
        house.launcher = []
        try house.start()
        try house.waitUntilUp()
        try eventually("the account is back") { try house.run("phones").output.contains("ready") ? true : nil }
        try chat.ask("disarm \(try started.code(uri, steps: 1))", "clock of the box is not set")
        #expect(try started.isAtPanel("armed"))
        #expect(try house.stop() == 0)
        // While the daemon is stopped, too.
        let off = try house.run("phones", "codes", "Anna", "--off")
        #expect(off.status == 0, "\(off.errors)")
        #expect(try PhoneFile.read(in: house.stateDirectory).codes.isEmpty)
        #expect(try PhoneFile.read(in: house.stateDirectory).book.contacts.first?.allowed.contains(.disarm) == false)
    }

    /// The secret stands in the phones' file and on the screen, and nowhere else.
    private func search(_ started: ChatHouse, _ uri: String) throws {
        let house = started.house
        for words in [
            ["status", "--json"], ["phones"], ["phones", "--json"], ["people", "--all", "--json"],
            ["events", "--json"],
            ["phones", "dead", "--json"],
        ] {
            #expect(try house.command(words).status == 0, "\(words)")
        }
        let kept = try PhoneFile.read(in: house.stateDirectory).codes
        let secret = try #require(kept.first?.1)
        #expect(kept.count == 1 && secret.count == 20)
        let text = uri.split(separator: "secret=").last.map { String($0.prefix { $0 != "&" }) } ?? ""
        #expect(text.utf8.count == 32)
        let groups = stride(from: 0, to: 32, by: 4).map { String(text.dropFirst($0).prefix(4)) }.joined(separator: " ")
        let base64 = Data(secret).base64EncodedString()
        let hex = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let forms = [
            Data(secret), Data(text.utf8), Data(text.lowercased().utf8), Data(groups.utf8), Data(hex.utf8),
            Data(base64.dropLast(4).utf8), Data(secret.map(String.init).joined(separator: ",").utf8),
        ]
        var hits = 0
        var searched = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: house.directory.path) {
            guard !name.hasPrefix("codes."),
                let content = FileManager.default.contents(atPath: "\(house.directory.path)/\(name)")
            else { continue }
            searched += 1
            for (index, form) in forms.enumerated() where content.range(of: form) != nil {
                if name.hasPrefix("state/phones.keys"), index == 0 {
                    hits += 1
                } else {
                    Issue.record("form \(index) of the secret in \(name)")
                }
            }
        }
        #expect(hits == 2 && searched > 10)
    }
}
