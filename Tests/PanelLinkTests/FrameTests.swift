import AlarmModel
import PanelLink
import Testing

@Suite("Frames and commands")
struct FrameTests {
    @Test(
        "a payload gets the checksum of the reference",
        arguments: [
            ("654", "3", "6543D2"), ("005", "user", "005user54"), ("750", "10040", "7501004091"),
            ("652", "12", "6521200"), ("652", "13", "6521301"), ("000", "", "00090"), ("500", "000", "50000025"),
            ("071", "1*4", "0711*427"), ("510", "81", "51081FF"),
        ])
    func aPayloadGetsTheChecksumOfTheReference(code: String, data: String, line: String) {
        #expect(String(decoding: Frame.bytes(code: code, data: data), as: UTF8.self) == line + "\r\n")
    }

    static let commands: [(TPICommand, String, String)] = [
        (.poll, "00090", "000"),
        (.status, "00191", "001"),
        (.login(Secret("user")), "005user54", "005****"),
        (.timers, "00898", "008"),
        (
            .clock(PanelClock(hour: 14, minute: 30, month: 11, day: 21, year: 26)), "010143011212686",
            "0101430112126"
        ),
        (.output(partition: 1, output: 2), "02012F5", "02012"),
        (.armAway(partition: 1), "0301C4", "0301"),
        (.armWithCode(partition: 1, code: Secret("1234")), "0331123491", "0331****"),
        (.armStay(partition: 1), "0311C5", "0311"),
        (.armZeroEntry(partition: 1), "0321C6", "0321"),
        (.disarm(partition: 1, code: Secret("1234")), "040112348F", "0401****"),
        (.panic(.police), "0603C9", "0603"),
        (.keys(partition: 1, keys: Secret("*1#")), "0711*1#47", "0711****"),
        (.sendCode(Secret("1234")), "20012345C", "200****"),
    ]

    @Test("a command is written as the module wants it, and logged without its secret", arguments: commands.indices)
    func aCommandIsWrittenAsTheModuleWantsIt(index: Int) {
        let (command, line, redacted) = Self.commands[index]
        #expect(String(decoding: command.bytes, as: UTF8.self) == line + "\r\n")
        #expect(command.redacted == redacted)
        #expect(command.fault == nil)
    }

    @Test("no value can put a second line on the wire")
    func noValueCanPutASecondLineOnTheWire() {
        let command = TPICommand.login(Secret("user\r\n0301C4"))
        #expect(command.bytes.filter { $0 == 10 }.count == 1)
        #expect(command.fault == .password)
    }

    @Test("what the module would refuse is told before it is sent")
    func whatTheModuleWouldRefuseIsToldBeforeItIsSent() {
        #expect(TPICommand.armAway(partition: 9).fault == .partition(9))
        #expect(TPICommand.output(partition: 1, output: 5).fault == .output(5))
        #expect(TPICommand.disarm(partition: 1, code: Secret("123")).fault == .userCode)
        #expect(TPICommand.disarm(partition: 1, code: Secret("1234567")).fault == .userCode)
        #expect(TPICommand.sendCode(Secret("12a4")).fault == .userCode)
        #expect(TPICommand.keys(partition: 1, keys: Secret("*10602#")).fault == .keys)
        #expect(TPICommand.keys(partition: 1, keys: Secret("")).fault == .keys)
        #expect(TPICommand.login(Secret("")).fault == .password)
        #expect(TPICommand.clock(PanelClock(hour: 24, minute: 0, month: 1, day: 1, year: 26)).fault == .clock)
    }
}
