package import PhoneProtocol

/// What may be installed.
package struct UpdatePolicy: Equatable, Sendable {
    /// What runs.
    package var installed: ReleaseDescription
    /// The highest floor of all releases that have ever proved themselves here.
    package var keptFloor: Int64
    /// The keys in the image that runs.
    package var keys: [UpdateKey]
    /// Bytes of the smaller slot.
    package var slotBytes: Int?
    /// A person has confirmed that an older version, or the same once more, is meant.
    package var isOlderConfirmed: Bool

    package init(
        installed: ReleaseDescription, keptFloor: Int64, keys: [UpdateKey], slotBytes: Int?, isOlderConfirmed: Bool
    ) {
        self.installed = installed
        self.keptFloor = keptFloor
        self.keys = keys
        self.slotBytes = slotBytes
        self.isOlderConfirmed = isOlderConfirmed
    }

    /// The keys by whose signature a bundle is installed.
    package var releaseKeys: [UpdateKey] { keys.filter { $0.role == .release } }

    /// The keys by whose signature the refresh of an offer counts.
    package var offerKeys: [UpdateKey] { keys.filter { $0.role != .app } }

    /// The lowest number that is installed, whoever asks.
    package var floor: Int64 { max(installed.floor, keptFloor) }

    /// Checks all that the head of a bundle tells. Returns the key that has signed it.
    package func check(_ header: BundleHeader, _ crypto: some Crypto) throws(UpdateRefusal) -> UpdateKey {
        guard !releaseKeys.isEmpty else { throw .noKeys }
        guard let key = header.signer(among: releaseKeys, crypto) else {
            throw header.signatures.isEmpty ? .unsigned : .wrongSignature
        }
        let release = header.manifest.release
        guard release.board == installed.board else {
            throw .otherBoard(bundle: release.board, box: installed.board)
        }
        guard release.number >= floor else { throw .belowFloor(version: release.version) }
        guard isOlderConfirmed || release.number > installed.number else {
            throw release.number == installed.number
                ? .same(version: release.version)
                : .older(version: release.version, installed: installed.version)
        }
        let parts = header.manifest.parts
        guard let slot = header.manifest.slot, !slot.isOptional,
            parts.allSatisfy({ $0.isOptional || $0.name == BundleManifest.slotPart })
        else { throw .unknownParts }
        guard slot.bytes > SlotTrailer.byteCount, slot.bytes.isMultiple(of: 4096) else { throw .unknownParts }
        if let slotBytes, slot.bytes > slotBytes { throw .tooLarge(bytes: slot.bytes, slot: slotBytes) }
        return key
    }

    /// Checks the end of the slot's image against what the manifest says.
    package func check(_ trailer: SlotTrailer, of manifest: BundleManifest) throws(UpdateRefusal) {
        let (data, overflow) = trailer.dataBlocks.multipliedReportingOverflow(by: 4096)
        let body = (manifest.slot?.bytes ?? 0) - SlotTrailer.byteCount
        guard trailer.board == manifest.release.board, trailer.version == manifest.release.version, !overflow,
            data > 0, data <= trailer.hashOffset, trailer.hashOffset < body
        else { throw .otherContent }
    }
}

/// Why a bundle is not installed: what happened, and what to do next.
package enum UpdateRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    case damaged(BundleError)
    case noKeys
    case unsigned
    case wrongSignature
    case otherBoard(bundle: String, box: String)
    case belowFloor(version: String)
    case older(version: String, installed: String)
    case same(version: String)
    case tooLarge(bytes: Int, slot: Int)
    /// Parts that this version does not know.
    case unknownParts
    /// The bytes of the part are not those that were signed.
    case wrongHash
    /// The end of the image tells of something else than the manifest.
    case otherContent
    /// What runs has not proved itself: the other slot is what would be fallen back to.
    case onTrial

    package var description: String {
        switch self {
        case .damaged(let error): error.description
        case .noKeys: "this image has no keys for updates; flash a card with a released image"
        case .unsigned: "the bundle is not signed; take the one that the release offers"
        case .wrongSignature:
            "none of this box's keys has signed the bundle, or it was changed; take the one that the release offers"
        case .otherBoard(let bundle, let box):
            "the bundle is for the board '\(bundle)' and this is a '\(box)'; take the bundle for '\(box)'"
        case .belowFloor(let version):
            "version \(version) has known security faults and is not installed by anybody any more; take a newer one"
        case .older(let version, let installed):
            "version \(version) is older than \(installed), which runs; if you mean it, confirm that "
                + "(--older, or the question at the console)"
        case .same(let version):
            "version \(version) runs already; to write it once more, confirm that (--older, or the question at the console)"
        case .tooLarge(let bytes, let slot):
            "the bundle needs \(bytes / 1_048_576) MB and a slot of this card has \(slot / 1_048_576) MB; flash a card "
                + "with the new image and restore a backup"
        case .unknownParts:
            "the bundle has parts that this version does not know; install the version before it first, or flash a card"
        case .wrongHash: "the bundle's content is not what was signed; copy the file again"
        case .otherContent: "the bundle holds something else than it says; take the one that the release offers"
        case .onTrial:
            "the version that runs has not proved itself yet; wait until 'howalarming slot' says that it is good"
        }
    }
}
