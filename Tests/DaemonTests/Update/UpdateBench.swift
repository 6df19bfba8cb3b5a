import Foundation
import PhoneProtocol
import Platform
import SoftwareUpdate
import Testing

@testable import Card
@testable import CommandKit

/// A card of ordinary files, and a builder of bundles.
final class UpdateBench {
    let directory: String
    var places = UpdatePlaces()
    /// The form of this version's boot program.
    let form = SlotStateCopies.Form.numbered
    static let slotBytes = 7 * 4096
    static let board = "virt"

    init(
        installed: ReleaseDescription = release("1.0.0", 1_000_000), running: BootSlot = .a,
        state: SlotState = .initial
    ) throws {
        directory = NSTemporaryDirectory() + "update-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory + "/keys", withIntermediateDirectories: true)
        places.disk = path("disk")
        places.slotA = path("slot-a")
        places.slotB = path("slot-b")
        places.running = running
        places.commandLine = path("cmdline")
        places.release = path("release.json")
        places.keys = path("keys")
        places.floor = path("data/floor")
        places.status = path("status.json")
        places.report = path("slots.json")
        let old = Self.image("1.0.0", blocks: 6)
        let slot = Array(old.dropLast(4096)) + [UInt8](repeating: 0, count: 4096) + Array(old.suffix(4096))
        try write(slot, "slot-a")
        try write(slot, "slot-b")
        var disk = [UInt8](repeating: 0, count: 13 << 20)
        for place in form.places { disk.replaceSubrange(place..<(place + 512), with: state.block()) }
        try write(disk, "disk")
        try write(Array("ro howalarming.state=2\n".utf8), "cmdline")
        try write(installed.json.utf8 + [10], "release.json")
        #expect(try run { BundleCommand.keygen(file: self.path("key")).run(on: $0) }.status == 0)
        try FileManager.default.copyItem(atPath: path("key.pub"), toPath: path("keys/1.pub"))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    func path(_ name: String) -> String { "\(directory)/\(name)" }
    func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path(name))) }
    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

    static func release(_ version: String, _ number: Int64, floor: Int64 = 900_000, board: String = board)
        -> ReleaseDescription
    {
        ReleaseDescription(board: board, version: version, number: number, floor: floor, built: "2026-11-21T10:00:00Z")
    }

    static func image(_ version: String, blocks: Int = 5, board: String = board) -> [UInt8] {
        let body = (0..<(blocks - 1) * 4096).map { UInt8(truncatingIfNeeded: $0 / 5 + version.utf8.count) }
        let trailer = SlotTrailer(
            board: board, version: version, dataBlocks: blocks - 2, hashOffset: (blocks - 2) * 4096,
            rootHash: String(repeating: "cd", count: 32), salt: "aa")
        return body + trailer.bytes
    }

    /// A signed bundle of this release; its path.
    func bundle(
        _ release: ReleaseDescription = release("1.1.0", 1_001_000), key: String = "key"
    ) throws -> String {
        try write(Self.image(release.version, board: release.board), "image")
        let output = path("\(release.version).bundle")
        let command = BundleCommand.make(release, slot: path("image"), signing: .key(file: path(key)), output: output)
        #expect(try run { command.run(on: $0) }.status == 0)
        return output
    }

    /// A signed bundle with an optional part of a later version before the slot; its path.
    func bundleOfALaterVersion() throws -> String {
        let release = Self.release("1.1.0", 1_001_000)
        let (image, later) = (Self.image(release.version), Array("of a later version".utf8))
        let crypto = OpenSSLCrypto()
        let manifest = BundleManifest(
            release: release,
            parts: [
                BundleManifest.Part(name: "radio", bytes: later.count, sha256: crypto.sha256(later), isOptional: true),
                BundleManifest.Part(name: "slot", bytes: image.count, sha256: crypto.sha256(image)),
            ])
        let seed = try Hex.decode(String(decoding: try read("key").prefix(64), as: UTF8.self))
        let signer = try #require(OpenSSLSigner(ed25519Seed: seed))
        let signature = try #require(signer.sign(BundleHeader.signedBytes(of: manifest.bytes)))
        let header = BundleHeader(
            manifest: manifest, manifestBytes: manifest.bytes,
            signatures: [.init(keyID: BundleHeader.keyID(of: signer.publicKey, crypto), bytes: signature)])
        try write(header.bytes + later + image, "later.bundle")
        return path("later.bundle")
    }

    func update(_ task: UpdateCommand.Task, older: Bool = false) throws -> (status: Int32, text: String) {
        let command = UpdateCommand(
            task: task, isOlderConfirmed: older, places: places, stateDirectory: path("state"))
        return try run { command.run(on: $0) }
    }

    func slot(_ task: SlotCommand.Task) throws -> (status: Int32, text: String) {
        let command = SlotCommand(task: task, places: places)
        return try run { command.run(on: $0) }
    }

    func run(_ body: (Console) -> Int32) throws -> (status: Int32, text: String) {
        let file = path("out-" + UUID().uuidString)
        try Data().write(to: URL(fileURLWithPath: file))
        let handle = try #require(FileHandle(forWritingAtPath: file))
        let status = body(Console(output: handle.fileDescriptor, errors: handle.fileDescriptor))
        return (status, try String(contentsOfFile: file, encoding: .utf8))
    }

    var state: SlotState {
        get throws {
            let disk = try read("disk")
            return SlotStateCopies(form.places.map { Array(disk[$0..<($0 + 512)]) }, form: form).state
        }
    }

    var status: UpdateStatus? { (try? read("status.json")).flatMap { UpdateStatus(file: $0) } }
    var report: SlotReport? { (try? read("slots.json")).flatMap { SlotReport(file: $0) } }

    /// What must not change while a bundle is refused.
    var card: [[UInt8]] { get throws { [try read("disk"), try read("slot-a"), try read("slot-b")] } }
}
