import Card
import Glibc
import Platform
import SoftwareUpdate

/// Where a bundle comes to lie: a directory of the fetcher's own on the data partition. Under its name it is whole, or not
/// there.
final class BundleStore {
    let directory: String
    private let wanted: BundleManifest.Part
    private var file: BlockFile?
    private var place = 0
    /// Bytes that are not written yet: a host may send one at a time.
    private var gathered: [UInt8] = []
    private let digest = RunningDigest()

    /// What stays free for the journal.
    static let reserve = 128 << 20
    /// Bytes of a write, but the last one.
    static let writeSize = 1 << 16
    /// More is no bundle for any card.
    static let largest = 1 << 30

    init(_ directory: String, for part: BundleManifest.Part) {
        self.directory = directory
        wanted = part
    }

    var path: String { "\(directory)/update.bundle" }
    private var partial: String { "\(directory)/update.part" }

    /// It lies there from an earlier time; marked as new.
    func isThere() -> Bool {
        guard let file = try? BlockFile(path, isWritable: false), file.size == wanted.bytes else { return false }
        let digest = RunningDigest()
        var place = 0
        while place < file.size {
            guard let piece = try? file.read(1 << 20, at: place), !piece.isEmpty else { return false }
            digest.update(piece[...])
            place += piece.count
        }
        return digest.finish() == wanted.sha256 && utimensat(AT_FDCWD, path, nil, 0) == 0
    }

    /// Room for it, and a new file.
    func begin() throws(FetchStop) {
        guard wanted.bytes <= Self.largest else { throw .refused("the bundle is larger than any slot") }
        _ = unlink(path)
        _ = unlink(partial)
        var space = statvfs()
        guard statvfs(directory, &space) == 0 else { throw .failed("\(SystemError.last("statvfs", directory))") }
        let free = Int(clamping: space.f_bavail) * Int(clamping: space.f_frsize)
        guard free - wanted.bytes >= Self.reserve else {
            throw .failed(
                "the card has no room for the bundle: \(wanted.bytes >> 20) MB are needed beside \(Self.reserve >> 20) MB "
                    + "for the journal, \(free >> 20) MB are free; install it from a stick")
        }
        let number = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard number >= 0 else { throw .failed("\(SystemError.last("open", partial))") }
        Glibc.close(number)
        file = try Self.act { () throws(SystemError) in try BlockFile(partial, isWritable: true) }
    }

    /// - Returns: 0…100
    func take(_ bytes: [UInt8]) throws(FetchStop) -> Int {
        guard file != nil, bytes.count <= wanted.bytes - place else {
            throw .refused("the bundle is longer than was signed")
        }
        digest.update(bytes[...])
        place += bytes.count
        gathered += bytes
        if gathered.count >= Self.writeSize { try write() }
        return Int((Double(place) / Double(wanted.bytes) * 100).rounded(.down))
    }

    private func write() throws(FetchStop) {
        guard !gathered.isEmpty else { return }
        let (bytes, at) = (gathered, place - gathered.count)
        try Self.act { () throws(SystemError) in try file?.write(bytes[...], at: at) }
        gathered.removeAll(keepingCapacity: true)
    }

    func finish() throws(FetchStop) {
        try write()
        guard place == wanted.bytes else { throw .refused("the bundle is shorter than was signed") }
        guard digest.finish() == wanted.sha256 else { throw .refused("the bundle is not what was signed") }
        try Self.act { () throws(SystemError) in
            try file?.sync()
            guard rename(partial, path) == 0 else { throw SystemError.last("rename", path) }
            try AtomicFile.syncDirectory(of: path)
        }
        file = nil
    }

    func discard() {
        file = nil
        _ = unlink(partial)
    }

    /// What is left of before, once it is of no use: a part, and a bundle that is not newer than what runs.
    static func tidy(_ directory: String, installed: ReleaseDescription) {
        _ = unlink("\(directory)/update.part")
        let path = "\(directory)/update.bundle"
        guard access(path, F_OK) == 0 else { return }
        let number = (try? BundleFile(path).header())?.manifest.release.number
        if number.map({ $0 <= installed.number }) ?? true { _ = unlink(path) }
    }

    private static func act<Value>(_ body: () throws(SystemError) -> Value) throws(FetchStop) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .failed("the card cannot be written (\(error))")
        }
    }
}
