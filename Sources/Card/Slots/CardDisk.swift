import Platform
import SoftwareUpdate

/// The idle slot and the slot state on the card.
struct CardDisk: SlotDisk {
    private let slot: BlockFile
    private let state: BlockFile
    private let form: SlotStateCopies.Form

    /// Locks the slot: two updates at once write one after the other.
    init(slot slotPath: String, state statePath: String, form: SlotStateCopies.Form) throws(UpdateFailure) {
        self.form = form
        do throws(SystemError) {
            slot = try BlockFile(slotPath, isWritable: true)
            try slot.lock()
            state = try BlockFile(statePath, isWritable: true)
        } catch {
            throw .disk(error.description)
        }
    }

    var slotBytes: Int { slot.size }

    /// What the boot loader goes by now.
    func loadState() throws(UpdateFailure) -> SlotStateCopies { try Self.state(of: state, form) }

    static func state(of file: BlockFile, _ form: SlotStateCopies.Form) throws(UpdateFailure) -> SlotStateCopies {
        var copies: [[UInt8]] = []
        for place in form.places {
            copies.append(try act { () throws(SystemError) in try file.read(SlotState.blockCount, at: place) })
        }
        return SlotStateCopies(copies, form: form)
    }

    static func trailer(of file: BlockFile) -> SlotTrailer? {
        guard file.size >= SlotTrailer.byteCount,
            let bytes = try? file.read(SlotTrailer.byteCount, at: file.size - SlotTrailer.byteCount)
        else { return nil }
        return try? SlotTrailer(bytes)
    }

    mutating func writeSlot(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(UpdateFailure) {
        try Self.act { () throws(SystemError) in try slot.write(bytes, at: offset) }
    }

    mutating func syncSlot() throws(UpdateFailure) {
        try Self.act { () throws(SystemError) in try slot.sync() }
    }

    mutating func readSlot(_ count: Int, at offset: Int) throws(UpdateFailure) -> [UInt8] {
        try Self.act { () throws(SystemError) in try slot.readFromMedium(count, at: offset) }
    }

    mutating func writeState(_ block: [UInt8], copy: Int) throws(UpdateFailure) {
        try Self.act { () throws(SystemError) in try state.write(block[...], at: form.places[copy]) }
    }

    mutating func syncState() throws(UpdateFailure) {
        try Self.act { () throws(SystemError) in try state.sync() }
    }

    private static func act<Value>(_ body: () throws(SystemError) -> Value) throws(UpdateFailure) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .disk(error.description)
        }
    }
}
