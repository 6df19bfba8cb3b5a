import PhoneProtocol
import Platform
import Testing

/// Against receivers of others: pysiaalarm, which Home Assistant uses, and siadc09.
@Suite(
    "a receiver of SIA DC-09", .serialized, .timeLimit(.minutes(10)),
    .enabled(if: ReceiverProcess.isThere, Comment(rawValue: Independents.advice)))
struct ReceiverTests {
    private func section(_ port: UInt16, _ lines: [String]) -> [String] {
        ["receiver:", "  host: 127.0.0.1", "  port: \(port)", "  account: '12AB'"] + lines
    }

    private func running(_ channels: [String], in directory: TestDirectory) throws -> Appliance {
        var configuration = Configuration()
        configuration.channels = channels
        let house = try Appliance(configuration, in: directory)
        try house.start()
        try house.waitUntilUp()
        return house
    }

    @Test(
        "pysiaalarm confirms polls and reports, encrypted with the characters of its key, and in clear",
        arguments: [true, false])
    func pysiaalarmConfirmsPollsAndReports(_ isEncrypted: Bool) throws {
        let directory = try TestDirectory()
        let key = isEncrypted ? "ABCDEF0123456789ABCDEF01" : ""
        let receiver = try ReceiverProcess(.pysiaalarm, account: "12AB", key: key, in: directory)
        let house = try running(
            section(receiver.port, isEncrypted ? ["  key_characters: \(key)"] : []), in: directory)
        try house.house("keypad 1 arm away")
        try receiver.wait("3401 01 000")
        try house.house("keypad 1 disarm")
        try receiver.wait("1401 01 000")
        try house.house("key panic")
        try receiver.wait("1120 00 000")
        #expect(receiver.told.contains { $0["report"] == .null && $0["code"] == .string("RP") })
        #expect(receiver.told.allSatisfy { $0["encrypted"] == .bool(isEncrypted) })
        let report = house.daemon?.report ?? ""
        #expect(!isEncrypted || !report.contains(key))
        #expect(try house.stop() == 0)
    }

    @Test("pysiaalarm behind TLS hears polls and reports; where the box trusts another authority it hears nothing")
    func pysiaalarmBehindTLS() throws {
        let directory = try TestDirectory()
        let receiver = try ReceiverProcess(.pysiaalarm, account: "12AB", key: "", isEncrypted: true, in: directory)
        let authorityFile = try #require(receiver.authorityFile)
        let stranger = try directory.write("stranger.pem", Authority(name: "A stranger").certificatePEM)
        let trusting = try running(
            section(receiver.port, ["  tls: true", "  ca_file: '\(authorityFile)'"]), in: directory)
        try trusting.house("keypad 1 arm away")
        try receiver.wait("3401 01 000")
        #expect(receiver.told.contains { $0["report"] == .null && $0["code"] == .string("RP") })
        #expect(try trusting.stop() == 0)

        let before = receiver.told.count
        let wary = try running(
            section(receiver.port, ["  tls: true", "  ca_file: '\(stranger)'"]), in: TestDirectory())
        try wary.house("key panic")
        try eventually("why the receiver is not told; \(wary.daemon?.report ?? "")") {
            let problem = try wary.status()["phones"]?["ways"]?.arrayValue?.first?["problem"]?.stringValue
            return problem?.contains("certificate") == true ? true : nil
        }
        #expect(receiver.told.count == before)
        #expect(try wary.stop() == 0)
    }

    @Test(
        "siadc09 with AES-256 and a clock of its own: its time is taken for it alone, and the numbers outlast a restart"
    )
    func siadc09WithAClockOfItsOwn() throws {
        let directory = try TestDirectory()
        let key = "850cba22f7dd4f033405da83e4c5bae99eab5c4e38ad504330f4dd7f22abc058"
        let receiver = try ReceiverProcess(.siadc09, account: "12AB", key: key, ahead: 3600, in: directory)
        let house = try running(
            section(
                receiver.port, ["  key: \(key)", "  receiver_number: '1F'", "  line_number: '2'", "  duress: true"]),
            in: directory)
        try house.house("keypad 1 arm away")
        try receiver.wait("3401 01 000")
        #expect(receiver.told.first?["late"] != nil && receiver.told.count { $0["late"] != nil } == 1)
        try house.wire(line: "6200000")
        try receiver.wait("1121 00 000")
        #expect(receiver.told.contains { $0["words"]?.stringValue?.contains("12AB prefix 2 receiver 1F") == true })
        let before = receiver.reports
        #expect(try house.stop() == 0)
        try house.start()
        try house.waitUntilUp()
        try house.house("key panic")
        try receiver.wait("1120 00 000")
        let last = receiver.reports.last?.split(separator: " ").first.flatMap { Int($0) }
        #expect(last.map { $0 > before.count } == true, "\(receiver.reports)")
        #expect(try house.stop() == 0)
    }
}
