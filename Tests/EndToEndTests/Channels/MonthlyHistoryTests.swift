import Foundation
import PhoneProtocol
import Testing

/// The process that mails the history, beside a daemon that is at work, and Python's mail server.
@Suite("the history by mail", .serialized, .timeLimit(.minutes(5)))
struct MonthlyHistoryTests {
    @Test(
        "the real program reads the journal in use and mails text and page; who is refused is said, and nothing is written",
        .enabled(if: Independents.hasAiosmtpd, "no aiosmtpd: \(Independents.advice)"))
    func theRealProgramReadsTheJournalInUse() throws {
        let house = try Appliance.running()
        let server = try HouseServer.mail(in: house.directory)
        try house.house("key panic")
        try house.waitForRecord("the alarm") { $0.code == "625" }
        let before = try house.records().count

        func ask(_ recipient: String) throws -> JSON {
            let request =
                #"{"days":31,"zone":"Europe/Vienna","name":"history-2026-12-01","page":true,"mail":{"host":"127.0.0.1","#
                + #""port":\#(server.port),"security":"plain","from":"box@mail.test","to":"\#(recipient)","title":"Mill: history"}}"#
            let answer = try house.run("run-history", input: request + "\n")
            #expect(answer.status == 0, "\(answer.errors)")
            return try JSON(parsing: answer.output.trimmingCharacters(in: .newlines))
        }
        #expect(try ask("anna@mail.test")["sent"] == .bool(true))
        let mail = try #require(try server.wait("the mail") { $0["to"] == .array([.string("anna@mail.test")]) }.first)
        #expect(mail["subject"] == .string("Mill: history") && mail["defects"] == .integer(0))
        let words = mail["body"]?.stringValue ?? ""
        #expect(words.contains("HISTORY OF THE HOUSE") && words.contains("Ground floor (partition 1)"))
        #expect(words.contains("Alarm"))
        let file = try #require(mail["files"]?.arrayValue?.first?.arrayValue)
        #expect(file.first == .string("history-2026-12-01.html"))
        #expect(file.last?.stringValue?.hasPrefix("<!DOCTYPE html>") == true)

        #expect(try ask("nobody@mail.test")["failed"]?.stringValue?.contains("550 5.1.1 no such mailbox") == true)
        let nonsense = try house.run("run-history", input: "{}\n")
        #expect(nonsense.output.contains("the request is not as it should be"))
        #expect(try house.records().count == before && house.daemon?.isRunning == true)
    }
}
