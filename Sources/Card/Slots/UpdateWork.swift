import Platform
import SoftwareUpdate

/// Checks a bundle, and installs it.
struct UpdateWork {
    var places: UpdatePlaces
    var isOlderConfirmed: Bool
    /// How far it is.
    var tell: (UpdateStatus) -> Void = { _ in }

    /// A bundle of which everything was checked that can be without writing.
    struct Checked: Equatable {
        var header: BundleHeader
        var key: UpdateKey
        var part: BundleManifest.Part
    }

    func policy(slotBytes: Int?) throws(UpdateStop) -> UpdatePolicy {
        try places.policy(slotBytes: slotBytes, isOlderConfirmed: isOlderConfirmed)
    }

    func check(_ file: BundleFile, _ policy: UpdatePolicy) throws(UpdateStop) -> Checked {
        var found: Checked?
        var slot: Int?
        var hash = DigestHash()
        var tail: [UInt8] = []
        var told = -1
        try file.read { (item, percent) throws(UpdateStop) in
            switch item {
            case .header(let header):
                let key = try Self.refusing { () throws(UpdateRefusal) in
                    try policy.check(header, OpenSSLCrypto())
                }
                guard let part = header.manifest.slot else { throw .refused(.unknownParts) }
                found = Checked(header: header, key: key, part: part)
                slot = header.manifest.slotIndex
            case .chunk(let index, let bytes):
                guard index == slot else { return }
                hash.update(bytes)
                tail = Array((tail + bytes.suffix(SlotTrailer.byteCount)).suffix(SlotTrailer.byteCount))
                if percent != told {
                    told = percent
                    tell(UpdateStatus(.checking, percent: percent, "The bundle is checked"))
                }
            case .partEnded, .ended: break
            }
        }
        guard let found else { throw .refused(.damaged(.cut(missing: nil))) }
        guard hash.finish() == found.part.sha256 else { throw .refused(.wrongHash) }
        let trailer: SlotTrailer
        do throws(BundleError) {
            trailer = try SlotTrailer(tail)
        } catch {
            throw .refused(.damaged(error))
        }
        try Self.refusing { () throws(UpdateRefusal) in try policy.check(trailer, of: found.header.manifest) }
        return found
    }

    /// Into the idle slot, which is started first from then on.
    func install(_ file: BundleFile) throws(UpdateStop) -> (release: ReleaseDescription, slot: BootSlot) {
        guard let running = places.runningSlot, let diskPath = places.diskPath,
            let slotPath = places.slotPath(running.other)
        else {
            throw .failed(
                "this machine has no slots for its software, so that a bundle cannot be installed; it is for the appliance"
            )
        }
        // Whoever waits for another update to end sees what that one has left.
        let disk = try Self.failing { () throws(UpdateFailure) in
            try CardDisk(slot: slotPath, state: diskPath, form: places.stateForm)
        }
        let copies = try Self.failing { () throws(UpdateFailure) in try disk.loadState() }
        guard !copies.state.isTrial(running) else { throw .refused(.onTrial) }
        let checked = try check(file, try policy(slotBytes: disk.slotBytes))
        let part = checked.part
        var installer = SlotInstaller(
            disk: disk, copies: copies, idle: running.other, part: part, hash: DigestHash())
        try Self.failing { () throws(UpdateFailure) in try installer.begin() }
        let words = "Version \(checked.header.manifest.release.version) is written into slot \(running.other.rawValue)"
        var told = -1
        try file.read { (item, percent) throws(UpdateStop) in
            guard case .chunk(checked.header.manifest.slotIndex, let bytes) = item else { return }
            try Self.failing { () throws(UpdateFailure) in try installer.take(bytes) }
            guard percent != told else { return }
            told = percent
            tell(UpdateStatus(.writing, percent: percent, words))
        }
        told = -1
        try Self.failing { () throws(UpdateFailure) in
            try installer.finish { percent in
                guard percent != told else { return }
                told = percent
                tell(UpdateStatus(.readingBack, percent: percent, "What was written is read back and compared"))
            }
        }
        return (checked.header.manifest.release, running.other)
    }

    private static func refusing<Value>(_ body: () throws(UpdateRefusal) -> Value) throws(UpdateStop) -> Value {
        do throws(UpdateRefusal) {
            return try body()
        } catch {
            throw .refused(error)
        }
    }

    static func failing<Value>(_ body: () throws(UpdateFailure) -> Value) throws(UpdateStop) -> Value {
        do throws(UpdateFailure) {
            return try body()
        } catch {
            throw .failed(error.description)
        }
    }
}
