import Foundation
import Testing

/// An account of somebody as a contact of the house: Prosody as the server, slixmpp as the app.
@Suite(
    "chat with the house", .serialized, .timeLimit(.minutes(15)),
    .enabled(
        if: Independents.hasProsody && Independents.hasSlixmpp, "no Prosody or slixmpp: \(Independents.advice)"))
struct ChatTests {
    @Test("paired by the digits that arrive there, it answers, tells alarms, and arms once that is allowed")
    func pairedByTheDigitsThatArriveThere() throws {
        let started = try ChatHouse.running()
        let house = started.house
        let chat = try started.server.app(of: "anna")
        try started.pair(chat)

        try chat.ask("help", "help - this text")
        try chat.ask("Status", "Ground floor: disarmed")
        try chat.ask("make coffee", "Write help")
        try chat.ask("arm", "not allowed")
        #expect(try started.isAtPanel("ready"))

        let allowed = try house.run("phones", "allow", "XMPP", "seen,status,log,arm")
        #expect(allowed.status == 0, "\(allowed.errors)")
        try chat.say("arm")
        try eventually("armed; \(chat.program.report)") { try started.isAtPanel("armed") ? true : nil }
        try house.waitForRecord("in Anna's name") { $0.type == "command" && $0.message.contains("Anna") }
        // No one-time codes are set up: it must be said, and nothing be done.
        try chat.ask("disarm 123456", "not")
        #expect(try started.isAtPanel("armed"))

        try house.house("key panic")
        try chat.wait(for: "panic key")
        try chat.ask("seen", "counts as seen")
        try chat.ask("log 5", "panic key")
        #expect(!chat.program.output.lowercased().contains("duress"))
    }

    @Test("whoever is no contact is not heard")
    func whoeverIsNoContactIsNotHeard() throws {
        let started = try ChatHouse.running()
        let anna = try started.server.app(of: "anna")
        try started.pair(anna)
        let allowed = try started.house.run("phones", "allow", "anna@\(AccountServer.domain)", "seen,status,arm")
        #expect(allowed.status == 0)
        let eve = try started.server.app(of: "eve")
        for word in ["help", "status", "arm"] { try eve.say(word) }
        try anna.ask("status", "Ground floor: disarmed")
        try started.house.house("key panic")
        try anna.wait(for: "panic key")
        #expect(eve.heard == [])
        #expect(try started.house.records().count { $0.type == "command" } == 0)
        #expect(started.house.daemon?.isRunning == true)
    }
}
