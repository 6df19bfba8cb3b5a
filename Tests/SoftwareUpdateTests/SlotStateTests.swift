import PhoneProtocol
import SoftwareUpdate
import Testing

struct SlotStateTests {
    @Test("the block is byte for byte what U-Boot's env export makes")
    func theBlockIsByteForByteWhatUBootsEnvExportMakes() {
        // zlib.crc32 of the 508 bytes, computed elsewhere.
        let text = "BOOT_A_LEFT=9\0BOOT_B_LEFT=3\0BOOT_ORDER=A B\0GOOD=A\0\0"
        let block = SlotState.initial.block()
        #expect(block.count == 512)
        #expect(Array(block[4..<(4 + text.utf8.count)]) == Array(text.utf8))
        #expect(block[(4 + text.utf8.count)...].allSatisfy { $0 == 0 })
        #expect(Array(block[..<4]) == [0x85, 0x10, 0xD8, 0xD6])
    }

    @Test("the checksum is the one of everybody")
    func theChecksumIsTheOneOfEverybody() {
        #expect(CRC32.of("123456789".utf8) == 0xCBF4_3926)
    }

    @Test("every state is read back as it was written")
    func everyStateIsReadBackAsItWasWritten() {
        for first in BootSlot.allCases {
            for good in BootSlot.allCases {
                for tries in [0, 1, 3, 10, 255] {
                    let state = SlotState(first: first, triesA: tries, triesB: 3, good: good)
                    #expect(SlotState(block: state.block()) == state)
                }
            }
        }
    }

    @Test("names of others are passed over, and what is missing has its first value")
    func namesOfOthersArePassedOver() {
        #expect(SlotState(block: Self.block("ARCH=arm\0BOOT_ORDER=B A\0")) == with { $0.first = .b })
        #expect(SlotState(block: Self.block("")) == .initial)
        #expect(SlotState(block: Self.block("BOOT_B_LEFT=0\0")) == with { $0.triesB = 0 })
    }

    @Test(
        "values that make no sense make the copy void",
        arguments: [
            "BOOT_ORDER=A A\0", "BOOT_ORDER=\0", "BOOT_A_LEFT=x\0", "BOOT_A_LEFT=-1\0", "GOOD=C\0", "nonsense\0",
            "BOOT_A_LEFT=123456789\0",
        ])
    func valuesThatMakeNoSenseMakeTheCopyVoid(_ text: String) {
        #expect(SlotState(block: Self.block(text)) == nil)
    }

    @Test("a damaged copy is not used, and two damaged ones give the first state")
    func aDamagedCopyIsNotUsed() {
        let one = with { $0.activate(.b) }
        let two = with { $0.retire(.b) }
        var torn = one.block()
        torn[20] ^= 1
        for form in SlotStateCopies.Form.allCases {
            func state(_ copies: [UInt8]...) -> SlotState { SlotStateCopies(copies, form: form).state }
            #expect(state(one.block(), two.block()) == one, "without numbers the first whole one counts")
            #expect(state(torn, two.block()) == two)
            #expect(state(torn, torn) == .initial)
            #expect(state([], []) == .initial)
            #expect(state([], two.block(number: 4)) == two)
        }
    }

    @Test(
        "of numbered copies the newer one counts; one without a number is newer still, because software of before wrote it"
    )
    func ofNumberedCopiesTheNewerOneCounts() {
        let one = with { $0.activate(.b) }
        let two = with { $0.retire(.b) }
        func state(_ copies: [UInt8]...) -> SlotState { SlotStateCopies(copies, form: .numbered).state }
        #expect(state(one.block(number: 0x9), two.block(number: 0x10)) == two)
        #expect(state(one.block(number: 0x11), two.block(number: 0x10)) == one)
        #expect(state(one.block(), two.block(number: 0x10)) == one)
    }

    @Test("only the older numbered copy is written; where there are no numbers both are, the one that counts last")
    func onlyTheOlderNumberedCopyIsWritten() {
        let old = with { $0.retire(.b) }
        let new = with { $0.activate(.b) }
        var disk = [old.block(), [UInt8](repeating: 0, count: 512)]
        for expected in [[1, 0], [1], [0], [1]] {
            var copies = SlotStateCopies(disk, form: .numbered)
            let writes = copies.change(to: new)
            #expect(writes.map(\.copy) == expected)
            for write in writes { disk[write.copy] = write.block }
            #expect(SlotStateCopies(disk, form: .numbered) == copies)
        }
        var pair = SlotStateCopies(disk, form: .pair)
        let writes = pair.change(to: old)
        #expect(writes.map(\.copy) == [0, 1] && writes.allSatisfy { $0.block == old.block() })
    }

    @Test("software of before that goes on behind a numbered state is believed, and the numbers begin anew")
    func softwareOfBeforeThatGoesOn() {
        let good = with { $0.markGood(.b) }
        var disk = [with { $0.activate(.b) }.block(number: 7), with { $0.retire(.b) }.block(number: 8)]
        disk[0] = good.block()
        var copies = SlotStateCopies(disk, form: .numbered)
        #expect(copies.state == good)
        let first = copies.change(to: with { $0.retire(.a) })
        // Power may go between the two.
        disk[first[0].copy] = first[0].block
        #expect(SlotStateCopies(disk, form: .numbered).state == good)
    }

    @Test("the form of the copies is what the boot program says")
    func theFormOfTheCopies() {
        #expect(BootWords(commandLine: "ro howalarming.state=2 quiet\n").stateForm == .numbered)
        #expect(BootWords(commandLine: "ro howalarming.state=22").stateForm == .pair)
        #expect(BootWords(commandLine: "").stateForm == .pair)
    }

    @Test("a new version is tried three times, then the old one starts again")
    func aNewVersionIsTriedThreeTimes() {
        var state = with { $0.activate(.b) }
        let boots = (0..<5).map { _ in state.boot() }
        #expect(boots == [.b, .b, .b, .a, .a])
        #expect(state.hasFallenBack(to: .a))
        state.markGood(.a)
        #expect(!state.hasFallenBack(to: .a))
        #expect(state.boot() == .a)
    }

    @Test("a version that is good is started first, and what ran before stays to fall back to")
    func aVersionThatIsGoodIsStartedFirst() {
        var state = with { $0.activate(.b) }
        #expect(state.isTrial(.b))
        #expect(state.boot() == .b)
        state.markGood(.b)
        #expect(!state.isTrial(.b))
        #expect(state.order == [.b, .a])
        let boots = (0..<10).map { _ in state.boot() }
        #expect(boots == Array(repeating: .b, count: 9) + [.a])
    }

    @Test("what runs because power used up the good one's starts is a stand-in, and gives it its starts again")
    func whatRunsBecausePowerUsedUpTheGoodOnesStarts() {
        var state = with { $0.activate(.b) }
        state.markGood(.b)
        let boots = (0..<10).map { _ in state.boot() }
        #expect(boots.last == .a)
        #expect(state.isStandIn(.a) && !state.isStandIn(.b) && !state.hasFallenBack(to: .a))
        state.restoreGood()
        #expect(state.isStandIn(.a), "also while it runs on")
        #expect(state.boot() == .b && state.good == .b)
        // Neither an update that waits nor one that is written makes a stand-in.
        #expect(!with { $0.activate(.b) }.isStandIn(.a) && !with { $0.retire(.b) }.isStandIn(.a))
    }

    @Test("a fresh card starts nine times from its first slot, however often the power goes, then from the other")
    func aFreshCardStartsNineTimesFromItsFirstSlot() {
        var state = SlotState.initial
        let boots = (0..<10).map { _ in state.boot() }
        #expect(boots == Array(repeating: .a, count: 9) + [.b])
    }

    @Test("when no tries are left all are given again and the good slot starts, also from a card that keeps nothing")
    func whenNoTriesAreLeftAllAreGivenAgainAndTheGoodSlotStarts() {
        let card = SlotState(first: .b, triesA: 0, triesB: 0, good: .a)
        for _ in 0..<3 {
            var state = card
            let slot = state.boot()
            #expect(slot == .a)
            #expect(state.triesA == 2)
            #expect(state.triesB == 3)
        }
    }

    @Test("a slot that is being written is not started, whatever fails")
    func aSlotThatIsBeingWrittenIsNotStarted() {
        var state = with { $0.retire(.b) }
        let boots = (0..<3).map { _ in state.boot() }
        #expect(boots == [.a, .a, .a])
    }

    @Test("the running slot is read from the kernel's command line")
    func theRunningSlotIsReadFromTheKernelsCommandLine() {
        #expect(BootWords(commandLine: "ro quiet howalarming.slot=B howalarming.left=2\n").slot == .b)
        #expect(BootWords(commandLine: "xhowalarming.slot=B").slot == nil)
        #expect(BootWords(commandLine: "howalarming.slot=C").slot == nil)
        #expect(BootWords(commandLine: "").slot == nil)
        #expect(BootWords(commandLine: "howalarming.slot=B howalarming.good=B").isProved)
        #expect(!BootWords(commandLine: "howalarming.slot=B howalarming.good=A").isProved)
        #expect(!BootWords(commandLine: "ro").isProved)
    }

    @Test("what programs read of the slots is what was written")
    func whatProgramsReadOfTheSlotsIsWhatWasWritten() throws {
        let report = SlotReport(running: .b, state: with { $0.activate(.b) }, versions: [.a: "1.0.0"])
        #expect(SlotReport(file: report.json.utf8) == report)
        #expect(report.lines[0] == "A  1.0.0  (good, 9 tries left)")
        #expect(report.lines[1] == "B  empty or damaged  (runs, on trial, 3 tries left, started first)")
        #expect(SlotReport(file: Array("{}".utf8)) == nil)
    }

    private func with(_ change: (inout SlotState) -> Void) -> SlotState {
        var state = SlotState.initial
        change(&state)
        return state
    }

    static func block(_ text: String) -> [UInt8] {
        let data = Array(text.utf8) + [UInt8](repeating: 0, count: 508 - text.utf8.count)
        return CRC32.littleEndian(CRC32.of(data)) + data
    }
}
