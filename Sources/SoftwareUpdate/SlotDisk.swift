/// The places of the disk that an update writes. What was written is durable only after the sync.
package protocol SlotDisk {
    /// Bytes of the idle slot.
    var slotBytes: Int { get }
    /// Into the idle slot.
    mutating func writeSlot(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(UpdateFailure)
    mutating func syncSlot() throws(UpdateFailure)
    /// What lies on the disk, not what is remembered of it.
    mutating func readSlot(_ count: Int, at offset: Int) throws(UpdateFailure) -> [UInt8]
    /// Writes a copy of the slot state, by its index in the places of its form.
    mutating func writeState(_ block: [UInt8], copy: Int) throws(UpdateFailure)
    mutating func syncState() throws(UpdateFailure)
}

extension SlotDisk {
    package mutating func store(_ state: SlotState, in copies: inout SlotStateCopies) throws(UpdateFailure) {
        for write in copies.change(to: state) {
            try writeState(write.block, copy: write.copy)
            try syncState()
        }
    }
}

/// SHA-256 of bytes that come in pieces.
package protocol RunningHash {
    mutating func update(_ bytes: ArraySlice<UInt8>)
    /// 32 bytes; afterwards it begins anew.
    mutating func finish() -> [UInt8]
}

/// Why an update that had begun did not end well. What runs is as it was.
package enum UpdateFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// In words of the operating system.
    case disk(String)
    /// The bundle was another one when it was read again.
    case changed
    /// The card does not give back what was written.
    case readBackDiffers

    package var description: String {
        let same = "what runs is as it was"
        return switch self {
        case .disk(let why): "the card cannot be written (\(why)); \(same); try again, then replace the card"
        case .changed:
            "the bundle changed while it was read; \(same); copy the file again and do not touch it meanwhile"
        case .readBackDiffers: "the card gives back something else than was written; \(same); replace the card"
        }
    }
}
