import PhoneProtocol
import Testing

/// An original app, as far as it talks: one connection to the phones' port of the push service.
private final class OriginalApp {
    let token: String
    private let client: LineClient
    private var count = 0

    init(_ token: String, at push: PushProcess, system: String = "ios") throws {
        self.token = token
        client = try LineClient(port: push.phonesPort)
        client.sendLine(#"{"hello":"\#(token)","client":"\#(system)"}"#)
        _ = try read { $0["ready"] != nil }
    }

    /// With a token of somebody else, if given.
    func say(_ command: String, as other: String? = nil) {
        count += 1
        let data = #"{"registration_token":"\#(other ?? token)","command":"\#(command)","timestamp":"1511000.123"}"#
        client.sendLine(#"{"send":{"id":"\#(token)-\#(count)","data":\#(data),"ttl":0}}"#)
    }

    /// The next line that is wanted.
    func read(within span: Duration = .seconds(20), _ isWanted: (JSON) -> Bool) throws -> JSON {
        let deadline = Deadline(span)
        while !deadline.isOver {
            let json = try JSON(parsing: try client.readLine(within: span))
            if isWanted(json) { return json }
        }
        throw LineClient.End.timedOut
    }

    func message(_ isWanted: (JSON) -> Bool = { _ in true }) throws -> JSON {
        try read { $0["message"].map { isWanted($0["data"] ?? .null) } ?? false }["message"] ?? .null
    }

    /// What comes in this time although nothing should.
    func strays(within span: Duration) -> [String] {
        let deadline = Deadline(span)
        var strays: [String] = []
        while !deadline.isOver {
            guard let line = try? client.readLine(within: .milliseconds(200)) else { continue }
            if line.hasPrefix("{\"message\"") { strays.append(line) }
        }
        return strays
    }
}

@Suite("the original app", .serialized, .timeLimit(.minutes(15)))
struct LegacyPhoneTests {
    private static let token = "ORIGINAL-APP-TOKEN-1"

    @Test(
        "approved while the daemon runs: it gets the state and alarms in the old form, and may arm; a stranger may not")
    func approvedWhileTheDaemonRuns() throws {
        let house = try PhoneHouse.running { $1.isLegacyEnabled = true }
        let app = try OriginalApp(Self.token, at: house.push)
        let stranger = try OriginalApp("STRANGER-TOKEN-2", at: house.push)
        app.say("ping")
        let pending = try eventually("it is listed to be let in") {
            let tokens = try house.phones()["pending_tokens"]?.arrayValue ?? []
            return tokens.contains(.string(Self.token)) ? tokens : nil
        }
        #expect(pending == [.string(Self.token)])
        let approved = try house.house.run("phones", "approve", Self.token)
        #expect(approved.status == 0, "\(approved.errors)")
        app.say("ping")
        let status = try app.message { $0["raw"] == .string("HOWALARMING") }
        let data = status["data"]
        #expect(data?["code"] == .string("HOWALARMING") && data?["message"] == .string("HOWALARMING"))
        #expect(data?["type"] == .string("disarmed"))
        let seconds = data?["timestamp"]?.stringValue.flatMap { Int64($0) }
        #expect(seconds != nil, "\(status.text)")
        #expect(status["notification"]?.text ?? "{}" == "{}", "\(status.text)")

        // Strangers, and who speaks in another's name.
        stranger.say("arm")
        stranger.say("arm", as: Self.token)
        #expect(stranger.strays(within: .seconds(2)) == [])
        #expect(try house.house.records().contains { $0.code == "652" } == false)

        // A command may be old when the connection has only just come back; this one is not.
        usleepSeconds(5)
        app.say("arm")
        let armed = try app.message { $0["type"] == .string("armed") && $0["code"] == .string("652") }
        #expect(armed["notification"]?["title"] == .string("HowAlarming Event armed"), "\(armed.text)")
        #expect(armed["data"]?["timestamp"]?.stringValue.flatMap { Int64($0) } != nil)
        // Disarming is not among what it may unless the owner says so.
        app.say("disarm")
        let refused = app.strays(within: .seconds(2))
        #expect(refused.count == 1 && refused.allSatisfy { $0.contains("armed") }, "it hears the state: \(refused)")
        #expect(try house.house.records().contains { $0.code == "750" } == false)
        let wider = try house.house.run("phones", "approve", Self.token, "--allow", "ping,arm,disarm")
        #expect(wider.status == 0)
        app.say("disarm")
        // Its button gets the state at once, its list the event.
        _ = try app.message { $0["code"] == .string("655") }
        #expect(try house.house.run("phones", "disapprove", Self.token).status == 0)
        app.say("ping")
        #expect(app.strays(within: .seconds(2)) == [])
    }

    @Test("approved while the daemon is stopped")
    func approvedWhileTheDaemonIsStopped() throws {
        let house = try PhoneHouse { $1.isLegacyEnabled = true }
        let approved = try house.house.run("phones", "approve", Self.token)
        #expect(approved.status == 0, "\(approved.errors)")
        // What is not known without the daemon is not told as wrong.
        let list = try house.house.run("phones", "list").output
        #expect(list.contains("original app") && list.contains("no daemon runs here") && list.contains("not known"))
        #expect(!list.contains("nothing since the start") && !list.contains("legacy mode is off"))
        try house.start()
        let app = try OriginalApp(Self.token, at: house.push)
        app.say("ping")
        #expect(try app.message()["data"]?["type"] == .string("disarmed"))
        try house.house.house("key panic")
        #expect(try app.message { $0["code"] == .string("625") }["data"]?["type"] == .string("alarm"))
    }

    @Test("the app for Android never says who it is: it hears of an alarm at its topic, and an iPhone does not")
    func theAppForAndroidHearsAtItsTopic() throws {
        let house = try PhoneHouse.running {
            $1.isLegacyEnabled = true
            $1.tellsLegacyTopic = true
        }
        let android = try OriginalApp("ANDROID-TOKEN-1", at: house.push, system: "android")
        let iPhone = try OriginalApp(Self.token, at: house.push)
        try house.house.house("key panic")
        let message = try android.message { $0["code"] == .string("625") }
        #expect(message["data"]?.objectValue?.map(\.key) == ["code", "raw", "type", "message"])
        #expect(message["notification"]?.text ?? "null" == "null", "\(message.text)")
        #expect(iPhone.strays(within: .seconds(1)) == [])
        #expect(try house.house.run("phones", "list").output.contains("topic newclient"))
    }

    @Test("off unless it is switched on: nobody is listed, nothing is answered, nothing is sent in clear")
    func offUnlessItIsSwitchedOn() throws {
        let house = try PhoneHouse.running()
        #expect(try house.house.run("phones", "approve", Self.token).output.contains("legacy mode is off"))
        let app = try OriginalApp(Self.token, at: house.push)
        app.say("ping")
        app.say("arm")
        try house.house.house("key panic")
        try house.house.waitForRecord("the alarm") { $0.code == "625" }
        #expect(app.strays(within: .seconds(3)) == [])
        #expect(try house.phones()["pending_tokens"]?.arrayValue == [])
        #expect(try house.house.records().contains { $0.code == "652" } == false)
    }

    private func usleepSeconds(_ seconds: Int) { _ = Deadline.wait(.seconds(seconds)) { false } }
}
