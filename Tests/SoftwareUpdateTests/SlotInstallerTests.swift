import Platform
import SoftwareUpdate
import Testing

struct SlotInstallerTests {
    private static let old = BundleBench.image(version: "1.0.0", blocks: 6)
    private static let image = BundleBench.image(version: "1.1.0", blocks: 5)
    /// The slot is larger than the image: the trailer stands apart.
    private static let slotBytes = 7 * 4096
    private static var part: BundleManifest.Part {
        BundleManifest.Part(name: "slot", bytes: image.count, sha256: BundleBench.crypto.sha256(image))
    }

    /// What is whole in a slot: its version, as the boot chain would find it; nil: it does not boot.
    private static func version(in slot: [UInt8]) -> String? {
        guard let trailer = try? SlotTrailer(Array(slot.suffix(4096))) else { return nil }
        let body =
            switch trailer.version {
            case "1.0.0": old.dropLast(4096)
            default: image.dropLast(4096)
            }
        return slot.starts(with: body) ? trailer.version : nil
    }

    /// What starts in the end, and after how many starts that failed.
    private static func boots(_ disk: FakeDisk, running: BootSlot) -> (version: String, failures: Int)? {
        var state = disk.state
        for failures in 0..<12 {
            let slot = state.boot()
            if slot == running { return ("1.0.0", failures) }
            if let version = version(in: disk.slot) { return (version, failures) }
        }
        return nil
    }

    private static func fresh(
        running: BootSlot, idle: [UInt8], state: SlotState, form: SlotStateCopies.Form = .numbered
    ) -> FakeDisk {
        FakeDisk(slot: idle, copies: [state.block(), state.block()], form: form)
    }

    private static func install(
        on disk: FakeDisk, running: BootSlot, pieces: Int = 5000
    ) -> (disk: FakeDisk, failure: UpdateFailure?) {
        let copies = SlotStateCopies(disk.copies, form: disk.form)
        var installer = SlotInstaller(
            disk: disk, copies: copies, idle: running.other, part: part, hash: PlainHash())
        do throws(UpdateFailure) {
            try installer.begin()
            var rest = image[...]
            while !rest.isEmpty {
                try installer.take(rest.prefix(pieces))
                rest = rest.dropFirst(pieces)
            }
            try installer.finish()
            return (installer.disk, nil)
        } catch {
            return (installer.disk, error)
        }
    }

    private static func state(good: BootSlot) -> SlotState {
        var state = SlotState.initial
        state.markGood(good)
        return state
    }

    private static var idleSlots: [[UInt8]] {
        // Empty, and with a whole old version that its trailer tells of.
        let whole = Array(old.dropLast(4096)) + [UInt8](repeating: 7, count: 4096) + Array(old.suffix(4096))
        return [[UInt8](repeating: 0xFF, count: slotBytes), whole]
    }

    @Test("an image ends up in the idle slot, whole, and is started first", arguments: BootSlot.allCases)
    func anImageEndsUpInTheIdleSlot(_ running: BootSlot) {
        for pieces in [1000, 4096, 5000, 1 << 20] {
            let disk = Self.fresh(running: running, idle: Self.idleSlots[0], state: Self.state(good: running))
            let (after, failure) = Self.install(on: disk, running: running, pieces: pieces)
            #expect(failure == nil)
            #expect(Self.version(in: after.slot) == "1.1.0")
            let state = after.state
            #expect(state.first == running.other)
            #expect(state.good == running)
            #expect(state.tries(running) == 9)
            #expect(state.tries(running.other) == 3)
        }
    }

    @Test(
        "power cut at any step, whatever the disk kept, leaves the old or the new version to start at once",
        arguments: BootSlot.allCases)
    func powerCutAtAnyStep(_ running: BootSlot) {
        var versions: Set<String> = []
        // The last: another update was installed before, and the machine was not restarted since.
        var activated = Self.state(good: running)
        activated.activate(running.other)
        let states = Self.idleSlots.map { ($0, Self.state(good: running)) } + [(Self.idleSlots[1], activated)]
        let begins = states.flatMap { idle, state in
            SlotStateCopies.Form.allCases.map { Self.fresh(running: running, idle: idle, state: state, form: $0) }
                + [FakeDisk(slot: idle, copies: [state.block(number: 8), state.block(number: 7)], form: .numbered)]
        }
        for disk in begins {
            let steps = Self.install(on: disk, running: running).disk.operations
            #expect(steps > 12)
            for cut in 0...steps {
                for loss in FakeDisk.Loss.allCases {
                    var begun = disk
                    begun.left = cut
                    var (after, failure) = Self.install(on: begun, running: running)
                    #expect((failure == nil) == (cut == steps))
                    after.cutPower(loss)
                    let found = Self.boots(after, running: running)
                    #expect(found?.failures == 0, "cut before step \(cut), \(loss)")
                    if let version = found?.version { versions.insert(version) }
                    // What was begun anew afterwards ends well.
                    if cut.isMultiple(of: 5), after.state.first == running {
                        #expect(Self.install(on: after, running: running).failure == nil)
                    }
                }
            }
        }
        #expect(versions == ["1.0.0", "1.1.0"])
    }

    @Test("a card that does not keep what was written is noticed, and the old version stays first")
    func aCardThatDoesNotKeepWhatWasWrittenIsNoticed() {
        for byte in [0, 4096 * 4 - 1, Self.slotBytes - 10] {
            var disk = Self.fresh(running: .a, idle: Self.idleSlots[0], state: Self.state(good: .a))
            disk.deadByte = byte
            let (after, failure) = Self.install(on: disk, running: .a)
            #expect(failure == .readBackDiffers)
            #expect(after.state.first == .a)
            #expect(after.state.triesB == 0)
        }
    }

    @Test("an image that is another one than announced is never made valid")
    func anImageThatIsAnotherOneThanAnnouncedIsNeverMadeValid() {
        var bytes = Self.image
        bytes[100] ^= 1
        for wrong in [bytes, Array(Self.image.dropLast()), Self.image + [0]] {
            let disk = Self.fresh(running: .a, idle: Self.idleSlots[0], state: Self.state(good: .a))
            var installer = SlotInstaller(
                disk: disk, copies: SlotStateCopies(disk.copies, form: disk.form), idle: .b, part: Self.part,
                hash: PlainHash())
            #expect(throws: UpdateFailure.changed) {
                try installer.begin()
                try installer.take(wrong[...])
                try installer.finish()
            }
            #expect((try? SlotTrailer(Array(installer.disk.slot.suffix(4096)))) == nil)
            #expect(installer.disk.state.first == .a)
        }
    }
}
