import AlarmModel
import PanelLink
import Testing

@Suite("Codes, classes and errors")
struct ClassTests {
    static let moduleCodes: [EventType: [Int]] = [
        .response: [500, 501, 502, 505, 900, 912, 921, 922],
        .armed: [652, 656],
        .disarmed: [655],
        .alarm: [601, 603, 620, 621, 623, 625, 631, 654, 658, 670, 829],
        .recovery: [602, 604, 606, 622, 624, 626, 632, 801, 803, 807, 815, 830, 833, 843],
        .fault: [605, 659, 672, 800, 802, 806, 814, 832, 840, 842, 849],
        .info: [
            510, 511, 550, 560, 561, 562, 609, 610, 615, 616, 650, 651, 653, 657, 660, 663, 664, 671, 673, 674, 680,
            700,
            701, 702,
            750, 751, 810, 811, 812, 813, 816, 821, 822, 823, 824, 825, 826, 827, 828, 841, 896, 897,
        ],
    ]
    static let legacy: [EventType: [Int]] = [
        .alarm: [601, 603, 605, 620, 621, 623, 625, 631, 654, 658, 670, 680, 829, 842],
        .recovery: [602, 604, 606, 622, 624, 626, 632, 830, 843],
        .armed: [652, 656],
        .disarmed: [655],
        .response: [500, 505, 900, 912, 921, 922],
        .info: [
            510, 511, 550, 560, 561, 562, 609, 610, 615, 650, 651, 653, 657, 660, 663, 664, 674, 700, 701, 702, 750,
            751,
            841,
        ],
    ]

    @Test("every code of the module has our class and the one of the original programs")
    func everyCodeOfTheModuleHasOurClassAndTheOneOfTheOriginal() {
        for entry in TPICode.table where entry.number >= 500 {
            #expect(Self.moduleCodes[entry.eventType]?.contains(entry.number) == true, "\(entry)")
            let expected = Self.legacy.first { $0.value.contains(entry.number) }?.key ?? .fault
            #expect(entry.legacyType == expected, "\(entry)")
        }
        #expect(TPICode.table.filter { $0.number >= 500 }.count == Self.moduleCodes.values.reduce(0) { $0 + $1.count })
        #expect(TPICode.table.map(\.number) == TPICode.table.map(\.number).sorted())
        #expect(Set(TPICode.table.map(\.number)).count == TPICode.table.count)
    }

    @Test("the decoder and the table know the same codes")
    func theDecoderAndTheTableKnowTheSameCodes() {
        for number in 500...999 {
            let isKnown = DSCLine(code: String(number), data: "").message != .unknown(.unknownCode)
            #expect(isKnown == (TPICode.entry(number) != nil), "\(number)")
        }
    }

    @Test("a line is classed by its code, but for what does not fit and is no alarm, and troubles that ended")
    func aLineIsClassedByItsCode() {
        #expect(TPICode.eventType(for: DSCLine(code: "601", data: "1001")) == .alarm)
        #expect(TPICode.eventType(for: DSCLine(code: "609", data: "1")) == .unknown)
        for line in ["6011", "6011065", "6010005", "6031000", "6540", "658", "6709"] {
            let misfit = DSCLine(code: String(line.prefix(3)), data: String(line.dropFirst(3)))
            #expect(misfit.message == .unknown(.wrongData), "\(line)")
            #expect(TPICode.eventType(for: misfit) == .alarm, "\(line)")
        }
        #expect(TPICode.eventType(for: DSCLine(code: "699", data: "1")) == .unknown)
        #expect(TPICode.eventType(for: DSCLine(code: "849", data: "02")) == .fault)
        #expect(TPICode.eventType(for: DSCLine(code: "849", data: "00")) == .recovery)
    }

    @Test("the originals' class of a code that they do not handle is fault, and codes of ours have none")
    func theOriginalsClassOfACodeThatTheyDoNotHandleIsFault() {
        #expect(TPICode.legacyType(code: "699") == .fault)
        #expect(TPICode.legacyType(code: "849", raw: "84900") == .fault)
        #expect(TPICode.legacyType(code: "505", raw: "5051") == .info)
        #expect(TPICode.legacyType(code: "505", raw: "5053") == .response)
        #expect(TPICode.legacyType(code: "040", raw: "0401****") == .command)
        #expect(TPICode.legacyType(code: "START") == nil)
        #expect(TPICode.entry("-12") == nil)
        #expect(TPICode.entry("6011") == nil)
        #expect(TPICode.entry("601")?.name == "zone alarm")
    }

    @Test("a command has the name of the table")
    func aCommandHasTheNameOfTheTable() {
        for (command, _, _) in FrameTests.commands {
            #expect(TPICode.entry(command.number)?.eventType == .command)
        }
    }

    @Test("each system error has the driver rule of the reference")
    func eachSystemErrorHasTheDriverRuleOfTheReference() {
        let rules: [SystemError.Rule: [Int]] = [
            .ignore: [0, 28, 29, 30, 31, 32, 33], .retryDoubling: [1, 2, 3, 10], .retryOnceForReads: [11, 12],
            .report: [4, 9, 13, 19, 20, 21, 22, 25, 26, 27, 34, 999], .keybusDown: [14],
            .retryTwiceAfterOneSecond: [15, 18], .lockedOut: [16], .installerMode: [17], .notArmed: [23],
            .notReady: [24],
        ]
        #expect(rules.count == SystemError.Rule.allCases.count)
        for (rule, codes) in rules {
            for code in codes { #expect(SystemError(code).rule == rule, "\(code)") }
        }
        #expect((0...999).filter { SystemError($0).mayHaveLostEvents } == [3])
        #expect(SystemError(14).description == "the module cannot reach the panel (keybus down) (502 014)")
    }
}
