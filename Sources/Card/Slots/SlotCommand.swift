package import CommandKit
import PhoneProtocol
import Platform
package import SoftwareUpdate

/// `slot`: what is in the two slots, `slot good` and `slot damaged`.
package struct SlotCommand: Command, Equatable {
    enum Task: Hashable, Sendable {
        case show(json: Bool)
        /// What runs has proved itself.
        case markGood
        /// The card no longer holds what runs as it was written.
        case markDamaged
    }

    var task: Task
    var places: UpdatePlaces

    package func run(on console: Console) -> Int32 {
        do throws(UpdateStop) {
            switch task {
            case .show(let json):
                let report = try known()
                console.print(json ? [report.json.text] : report.lines)
            case .markGood:
                let (running, first) = try markGood()
                console.print([
                    running == first
                        ? "Slot \(running.rawValue) is good: it is started first from now on."
                        : "Slot \(running.rawValue) works. Slot \(first.rawValue) is started first from now on."
                ])
            case .markDamaged:
                let (running, first) = try markDamaged()
                console.print([
                    "Slot \(running.rawValue) is damaged. Slot \(first.rawValue) is started from now on."
                ])
            }
            writeReport()
            return ExitStatus.done
        } catch {
            console.complain(Text.printable(error.description))
            return ExitStatus.failed
        }
    }

    /// From the disk, or what was written of it for those who may not read it.
    private func known() throws(UpdateStop) -> SlotReport {
        do throws(UpdateStop) {
            return try read()
        } catch {
            if places.disk == nil, places.report == nil, let report = Self.written() { return report }
            throw error
        }
    }

    package static func written(_ file: String = UpdatePlaces.slots) -> SlotReport? {
        (try? FileReader.read(file, limit: 16 * 1024)).flatMap { SlotReport(file: $0) }
    }

    private func read() throws(UpdateStop) -> SlotReport {
        let (running, disk) = try machine()
        let state: SlotState
        do {
            state = try CardDisk.state(of: try BlockFile(disk, isWritable: false), places.stateForm).state
        } catch {
            throw .failed("the slot state cannot be read (\(error)); root may read it")
        }
        var versions: [BootSlot: String] = [:]
        for slot in BootSlot.allCases {
            guard let path = places.slotPath(slot), let file = try? BlockFile(path, isWritable: false) else { continue }
            versions[slot] = CardDisk.trailer(of: file)?.version
        }
        return SlotReport(running: running, state: state, versions: versions)
    }

    /// - Returns: the slot that runs, and the one that is started first from now on
    private func markGood() throws(UpdateStop) -> (running: BootSlot, first: BootSlot) {
        let (running, disk) = try machine()
        let release = try places.installed()
        guard let path = places.slotPath(running.other) else { throw .failed("the other slot is not there") }
        // Locks the other slot: an update may be writing it, and the state.
        var card = try UpdateWork.failing { () throws(UpdateFailure) in
            try CardDisk(slot: path, state: disk, form: places.stateForm)
        }
        var copies = try UpdateWork.failing { () throws(UpdateFailure) in try card.loadState() }
        let old = copies.state
        var state = old
        if old.isStandIn(running) {
            // The running version replaces the good one until the next start only.
            state.restoreGood()
        } else if old.good == running, old.first != running, old.tries(old.first) > 0 {
            // An update that waits for the next start stays first; what runs is good all the same.
            state.setTries(running, SlotState.goodTries)
        } else {
            state.markGood(running)
        }
        if state != old {
            try UpdateWork.failing { () throws(UpdateFailure) in try card.store(state, in: &copies) }
        }
        try places.keepFloor(release.floor)
        return (running, state.first)
    }

    /// - Returns: the slot that runs, and the other one, which is started from now on
    private func markDamaged() throws(UpdateStop) -> (running: BootSlot, first: BootSlot) {
        let (running, disk) = try machine()
        guard let path = places.slotPath(running.other),
            let file = try? BlockFile(path, isWritable: false), CardDisk.trailer(of: file) != nil
        else { throw .failed("the other slot holds nothing to start") }
        var card = try UpdateWork.failing { () throws(UpdateFailure) in
            try CardDisk(slot: path, state: disk, form: places.stateForm)
        }
        var copies = try UpdateWork.failing { () throws(UpdateFailure) in try card.loadState() }
        var state = copies.state
        guard state.tries(running.other) > 0 else {
            throw .failed("the other slot has no tries left: it has failed, or an update is being written to it")
        }
        state.retire(running)
        try UpdateWork.failing { () throws(UpdateFailure) in try card.store(state, in: &copies) }
        return (running, state.first)
    }

    private func machine() throws(UpdateStop) -> (BootSlot, String) {
        guard let running = places.runningSlot, let disk = places.diskPath else {
            throw .failed("this machine has no slots for its software: they are the appliance's")
        }
        return (running, disk)
    }

    /// For those who may not read the disk; that it cannot be written is no reason to stop.
    func writeReport() {
        guard let file = places.report, let report = try? read() else { return }
        try? AtomicFile.write(file, report.json.utf8 + [10], mode: 0o644)
    }
}

extension SlotCommand {
    private enum Part: String, CaseIterable {
        case good, damaged

        var task: Task { self == .good ? .markGood : .markDamaged }
    }

    package static let entry = CommandEntry(
        "slot", "[good|damaged]", in: .watching, brief: "the two software slots",
        """
        Shows what is in the two slots, which of them runs, and how often each is tried. 'slot good' says that what
        runs has proved itself; the service does that by itself after some minutes. 'slot damaged' says that the card no
        longer holds what runs as it was written, so that the other slot is started from now on; the service does that
        after three kernel panics for this reason within a day.

        \(CommandSyntax.json)
        \(UpdatePlaces.options)

        howalarming slot
        howalarming slot --json
        howalarming slot good
        """
    ) { given throws(UsageError) in
        let part: Part? = try given.choice(0, what: "the part of 'slot'")
        return SlotCommand(
            task: part?.task ?? .show(json: given.json), places: try UpdatePlaces(given))
    }
}
