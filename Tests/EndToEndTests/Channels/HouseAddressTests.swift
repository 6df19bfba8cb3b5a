import Foundation
import PhoneProtocol
import Testing

/// Where the house tells its events: mail, web addresses, programs, and the work queue of the original's programs.
@Suite("addresses of the house", .serialized, .timeLimit(.minutes(15)))
struct HouseAddressTests {
    private func running(_ channels: [String], in directory: TestDirectory) throws -> Appliance {
        var configuration = Configuration()
        configuration.channels = channels
        let house = try Appliance(configuration, in: directory)
        try house.start()
        try house.waitUntilUp()
        return house
    }

    private func arm(_ house: Appliance) throws {
        try house.house("keypad 1 arm away")
        try house.waitForRecord("armed") { $0.code == "652" }
        try house.house("keypad 1 disarm")
        try house.waitForRecord("disarmed") { $0.code == "655" }
    }

    @Test(
        "mail comes to each address for the triggers only; one who is not there keeps nobody else from it",
        .enabled(if: Independents.hasAiosmtpd, "no aiosmtpd: \(Independents.advice)"))
    func mailComesToEachAddressForTheTriggersOnly() throws {
        let directory = try TestDirectory()
        let server = try HouseServer.mail(in: directory)
        let house = try running(
            [
                "alert_email:", "  smtp_host: 127.0.0.1", "  smtp_port: \(server.port)", "  security: plain",
                "  addr_from: box@mail.test", "  addr_to: [anna@mail.test, nobody@mail.test, ben@mail.test]",
                "  triggers: [alarm]", "  timing: {reconnect_minimum: 100ms, reconnect_maximum: 500ms}",
            ], in: directory)
        try arm(house)
        try house.house("key panic")
        let mails = try server.wait(for: 2, "an alarm for two people") { $0["sender"] == .string("box@mail.test") }
        for person in ["anna", "ben"] {
            let own = mails.filter { $0["to"] == .array([.string("\(person)@mail.test")]) }
            #expect(own.count == 1, "one press rings once")
            #expect(own.contains { $0["body"]?.stringValue?.contains("panic key") == true })
            #expect(own.contains { $0["subject"] == .string("Mill Lane 4: PANIC ALARM") })
        }
        #expect(server.told.allSatisfy { $0["subject"]?.stringValue?.contains("ALARM") == true })
        #expect(server.told.allSatisfy { $0["defects"] == .integer(0) })
        #expect(house.daemon?.isRunning == true)
    }

    @Test("a web address is fetched with the type behind it, another is posted the event, signed")
    func aWebAddressIsFetchedWithTheTypeBehindIt() throws {
        let directory = try TestDirectory()
        let secret = "at-least-16-characters"
        let server = try HouseServer.web(secret: secret, in: directory)
        let house = try running(
            [
                "alert_url:", "  triggers: [alarm, disarmed]", "  urls:",
                "    - http://127.0.0.1:\(server.port)/hook?type=",
                "    - {url: 'http://127.0.0.1:\(server.port)/alarm', method: post, secret: \(secret)}",
            ], in: directory)
        try arm(house)
        try house.house("key panic")
        try server.wait("the alarm fetched") { $0["path"] == .string("/hook?type=alarm") }
        let posts = try server.wait(for: 3, "events posted") { $0["method"] == .string("POST") }
        try server.wait("disarming fetched") { $0["path"] == .string("/hook?type=disarmed") }
        #expect(!server.told.contains { $0["path"]?.stringValue?.hasSuffix("=armed") == true })
        var codes: [String] = []
        for post in posts {
            #expect(post["path"] == .string("/alarm") && post["signature"] == .string("good"))
            let event = try JSON(parsing: post["body"]?.stringValue ?? "")
            #expect(event["seq"]?.integerValue != nil && event["log"]?.stringValue != nil)
            codes.append(event["code"]?.stringValue ?? "")
        }
        #expect(Set(codes).isSuperset(of: ["655", "625"]) && !codes.contains("652"))
        let said = house.daemon?.report ?? ""
        #expect(!said.contains(secret))
    }

    @Test("a program of the house is run for its triggers, with the event on its standard input")
    func aProgramOfTheHouseIsRunForItsTriggers() throws {
        let directory = try TestDirectory()
        let programs = "\(directory.path)/hooks"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
        let script = try directory.write("hooks/lights", "#!/bin/sh\ncat >> '\(directory.path)/lights.log'\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let runner = try Program(
            "runner", ["run-hook", "--directory", programs, "--listen", "\(directory.path)/hook"], in: directory)
        try eventually("the runner listens; \(runner.report)") { directory.contains("hook") ? true : nil }
        let house = try running(
            [
                "hooks:", "  socket: \(directory.path)/hook", "  programs:",
                "    - {program: lights, triggers: [alarm]}", "    - {program: absent, triggers: [alarm]}",
            ], in: directory)
        try arm(house)
        try house.house("key panic")
        try eventually("the program has run; \(runner.report) \(house.daemon?.report ?? "")") {
            let log = directory.read("lights.log")
            return log.contains(#""code":"654""#) && log.contains(#""code":"625""#) ? true : nil
        }
        let log = directory.read("lights.log")
        #expect(log.contains(#""type":"alarm""#))
        #expect(!log.contains(#""code":"652""#))
    }

    @Test(
        "programs of the original hear events as they know them, and command what is allowed",
        .enabled(if: Independents.hasBeanstalkd, "no beanstalkd: \(Independents.advice)"))
    func programsOfTheOriginalHearEventsAsTheyKnowThem() throws {
        let directory = try TestDirectory()
        let queue = try QueueProcess(in: directory)
        let house = try running(Self.section(queue, commands: "arm, disarm") + ["  code: 4711"], in: directory)
        func wait(_ code: String) throws -> JSON {
            try eventually("event \(code) in the tube") { try queue.take().first { $0["code"] == .string(code) } }
        }
        try queue.put(" ARM ")
        let armed = try wait("652")
        for (key, value) in [("raw", "65210"), ("type", "armed"), ("code", "652")] {
            #expect(armed[key] == .string(value))
        }
        #expect(armed["message"]?.stringValue?.contains("Ground floor") == true)
        #expect(armed["timestamp"]?.integerValue != nil)

        // With the panel's own code in place of the queue's, with a command that no word stands for, and what nobody can read.
        try queue.put(
            #"{"type":"command","code":"040","data":"11234"}"#, #"{"type":"command","code":"071","data":"1*101#"}"#,
            #"{"code":"200","data":"1234"}"#, "police", "open sesame")
        try eventually("all of them are dealt with") {
            let numbers = try queue.commands()
            return numbers.waiting == 0 && numbers.buried == 1 ? numbers : nil
        }
        try house.waitForRecord("the wrong code") { $0.code == "PHONE_DENIED" }
        #expect(try house.records().count { $0.type == "command" } == 1)
        try queue.put(#"{"type":"command","code":"040","message":"disarm","data":["1","4711"]}"#)
        _ = try wait("655")
        try queue.put(#"{"type":"command","code":"031","data":"1"}"#)
        #expect(try wait("652")["raw"] == .string("65211"))
        #expect(try queue.commands().buried == 1)
    }

    @Test(
        "what the queue may not ask for is not done, and its jobs do not stay",
        .enabled(if: Independents.hasBeanstalkd, "no beanstalkd: \(Independents.advice)"))
    func whatTheQueueMayNotAskForIsNotDone() throws {
        let directory = try TestDirectory()
        let queue = try QueueProcess(in: directory)
        let house = try running(Self.section(queue, commands: "status"), in: directory)
        try queue.put("arm", #"{"code":"030","data":"1"}"#, "disarm", "fire")
        try eventually("all of them are dealt with") { try queue.commands().deleted == 4 ? true : nil }
        #expect(try house.records().count { $0.type == "command" } == 0)
        // The panel is asked.
        try queue.put("status")
        try house.waitForRecord("the panel has reported") { $0.type == "response" && $0.message.contains("done") }
        #expect(try house.panel.truth()["partitions"]?.arrayValue?.first?["status"]?.text.contains("ready") == true)
    }

    private static func section(_ queue: QueueProcess, commands: String) -> [String] {
        [
            "beanstalkd:", "  enabled: true", "  host: 127.0.0.1", "  port: \(queue.port)",
            "  tubes: {commands: [commands], events: [cli]}", "  commands: [\(commands)]",
            "  timing: {reconnect_minimum: 100ms, reconnect_maximum: 500ms}",
        ]
    }
}
