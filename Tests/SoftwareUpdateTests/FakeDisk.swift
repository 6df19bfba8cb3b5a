import SoftwareUpdate

/// A disk that forgets, when the power is cut, what was not synced, or keeps any of it, torn.
struct FakeDisk: SlotDisk {
    /// A write that is not durable yet.
    private struct Write {
        /// nil: the idle slot.
        var copy: Int?
        var place: Int
        var bytes: [UInt8]
    }

    /// What is left of unsynced writes when the power is cut.
    enum Loss: CaseIterable {
        case all, nothing, half, odd, even
    }

    private(set) var slot: [UInt8]
    private(set) var copies: [[UInt8]]
    let form: SlotStateCopies.Form
    private var pending: [Write] = []
    /// Operations until the power is cut.
    var left = Int.max
    private(set) var operations = 0
    /// This byte of the slot never takes.
    var deadByte: Int?

    init(slot: [UInt8], copies: [[UInt8]], form: SlotStateCopies.Form) {
        self.slot = slot
        self.copies = copies
        self.form = form
    }

    var state: SlotState { SlotStateCopies(copies, form: form).state }

    var slotBytes: Int { slot.count }

    private mutating func operate() throws(UpdateFailure) {
        guard left > 0 else { throw .disk("power cut") }
        left -= 1
        operations += 1
    }

    mutating func writeSlot(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(UpdateFailure) {
        try operate()
        pending.append(Write(copy: nil, place: offset, bytes: Array(bytes)))
    }

    mutating func syncSlot() throws(UpdateFailure) {
        try operate()
        for write in pending where write.copy == nil { land(write) }
        pending.removeAll { $0.copy == nil }
    }

    mutating func readSlot(_ count: Int, at offset: Int) throws(UpdateFailure) -> [UInt8] {
        try operate()
        return Array(slot[offset..<min(slot.count, offset + count)])
    }

    mutating func writeState(_ block: [UInt8], copy: Int) throws(UpdateFailure) {
        try operate()
        pending.append(Write(copy: copy, place: 0, bytes: block))
    }

    mutating func syncState() throws(UpdateFailure) {
        try operate()
        for write in pending where write.copy != nil { land(write) }
        pending.removeAll { $0.copy != nil }
    }

    private mutating func land(_ write: Write) {
        for (index, byte) in write.bytes.enumerated() {
            if let copy = write.copy {
                copies[copy][write.place + index] = byte
            } else if write.place + index != deadByte {
                slot[write.place + index] = byte
            }
        }
    }

    mutating func cutPower(_ loss: Loss) {
        for (number, write) in pending.enumerated() {
            var write = write
            switch loss {
            case .all: continue
            case .nothing: break
            case .half: write.bytes = Array(write.bytes.prefix(write.bytes.count / 2))
            case .odd: if number.isMultiple(of: 2) { continue }
            case .even: if !number.isMultiple(of: 2) { continue }
            }
            land(write)
        }
        pending = []
        left = .max
    }
}
