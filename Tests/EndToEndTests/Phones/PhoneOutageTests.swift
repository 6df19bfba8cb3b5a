import Foundation
import PhoneProtocol
import Testing

/// What may happen to the push service while an alarm is raised.
@Suite("an alarm while the push service fails", .serialized, .timeLimit(.minutes(15)))
struct PhoneOutageTests {
    /// How it fails and how it comes back, in verbs of the push service.
    struct Outage: CustomStringConvertible, Sendable {
        var name: String
        var begin: [String]
        var end: [String] = []
        /// The failure is seen by the box; else it only shows in time.
        var isSeen = true
        var description: String { name }
    }

    private static let outages = [
        Outage(name: "down", begin: ["refuse-connect on", "close-abrupt"], end: ["refuse-connect off"]),
        Outage(name: "closing gracefully", begin: ["close-graceful"], isSeen: false),
        Outage(name: "closing abruptly", begin: ["close-abrupt"], isSeen: false),
        Outage(
            name: "half-open", begin: ["half-open on", "half-open"], end: ["half-open off"], isSeen: false),
        Outage(name: "draining", begin: ["drain 1s"], isSeen: false),
    ]

    @Test("arrives within 10 s of the recovery, under the same message id", arguments: outages)
    func arrivesWithin10SOfTheRecovery(outage: Outage) throws {
        let house = try PhoneHouse.running(pushArguments: ["--trace"])
        let anna = try house.phone(of: "Anna")
        try house.house.house("key panic")
        try anna.waitForLine("alarm 625")
        for verb in outage.begin { try house.push.perform(verb) }
        if outage.isSeen {
            try eventually("the box sees that") { try house.phones()["connection"] != .string("ready") ? true : nil }
        }
        try house.house.house("key fire")
        try house.house.waitForRecord("it is stored first") {
            $0.code == "621" || $0.type == "alarm" && $0.code != "625"
        }
        if !outage.end.isEmpty {
            _ = Deadline.wait(.seconds(1)) { anna.count(of: "alarm 621") > 0 }
            #expect(anna.count(of: "alarm 621") == 0, "the outage is one")
        }
        for verb in outage.end { try house.push.perform(verb) }
        // Twice the promise, for a machine that has other things to do.
        try anna.waitForLine("alarm 621")
        try eventually("nothing waits any more") { try house.phones()["waiting"] == .integer(0) ? true : nil }
        // However often it was sent, it was one message.
        let ids = Set(Self.alarmIDs(in: house.push.program.output))
        let places = try anna.log().filter { $0.hasPrefix("log ") && !$0.hasPrefix("log end") }
        let alarms = try house.house.records().filter { ["621", "625"].contains($0.code) }
        #expect(ids.count == alarms.count, "\(ids) for \(alarms.map(\.text))")
        #expect(places.count { $0.contains(" alarm 621 ") } == 1, "\(places)")
        try house.waitUntilConnected()
        try house.calm()
        try anna.waitForLine(" 650 ")
        try anna.obeyed("arm")
    }

    /// The ids of what was sent with a sound.
    private static func alarmIDs(in trace: String) -> [String] {
        trace.split(separator: "\n").compactMap { line in
            guard line.contains("\"sound\":\"default\""), line.contains(" > "),
                let start = line.range(of: "\"message_id\":\"")?.upperBound
            else { return nil }
            return String(line[start...].prefix { $0 != "\"" })
        }
    }

    @Test("a box that was offline for its phone is resynced: nothing is missing in the phone's list")
    func aBoxThatWasOfflineForItsPhoneIsResynced() throws {
        let house = try PhoneHouse.running()
        let anna = try house.phone(of: "Anna")
        try anna.say("offline")
        try anna.waitForLine("offline")
        try house.house.house("open 3", "close 3", "key panic", "open 4", "close 4")
        try house.house.waitForRecord("the last of them") { $0.code == "610" && $0.zone == 4 }
        try anna.say("online")
        try anna.waitForLine("625")
        try eventually("the list without gaps; \(anna.program.report)") {
            let log = try anna.log()
            return log.contains { $0.contains(" 610 ") } && log.last?.hasSuffix("missing=0") == true ? true : nil
        }
    }
}
