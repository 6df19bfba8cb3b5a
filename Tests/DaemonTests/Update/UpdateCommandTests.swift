import Foundation
import PhoneProtocol
import SoftwareUpdate
import Testing

@testable import Card

@Suite("update, slot and bundle on a card of files")
struct UpdateCommandTests {
    @Test("a bundle that was made is shown, checked and installed into the slot that does not run")
    func aBundleThatWasMadeIsShown() throws {
        let bench = try UpdateBench()
        let bundle = try bench.bundle()
        #expect(try bench.run { BundleCommand.show(file: bundle).run(on: $0) }.text.contains("The bundle is whole."))
        let before = try bench.card
        let check = try bench.update(.check(file: bundle))
        #expect(check.status == 0)
        #expect(check.text.contains("Signed by 1.pub; it may be installed here."))
        #expect(try bench.card == before)

        let result = try bench.update(.install(file: bundle))
        #expect(result.status == 0, "\(result.text)")
        #expect(result.text.contains("Version 1.1.0 is in slot B. Restart the machine"))
        let image = UpdateBench.image("1.1.0")
        let slot = try bench.read("slot-b")
        #expect(slot.count == UpdateBench.slotBytes)
        #expect(slot.starts(with: image.dropLast(4096)))
        #expect(Array(slot.suffix(4096)) == Array(image.suffix(4096)))
        #expect(try bench.read("slot-a") == before[1])
        #expect(try bench.state == SlotState(first: .b, triesA: 9, triesB: 3, good: .a))
        #expect(bench.status?.phase == .done)
        #expect(bench.report?.version(of: .b) == "1.1.0")
        let mode = try FileManager.default.attributesOfItem(atPath: bench.path("status.json"))[.posixPermissions]
        #expect(mode as? Int == 0o644)
    }

    @Test("an optional part of a later version is passed over, and the slot behind it is installed")
    func anOptionalPartOfALaterVersion() throws {
        let bench = try UpdateBench()
        let bundle = try bench.bundleOfALaterVersion()
        #expect(try bench.run { BundleCommand.show(file: bundle).run(on: $0) }.text.contains("The bundle is whole."))
        let result = try bench.update(.install(file: bundle))
        #expect(result.status == 0, "\(result.text)")
        #expect(try bench.read("slot-b").starts(with: UpdateBench.image("1.1.0").dropLast(4096)))
    }

    @Test("what is refused changes nothing on the card and says what to do next")
    func whatIsRefusedChangesNothingOnTheCardAndSaysWhatToDoNext() throws {
        let bench = try UpdateBench()
        #expect(try bench.run { BundleCommand.keygen(file: bench.path("other")).run(on: $0) }.status == 0)
        let before = try bench.card
        let cases: [(String, String)] = [
            (try bench.bundle(UpdateBench.release("1.2.0", 1_002_000), key: "other"), "none of this box's keys"),
            (try bench.bundle(UpdateBench.release("1.3.0", 1_003_000, board: "rpi")), "take the bundle for 'virt'"),
            (try bench.bundle(UpdateBench.release("0.9.5", 950_000, floor: 0)), "--older"),
            (try bench.bundle(UpdateBench.release("0.8.0", 800_000, floor: 0)), "security faults"),
            (bench.path("nothing"), "cannot be read"), (bench.path("slot-a"), "no HowAlarming bundle"),
        ]
        for (bundle, words) in cases {
            for task in [UpdateCommand.Task.check(file: bundle), .install(file: bundle)] {
                let result = try bench.update(task)
                #expect(result.status == 1)
                #expect(result.text.contains(words), "\(result.text)")
            }
            #expect(bench.status?.phase == (words == "cannot be read" ? .failed : .refused))
            #expect(try bench.card == before)
        }
        // Nothing below the floor, whoever asks; older on request.
        #expect(try bench.update(.install(file: cases[3].0), older: true).status == 1)
        #expect(try bench.card == before)
        #expect(try bench.update(.install(file: cases[2].0), older: true).status == 0)
        #expect(try bench.state.first == .b)
    }

    @Test("a bundle with one wrong bit anywhere is refused before anything is written")
    func aBundleWithOneWrongBitAnywhereIsRefusedBeforeAnything() throws {
        let bench = try UpdateBench()
        let bundle = try bench.bundle()
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: bundle)))
        let before = try bench.card
        for place in stride(from: 0, to: bytes.count, by: 997) {
            var wrong = bytes
            wrong[place] ^= 4
            try bench.write(wrong, "wrong.bundle")
            #expect(try bench.update(.install(file: bench.path("wrong.bundle"))).status == 1)
        }
        for count in [0, 10, 300, bytes.count - 1] {
            try bench.write(Array(bytes.prefix(count)), "wrong.bundle")
            #expect(try bench.update(.install(file: bench.path("wrong.bundle"))).status == 1)
        }
        try bench.write(bytes + [0], "wrong.bundle")
        #expect(try bench.update(.install(file: bench.path("wrong.bundle"))).status == 1)
        #expect(try bench.card == before)
    }

    @Test("after an update that failed, what is told of the slots is what is in them")
    func afterAnUpdateThatFailed() throws {
        let bench = try UpdateBench()
        #expect(try bench.slot(.show(json: false)).status == 0)
        #expect(bench.report?.version(of: .b) == "1.0.0")
        // As when the card stopped in the middle of the write.
        try bench.write([UInt8](repeating: 0, count: UpdateBench.slotBytes), "slot-b")
        #expect(try bench.update(.install(file: bench.path("nothing"))).status == 1)
        #expect(bench.report?.version(of: .a) == "1.0.0")
        #expect(bench.report != nil && bench.report?.version(of: .b) == nil)
    }

    @Test("a slot that is too small for the image is left alone")
    func aSlotThatIsTooSmallForTheImageIsLeftAlone() throws {
        let bench = try UpdateBench()
        try bench.write([UInt8](repeating: 1, count: 4 * 4096), "slot-b")
        let before = try bench.card
        let result = try bench.update(.install(file: try bench.bundle()))
        #expect(result.status == 1)
        #expect(result.text.contains("flash a card"))
        #expect(try bench.card == before)
    }

    @Test("a version that has not proved itself is not replaced; once it is good it is, and its floor holds for ever")
    func aVersionThatHasNotProvedItselfIsNotReplaced() throws {
        var state = SlotState.initial
        state.activate(.b)
        state.setTries(.b, 2)
        let bench = try UpdateBench(
            installed: UpdateBench.release("1.1.0", 1_001_000, floor: 1_000_500), running: .b, state: state)
        let newer = try bench.bundle(UpdateBench.release("1.2.0", 1_002_000))
        let refused = try bench.update(.install(file: newer))
        #expect(refused.status == 1)
        #expect(refused.text.contains("has not proved itself yet"))
        #expect(
            try bench.slot(.show(json: false)).text.contains("B  1.0.0  (runs, on trial, 2 tries left, started first)"))
        #expect(try bench.slot(.markGood).status == 0)
        #expect(try bench.state == SlotState(first: .b, triesA: 9, triesB: 9, good: .b))
        #expect(bench.report?.good == .b)
        #expect(String(decoding: try bench.read("data/floor"), as: UTF8.self) == "1000500\n")
        // The floor outlives a release that has a lower one.
        try bench.write(UpdateBench.release("1.1.0", 1_001_000, floor: 0).json.utf8, "release.json")
        let old = try bench.bundle(UpdateBench.release("1.0.0", 1_000_000, floor: 0))
        #expect(try bench.update(.install(file: old), older: true).text.contains("security faults"))
        #expect(try bench.slot(.markGood).status == 0)
        #expect(String(decoding: try bench.read("data/floor"), as: UTF8.self) == "1000500\n")
        #expect(try bench.update(.install(file: newer)).status == 0)
        // It waits for the restart: what runs being good does not take its turn.
        #expect(try bench.slot(.markGood).status == 0)
        #expect(try bench.state == SlotState(first: .a, triesA: 3, triesB: 9, good: .b))
    }

    @Test("after the version before came back, marking it good starts it first again")
    func afterTheVersionBeforeCameBack() throws {
        var state = SlotState.initial
        state.activate(.b)
        state.setTries(.b, 0)
        state.setTries(.a, 2)
        let bench = try UpdateBench(state: state)
        #expect(try bench.slot(.markGood).status == 0)
        #expect(try bench.state == SlotState(first: .a, triesA: 9, triesB: 0, good: .a))
    }

    @Test("a stand-in for the good version gives it its starts again, and does not become the good one")
    func aStandInGivesTheGoodVersionItsStartsAgain() throws {
        var state = SlotState.initial
        state.activate(.b)
        state.markGood(.b)
        state.setTries(.b, 0)
        state.setTries(.a, 2)
        let bench = try UpdateBench(state: state)
        for _ in 0..<2 {
            let result = try bench.slot(.markGood)
            #expect(result.status == 0 && result.text.contains("Slot B is started first from now on."))
            #expect(try bench.state == SlotState(first: .b, triesA: 2, triesB: 9, good: .b))
        }
    }

    @Test("a slot that the card has damaged gives way to the other one, unless that has failed or is not whole")
    func aSlotThatTheCardHasDamagedGivesWay() throws {
        let bench = try UpdateBench()
        let result = try bench.slot(.markDamaged)
        #expect(result.status == 0 && result.text.contains("Slot B is started from now on."))
        #expect(try bench.state == SlotState(first: .b, triesA: 0, triesB: 9, good: .b))
        #expect(bench.report?.good == .b)
        var failed = SlotState.initial
        failed.setTries(.b, 0)
        let other = try UpdateBench(state: failed)
        let before = try other.card
        #expect(try other.slot(.markDamaged).text.contains("has no tries left"))
        #expect(try other.card == before)
        let empty = try UpdateBench()
        try empty.write([UInt8](repeating: 0, count: UpdateBench.slotBytes), "slot-b")
        #expect(try empty.slot(.markDamaged).status == 1)
        #expect(try empty.state == .initial)
    }

    @Test("a floor that cannot be understood stops updates rather than holding none")
    func aFloorThatCannotBeUnderstoodStopsUpdatesRatherThanHolding() throws {
        let bench = try UpdateBench()
        try FileManager.default.createDirectory(atPath: bench.path("data"), withIntermediateDirectories: true)
        try bench.write(Array("x\n".utf8), "data/floor")
        let result = try bench.update(.install(file: try bench.bundle()))
        #expect(result.status == 1)
        #expect(result.text.contains("holds no number"))
    }

    @Test("what the daemon asks for is done once")
    func whatTheDaemonAsksForIsDoneOnce() throws {
        let bench = try UpdateBench()
        let request = UpdateRequest(
            bundle: try bench.bundle(UpdateBench.release("0.9.5", 950_000, floor: 0)), isOlderConfirmed: true)
        try request.make(runtimeDirectory: bench.directory)
        let result = try bench.update(.carryOutRequest(file: bench.path("update")))
        #expect(result.status == 0, "\(result.text)")
        #expect(!FileManager.default.fileExists(atPath: bench.path("update")))
        #expect(try bench.update(.carryOutRequest(file: bench.path("update"))).status == 1)
        for text in ["", "relative.bundle\n", "\n/x\n"] {
            try bench.write(Array(text.utf8), "update")
            #expect(UpdateRequest.take(bench.path("update")) == nil)
        }
        try bench.write(Array("/x y.bundle\nelder\n".utf8), "update")
        #expect(
            UpdateRequest.take(bench.path("update")) == UpdateRequest(bundle: "/x y.bundle", isOlderConfirmed: false))
    }

    @Test("what a key on another machine has signed by digest is the same bundle and offer; other content is refused")
    func whatAnotherMachineHasSignedIsTheSame() throws {
        let bench = try UpdateBench()
        let release = UpdateBench.release("1.1.0", 1_001_000)
        let whole = try bench.read(URL(fileURLWithPath: try bench.bundle(release)).lastPathComponent)
        func run(_ command: BundleCommand) throws -> (status: Int32, text: String) {
            try bench.run { command.run(on: $0) }
        }
        func make(_ release: ReleaseDescription, _ signing: BundleSigning) -> BundleCommand {
            .make(release, slot: bench.path("image"), signing: signing, output: bench.path("other.bundle"))
        }
        let digest = try run(make(release, .digest))
        #expect(!FileManager.default.fileExists(atPath: bench.path("other.bundle")))
        try bench.write(Array(digest.text.utf8), "digest")
        let signed = try run(.sign(file: bench.path("digest"), key: bench.path("key")))
        #expect(signed.status == 0 && signed.text.contains("Version  1.1.0 (number 1001000"))
        let line = try #require(signed.text.split(separator: "\n").last.map(String.init))
        let made = BundleSigning.made(line: line, publicKey: bench.path("key.pub"))
        #expect(try run(make(release, made)).status == 0)
        #expect(try bench.read("other.bundle") == whole)
        var later = release
        later.number += 1
        #expect(try run(make(later, made)).text.contains("is not that of this content"))
        #expect(try run(.keygen(file: bench.path("stranger"))).status == 0)
        #expect(try run(make(release, .made(line: line, publicKey: bench.path("stranger.pub")))).status != 0)
        #expect(try run(make(release, .made(line: "x", publicKey: bench.path("key.pub")))).status != 0)
        for text in ["", "00", "zz", Hex.encode(Array("howalarming-bundle-1\0{}".utf8)), Hex.encode(release.json.utf8)]
        {
            try bench.write(Array(text.utf8), "digest")
            let refused = try run(.sign(file: bench.path("digest"), key: bench.path("key")))
            #expect(refused.text.contains("is not what 'bundle make' or 'bundle offer' prints"), "\(text)")
        }
    }

    @Test("a key is never overwritten, and only a slot's image of that version is signed")
    func aKeyIsNeverOverwritten() throws {
        let bench = try UpdateBench()
        let key = try bench.read("key")
        #expect(try bench.run { BundleCommand.keygen(file: bench.path("key")).run(on: $0) }.status == 1)
        #expect(try bench.read("key") == key)
        // Nor is its public half, which is all that is left where the key is kept elsewhere.
        try bench.write([1], "kept.pub")
        #expect(try bench.run { BundleCommand.keygen(file: bench.path("kept")).run(on: $0) }.status == 1)
        #expect(try bench.read("kept.pub") == [1])
        #expect(!FileManager.default.fileExists(atPath: bench.path("kept")))
        let mode = try FileManager.default.attributesOfItem(atPath: bench.path("key"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try bench.write(UpdateBench.image("1.1.0"), "image")
        let make = BundleCommand.make(
            UpdateBench.release("1.2.0", 1_002_000), slot: bench.path("image"), signing: .key(file: bench.path("key")),
            output: bench.path("x.bundle"))
        #expect(try bench.run { make.run(on: $0) }.text.contains("does not end with the trailer"))
        #expect(!FileManager.default.fileExists(atPath: bench.path("x.bundle")))
    }
}
