import PhoneProtocol
import Platform
import SoftwareUpdate

/// Bundles, keys and hashes for the tests.
enum BundleBench {
    static let crypto = OpenSSLCrypto()

    static func signer(_ seed: UInt8) -> OpenSSLSigner? {
        OpenSSLSigner(ed25519Seed: [UInt8](repeating: seed, count: 32))
    }

    static func key(_ seed: UInt8, name: String = "1.pub") -> UpdateKey? {
        signer(seed).flatMap { UpdateKey(name: name, file: Array((Hex.encode($0.publicKey) + "\n").utf8)) }
    }

    static func release(
        board: String = "virt", version: String = "1.1.0", number: Int64 = 1_001_000, floor: Int64 = 1_000_000
    ) -> ReleaseDescription {
        ReleaseDescription(
            board: board, version: version, number: number, floor: floor, built: "2026-11-21T10:00:00Z")
    }

    /// A slot image of so many blocks with a whole trailer; its bytes tell versions apart.
    static func image(version: String = "1.1.0", board: String = "virt", blocks: Int = 5) -> [UInt8] {
        let mark = UInt8(truncatingIfNeeded: version.utf8.reduce(0) { $0 * 31 + Int($1) })
        let body = (0..<(blocks - 1) * 4096).map { UInt8(truncatingIfNeeded: $0 / 7) ^ mark }
        let trailer = SlotTrailer(
            board: board, version: version, dataBlocks: blocks - 2, hashOffset: (blocks - 2) * 4096,
            rootHash: String(repeating: "ab", count: 32), salt: "00ff")
        return body + trailer.bytes
    }

    static func header(
        _ release: ReleaseDescription, image: [UInt8], seeds: [UInt8] = [1], parts: [BundleManifest.Part]? = nil
    ) -> BundleHeader {
        let part = BundleManifest.Part(name: "slot", bytes: image.count, sha256: crypto.sha256(image))
        let manifest = BundleManifest(release: release, parts: parts ?? [part])
        let bytes = manifest.bytes
        let signatures = seeds.compactMap { seed -> BundleHeader.Signature? in
            guard let signer = signer(seed), let signature = signer.sign(BundleHeader.signedBytes(of: bytes)) else {
                return nil
            }
            return BundleHeader.Signature(keyID: BundleHeader.keyID(of: signer.publicKey, crypto), bytes: signature)
        }
        return BundleHeader(manifest: manifest, manifestBytes: bytes, signatures: signatures)
    }

    static func policy(
        installed: ReleaseDescription = release(version: "1.0.0", number: 1_000_000), keptFloor: Int64 = 0,
        seeds: [UInt8] = [1, 2], slotBytes: Int? = 1 << 20, older: Bool = false
    ) -> UpdatePolicy {
        UpdatePolicy(
            installed: installed, keptFloor: keptFloor, keys: seeds.compactMap { key($0) }, slotBytes: slotBytes,
            isOlderConfirmed: older)
    }

    static func refusal(_ policy: UpdatePolicy, _ header: BundleHeader) -> UpdateRefusal? {
        do throws(UpdateRefusal) {
            _ = try policy.check(header, crypto)
            return nil
        } catch {
            return error
        }
    }
}

/// Keeps all of it.
struct PlainHash: RunningHash {
    var bytes: [UInt8] = []
    mutating func update(_ more: ArraySlice<UInt8>) { bytes += more }
    mutating func finish() -> [UInt8] {
        defer { bytes = [] }
        return BundleBench.crypto.sha256(bytes)
    }
}
