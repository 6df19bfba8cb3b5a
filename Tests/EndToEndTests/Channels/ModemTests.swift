import PhoneProtocol
import Testing

/// Texts and calls by the modem of the box, over a real message bus.
@Suite(
    "the modem as the last resort", .enabled(if: ModemServiceProcess.isThere, "\(Independents.advice)"), .serialized,
    .timeLimit(.minutes(15)))
struct ModemTests {
    private static func house(
        _ sections: [String]
    ) throws -> (house: Appliance, modem: ModemServiceProcess) {
        let directory = try TestDirectory()
        let modem = try ModemServiceProcess(in: directory)
        var configuration = Configuration()
        configuration.channels = ["links:", "  modem: {apn: internet}"] + sections
        let house = try Appliance(configuration, in: directory)
        house.environment = modem.environment
        try house.start()
        try house.waitUntilUp()
        try modem.waitUntilHeard("Enable True")
        return (house, modem)
    }

    @Test("an alarm that nobody confirms rings, tones are heard, a pressed key ends it, and the next person is called")
    func anAlarmThatNobodyConfirmsRings() throws {
        let (house, modem) = try Self.house([
            "calls:", "  by: modem", "  numbers: {Anna: '+431234567', Berta: '+437654321'}", "  after: 1s",
        ])
        try house.house("key panic")
        try modem.waitUntilHeard("Start +431234567")
        try modem.control("CallChanges", "#4", "#3")
        try modem.waitUntilHeard("SendDtmf D")
        try modem.control("KeyComes", "5")
        try house.waitForRecord("the key") { $0.code == "CALL" && $0.text.contains("Anna pressed a key") }
        try modem.waitUntilHeard("DeleteCall")
        try modem.waitUntilHeard("Start +437654321")
        let said = (house.daemon?.output ?? "") + (try house.records().map(\.text).joined())
        #expect(!said.contains("+43"))
    }

    @Test(
        "where the modem carries sound, whoever takes the call is spoken to until a key is pressed",
        .enabled(if: Independents.hasESpeak, "\(Independents.advice)"))
    func whoeverTakesTheCallIsSpokenTo() throws {
        let sockets = try TestDirectory()
        let socket = "\(sockets.path)/speech"
        let (house, modem) = try Self.house([
            "calls:", "  by: modem", "  numbers: {Anna: '+431234567'}", "  after: 1s", "  socket: \(socket)",
        ])
        let speaker = try HouseServer.speaker(socket: socket, in: sockets)
        try modem.control("SoundGoesTo", "ttyUSB4", "s16le")
        try house.house("key panic")
        try modem.waitUntilHeard("Start +431234567")
        try modem.control("CallChanges", "#4", "#3")
        // Of 8000 samples in a second of words.
        try speaker.wait(for: 3, "words") { ($0["loud"]?.integerValue ?? 0) > 800 }
        #expect(try modem.control("Heard").contains("SendDtmf D") == false)
        try modem.control("KeyComes", "5")
        try house.waitForRecord("the key") { $0.code == "CALL" && $0.text.contains("Anna pressed a key") }
        try speaker.wait("the speaker's end") { $0["ended"]?.integerValue == 0 }
        let said = (house.daemon?.output ?? "") + (try house.records().map(\.text).joined())
        #expect(!said.contains("+43"))
    }

    @Test("the text about an alarm is answered with OK, which is heard and deleted at the modem")
    func theTextAboutAnAlarmIsAnswered() throws {
        let (house, modem) = try Self.house([
            "sms:", "  numbers: {Anna: '+431234567'}", "  after: 1s",
        ])
        try house.house("key panic")
        try modem.waitUntilHeard("Send +431234567")
        try modem.control("TextArrives", "+431234567", "Ok!", "#3")
        try house.waitForRecord("the answer") { $0.text.contains("Anna answered OK to the text about") }
        try eventually("no text lies at the modem") { try modem.control("Texts").isEmpty ? true : nil }
    }
}
