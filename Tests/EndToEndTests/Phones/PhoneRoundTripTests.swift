import Foundation
import PhoneProtocol
import Testing

@Suite("a house and its phones", .serialized, .timeLimit(.minutes(15)))
struct PhoneRoundTripTests {
    @Test("a phone is paired with six digits, gets the alarm, arms and disarms; everybody is told who did it")
    func aPhoneIsPairedWithSixDigits() throws {
        let house = try PhoneHouse.running()
        let anna = try house.phone(of: "Anna")
        let ben = try house.phone(of: "Ben", roles: "arm")
        try house.panic()
        try anna.waitForLine("alarm 625")
        try ben.waitForLine("alarm 625")
        try house.calm()
        try anna.waitForLine(" 650 ")

        try anna.obeyed("arm")
        try anna.waitForLine("armed 652")
        try ben.waitForLine("armed 652")
        #expect(try house.house.panel.truth().text.contains("armed"))
        try anna.obeyed("disarm")
        try ben.waitForLine("disarmed 655")
        let disarmed = try house.house.waitForRecord("it is journalled with the person") {
            $0.code == "750" && $0.message.hasPrefix("Disarmed by Anna (")
        }
        #expect(disarmed.partition == 1)
        // It is in everybody's list as soon as the app is looked at.
        try ben.say("ping")
        try ben.waitForLine("Disarmed by Anna (")
        // Ben may arm and no more.
        #expect(try ben.command("disarm").contains(" denied "))
        try ben.obeyed("arm stay")
        try anna.waitForLine("asked for by Ben (")
        try anna.waitForLine("armed 652")

        let phones = try house.phones()
        #expect(phones["connection"] == .string("ready"))
        #expect(phones["server"]?.stringValue == "localhost:\(house.push.port)")
        #expect(phones["waiting"]?.integerValue == 0, "\(phones.text)")
        let entries = phones["phones"]?.arrayValue ?? []
        #expect(Set(entries.map { $0["person"]?.stringValue }) == ["Anna", "Ben"])
        let isDelivered = entries.allSatisfy { $0["last_received"]?.integerValue != nil }
        #expect(isDelivered, "\(phones.text)")
        #expect(try house.house.run("status").output.contains("2 phones; ready"))
        #expect(try house.house.run("phones", "test").status == 0)
        try anna.waitForLine("TEST")
        try ben.waitForLine("TEST")
        #expect(try house.house.stop() == 0)
    }

    @Test("phones stay paired when the daemon is started anew, and when the journal is deleted")
    func phonesStayPairedWhenTheDaemonIsStartedAnew() throws {
        let house = try PhoneHouse.running()
        let anna = try house.phone(of: "Anna")
        try house.panic()
        try anna.waitForLine("alarm 625")
        try house.calm()
        #expect(try house.house.stop() == 0)
        try house.start()
        try house.armAndDisarm(anna)
        try anna.say("ping")
        let before = try eventually("the list without gaps; \(anna.program.report)") {
            let log = try anna.log()
            return log.last?.hasSuffix("missing=0") == true ? log : nil
        }
        #expect(before.contains { $0.contains(" 625 ") }, "\(before)")

        #expect(try house.house.stop() == 0)
        let logNumber = try house.house.sql("SELECT log FROM meta")
        for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
            try? FileManager.default.removeItem(atPath: "\(house.house.stateDirectory)/\(name)")
        }
        try house.start()
        let newNumber = try house.house.sql("SELECT log FROM meta")
        #expect(Int64(newNumber) ?? 0 > Int64(logNumber) ?? .max, "\(logNumber) then \(newNumber)")
        try anna.say("ping")
        try house.panic()
        try anna.waitForLine("alarm 625")
        try house.calm()
        // The counter of commands is kept with the keys.
        try anna.obeyed("arm")
        // The list begins anew with the new journal, and is complete again.
        try eventually("the new list without gaps; \(anna.program.report)") {
            let log = try anna.log()
            let rows = log.filter { $0.hasPrefix("log ") && !$0.hasPrefix("log end") }
            let isNew = rows.allSatisfy { !before.contains($0) }
            return isNew && rows.contains { $0.contains(" 625 ") } && log.last?.hasSuffix("missing=0") == true
                ? true : nil
        }
        let phones = try house.phones()["phones"]?.arrayValue ?? []
        #expect(phones.count == 1)
    }
}
