/// Writes a slot's image into the idle slot, in the order that leaves a bootable slot at each moment:
///
/// the state that passes the idle slot over, the idle slot's trailer erased, the image but for its trailer, read back and
/// compared, the trailer, the state that starts the new slot first. Each is durable before the next begins.
package struct SlotInstaller<Disk: SlotDisk, Hash: RunningHash> {
    package private(set) var disk: Disk
    private var copies: SlotStateCopies
    private let idle: BootSlot
    private let part: BundleManifest.Part
    private var hash: Hash
    private var written = 0
    /// The last bytes of the image: they may be its trailer.
    private var tail: [UInt8] = []

    /// Bytes that are read back at once.
    private static var pieceCount: Int { 256 * 1024 }

    /// - Parameter part: passed the policy: larger than a trailer, and it fits
    package init(disk: Disk, copies: SlotStateCopies, idle: BootSlot, part: BundleManifest.Part, hash: Hash) {
        precondition(
            part.bytes > SlotTrailer.byteCount && part.bytes <= disk.slotBytes, "a part that fits was chosen")
        self.disk = disk
        self.copies = copies
        self.idle = idle
        self.part = part
        self.hash = hash
    }

    private var bodyCount: Int { part.bytes - SlotTrailer.byteCount }
    private var trailerPlace: Int { disk.slotBytes - SlotTrailer.byteCount }

    /// From now on the idle slot is neither started nor valid.
    package mutating func begin() throws(UpdateFailure) {
        var state = copies.state
        state.retire(idle)
        try disk.store(state, in: &copies)
        let zeros = [UInt8](repeating: 0, count: SlotTrailer.byteCount)
        try disk.writeSlot(zeros[...], at: trailerPlace)
        try disk.syncSlot()
    }

    /// The image in pieces.
    package mutating func take(_ bytes: ArraySlice<UInt8>) throws(UpdateFailure) {
        hash.update(bytes)
        let place = written + tail.count
        guard bytes.count <= part.bytes - place else { throw .changed }
        let ofBody = bytes.prefix(max(0, bodyCount - place))
        try disk.writeSlot(ofBody, at: place)
        written += ofBody.count
        tail += bytes.dropFirst(ofBody.count)
    }

    /// All of it has come. `progress` is told how much of it was read back, 0…100.
    package mutating func finish(_ progress: (Int) -> Void = { _ in }) throws(UpdateFailure) {
        guard written == bodyCount, tail.count == SlotTrailer.byteCount, hash.finish() == part.sha256 else {
            throw .changed
        }
        try disk.syncSlot()
        var done = 0
        while done < bodyCount {
            let piece = try disk.readSlot(min(Self.pieceCount, bodyCount - done), at: done)
            guard !piece.isEmpty else { throw .readBackDiffers }
            hash.update(piece[...])
            done += piece.count
            progress(Int((Double(done) / Double(bodyCount) * 100).rounded(.down)))
        }
        hash.update(tail[...])
        guard hash.finish() == part.sha256 else { throw .readBackDiffers }
        try disk.writeSlot(tail[...], at: trailerPlace)
        try disk.syncSlot()
        guard try disk.readSlot(SlotTrailer.byteCount, at: trailerPlace) == tail else { throw .readBackDiffers }
        var state = copies.state
        state.activate(idle)
        try disk.store(state, in: &copies)
    }
}
