import AlarmModel
import PanelLink
import Testing

@Suite("Every line of the table")
struct DecodingTests {
    /// Code and data of a line, and what it says; written by hand from the vendor's table.
    static let rows: [(String, DSCMessage)] = [
        ("500000", .acknowledged(command: 0)),
        ("500040", .acknowledged(command: 40)),
        ("500200", .acknowledged(command: 200)),
        ("501", .commandError),
        ("502024", .systemError(24)),
        ("502999", .systemError(999)),
        ("5050", .login(.wrongPassword)),
        ("5051", .login(.accepted)),
        ("5052", .login(.timedOut)),
        ("5053", .login(.passwordWanted)),
        ("51081", .leds(0x81)),
        ("5108b", .leds(0x8B)),
        ("51108", .flashingLEDs(8)),
        ("5501235112126", .time(PanelClock(hour: 12, minute: 35, month: 11, day: 21, year: 26))),
        ("560", .phoneRing),
        ("5611021", .temperature(Temperature(thermostat: 1, place: .indoor, degrees: 21))),
        ("5622251", .temperature(Temperature(thermostat: 2, place: .outdoor, degrees: -5))),
        ("6011001", .zoneAlarm(partition: 1, zone: 1, active: true)),
        ("6028064", .zoneAlarm(partition: 8, zone: 64, active: false)),
        ("6032012", .zoneTamper(partition: 2, zone: 12, active: true)),
        ("6042012", .zoneTamper(partition: 2, zone: 12, active: false)),
        ("605012", .zoneFault(zone: 12, active: true)),
        ("606012", .zoneFault(zone: 12, active: false)),
        ("609001", .zoneOpen(zone: 1, open: true)),
        ("610064", .zoneOpen(zone: 64, open: false)),
        ("6160400000000000000", .bypassed([3])),
        ("6161400000000000000", .bypassed([3, 5])),
        ("6160000000000000080", .bypassed([64])),
        ("6160000000000000000", .bypassed([])),
        ("6200000", .duress),
        ("621", .keyAlarm(.fire, active: true)),
        ("622", .keyAlarm(.fire, active: false)),
        ("623", .keyAlarm(.auxiliary, active: true)),
        ("624", .keyAlarm(.auxiliary, active: false)),
        ("625", .keyAlarm(.panic, active: true)),
        ("626", .keyAlarm(.panic, active: false)),
        ("631", .smoke(active: true)),
        ("632", .smoke(active: false)),
        ("6501", .partition(1, .ready)),
        ("6512", .partition(2, .notReady)),
        ("65210", .partition(1, .armed(.away))),
        ("65211", .partition(1, .armed(.stay))),
        ("65212", .partition(1, .armed(.zeroEntryAway))),
        ("65283", .partition(8, .armed(.zeroEntryStay))),
        ("6521", .partition(1, .armed(nil))),
        ("6531", .partition(1, .readyForce)),
        ("6543", .partition(3, .alarm)),
        ("6551", .partition(1, .disarmed)),
        ("6561", .partition(1, .exitDelay)),
        ("6571", .partition(1, .entryDelay)),
        ("6581", .keypadLockout(partition: 1)),
        ("6591", .failedToArm(partition: 1)),
        ("6601", .outputInProgress(partition: 1)),
        ("6631", .chime(partition: 1, on: true)),
        ("6641", .chime(partition: 1, on: false)),
        ("6701", .invalidCode(partition: 1)),
        ("6711", .functionNotAvailable(partition: 1)),
        ("6721", .failureToArm(partition: 1)),
        ("6731", .busy(partition: 1)),
        ("6741", .autoArming(partition: 1)),
        ("680", .installerMode),
        ("70010001", .userClosing(partition: 1, user: 1)),
        ("7011", .specialClosing(partition: 1)),
        ("7021", .partialClosing(partition: 1)),
        ("75010040", .userOpening(partition: 1, user: 40)),
        ("75089999", .userOpening(partition: 8, user: 9999)),
        ("7511", .specialOpening(partition: 1)),
        ("800", .trouble(.battery, active: true)),
        ("801", .trouble(.battery, active: false)),
        ("802", .trouble(.ac, active: true)),
        ("803", .trouble(.ac, active: false)),
        ("806", .trouble(.bell, active: true)),
        ("807", .trouble(.bell, active: false)),
        ("810", .serialModule), ("811", .serialModule), ("812", .serialModule), ("813", .serialModule),
        ("814", .trouble(.failureToCommunicate, active: true)),
        ("815", .trouble(.failureToCommunicate, active: false)),
        ("816", .eventBufferNearlyFull),
        ("821012", .serialModule), ("828012", .serialModule),
        ("829", .trouble(.tamper, active: true)),
        ("830", .trouble(.tamper, active: false)),
        ("832012", .zoneLowBattery(zone: 12, active: true)),
        ("8331012", .zoneLowBattery(zone: 12, active: false)),
        ("8401", .troubleLED(partition: 1, on: true)),
        ("8412", .troubleLED(partition: 2, on: false)),
        ("842", .trouble(.fireTrouble, active: true)),
        ("843", .trouble(.fireTrouble, active: false)),
        ("84902", .troubles(.ac)),
        ("84981", .troubles([.service, .clock])),
        ("84900", .troubles([])),
        ("896", .serialModule), ("897", .serialModule),
        ("900", .codeRequired(.user)),
        ("91212", .outputPressed(partition: 1, output: 2)),
        ("921", .codeRequired(.master)),
        ("922", .codeRequired(.installer)),
        ("6991", .unknown(.unknownCode)),
        ("040", .unknown(.unknownCode)),
        ("999", .unknown(.unknownCode)),
        ("649", .unknown(.unknownCode)),
    ]

    @Test("a line says what the table says", arguments: rows.indices)
    func aLineSaysWhatTheTableSays(index: Int) throws {
        let (payload, message) = Self.rows[index]
        let line = try #require(items(lines: [payload]).first)
        let code = String(payload.prefix(3))
        let data = String(payload.dropFirst(3))
        #expect(line == .line(DSCLine(code: code, data: data, stamp: nil, message: message)))
        #expect(DSCLine(code: code, data: data).message == message)
    }

    @Test(
        "data that does not fit the code is kept as unknown",
        arguments: [
            "500", "50000", "5000001", "500abc", "502", "50224", "505", "5054", "50511", "510", "5108", "510810",
            "5108G", "550123511212", "55012351121261", "5502435112126", "5501260112126", "5501235132126",
            "5501235110026", "550xx35112126", "561102", "5610021", "5615021", "5611256", "601100", "601001", "6019001",
            "6010001", "6011000", "6011065", "60110011", "601100x", "603", "605", "60512", "6051012", "609", "60901",
            "609000", "609065", "6090011", "60900112", "609 01", "610", "615", "61500", "616", "616040000000000000",
            "61604000000000000000", "616040000000000000x", "650", "6500", "6509", "65011", "652", "65200", "652100",
            "65290", "6521x", "654", "6540", "663", "670", "700", "7001", "7001001", "70010001x", "70000001", "7509999",
            "832", "83212", "832000", "832065", "832x012", "83210012", "840", "8400", "849", "8490", "849000", "849xx",
            "912", "9121", "91210", "91215", "91290", "912111",
        ])
    func dataThatDoesNotFitTheCodeIsKeptAsUnknown(payload: String) {
        let code = String(payload.prefix(3))
        let data = String(payload.dropFirst(3))
        #expect(
            items(lines: [payload])
                == [.line(DSCLine(code: code, data: data, stamp: nil, message: .unknown(.wrongData)))])
    }

    @Test(
        "a code that needs no data is believed whatever data comes with it",
        arguments: [
            ("6201", DSCMessage.duress), ("620", .duress), ("9001", .codeRequired(.user)),
            ("6210000", .keyAlarm(.fire, active: true)), ("8021", .trouble(.ac, active: true)),
        ])
    func aCodeThatNeedsNoDataIsBelievedWhateverDataComesWithIt(payload: String, message: DSCMessage) {
        #expect(DSCLine(code: String(payload.prefix(3)), data: String(payload.dropFirst(3))).message == message)
    }

    @Test("an armed line with a mode that is none of the four still says armed")
    func anArmedLineWithAModeThatIsNoneOfTheFourStillSaysArmed() {
        #expect(DSCLine(code: "652", data: "17").message == .partition(1, .armed(nil)))
    }

    static let dump = "E0FE86FB27F9A8FB" + String(repeating: "0000", count: 60)

    @Test("the zone timers of the capture decode as worked out by hand", arguments: ["", dump])
    func theZoneTimersOfTheCaptureDecodeAsWorkedOutByHand(surplus: String) throws {
        guard case .zoneTimers(let timers) = DSCLine(code: "615", data: Self.dump + surplus).message else {
            Issue.record("not read as timers")
            return
        }
        #expect(timers.count == 64)
        #expect(
            timers.prefix(4) == [
                .closed(ago: .seconds(1435)), .closed(ago: .seconds(5725)), .closed(ago: .seconds(8760)),
                .closed(ago: .seconds(5555)),
            ])
        #expect(timers.dropFirst(4).allSatisfy { $0 == .unknown })
    }

    @Test("a zone timer of FFFF is open now, FEFF five seconds ago, 0100 the oldest that can be told")
    func aZoneTimerOfFFFFIsOpenNow() throws {
        let data = "FFFFfeff0100" + String(repeating: "0000", count: 61)
        guard case .zoneTimers(let timers) = DSCLine(code: "615", data: data).message else {
            Issue.record("not read as timers")
            return
        }
        #expect(timers.prefix(3) == [.openNow, .closed(ago: .seconds(5)), .closed(ago: .seconds(327_670))])
    }

    @Test("zone timers of another length or with other characters are unknown")
    func zoneTimersOfAnotherLengthOrWithOtherCharactersAreUnknown() {
        for data in [String(Self.dump.dropLast()), Self.dump + "0000", "G" + Self.dump.dropFirst(), Self.dump + "0"] {
            #expect(DSCLine(code: "615", data: data).message == .unknown(.wrongData))
        }
    }

    @Test("the eight bits of the verbose trouble line stand for eight troubles")
    func theEightBitsOfTheVerboseTroubleLineStandForEightTroubles() {
        let bits: [TroubleBits] = [
            .service, .ac, .phoneLine, .failureToCommunicate, .zoneFault, .zoneTamper, .zoneBattery, .clock,
        ]
        let texts = ["01", "02", "04", "08", "10", "20", "40", "80"]
        for (text, bit) in zip(texts, bits) {
            #expect(DSCLine(code: "849", data: text).message == .troubles(bit))
        }
        #expect(DSCLine(code: "849", data: "FF").message == .troubles(TroubleBits(bits)))
    }
}
