import AlarmModel
import ApplianceCore
import Glibc
import Platform

/// The pictures on the card: files of a directory of their own, the oldest of which go when there are too many bytes or days.
///
/// Guarantees: a picture is whole under its name or not there; what else lies in the directory is left alone; the card
/// keeps room for the journal.
package struct PictureRing {
    var directory: String
    var keptBytes: Int
    var keptDays: Int
    /// What stays free for the journal.
    static let reserve = 128 << 20
    static let suffix = ".jpg"
    /// Bytes of a picture.
    package static let largest = SnapshotReader.limit
    /// Files are counted, too: a directory with more is slow.
    static let longest = 5000

    private struct File {
        var name: String
        var bytes: Int
        var seconds: Int64
        /// A power cut left it, or somebody is writing it.
        var isPart: Bool { !name.hasSuffix(PictureRing.suffix) }
    }

    enum Fault: Error, Equatable, CustomStringConvertible {
        case system(SystemError)
        /// Megabytes that are free.
        case noRoom(Int)

        var description: String {
            switch self {
            case .system(let error): "the card cannot be written (\(error))"
            case .noRoom(let free):
                "the card has \(free) MB left, which are for the journal; pictures are kept again when there is more room"
            }
        }
    }

    /// Of those that are whole, in the order in which they were taken.
    package static func names(in directory: String) -> [String] {
        DirectoryList.names(in: directory).filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// `2026-11-26 23.15.02 Garage.jpg`, in UTC, with a number where there are several in a second.
    static func name(_ camera: String, _ time: WallTime) -> String {
        let text = CivilTime(secondsSince1970: time.seconds, offset: 0).text
        return text.map { $0 == ":" ? "." : String($0) }.joined() + " " + camera
    }

    /// A picture as its file's name tells of it.
    struct Kept: Equatable {
        var path: String
        var camera: String
        var time: WallTime
    }

    /// Those that were taken from one second to another, the oldest first. What has another name, is no file of its own or
    /// too big for a picture is none of them.
    ///
    /// - Parameter cameras: the names that cameras have now
    func kept(from: WallTime, until: WallTime, cameras: [String]) -> [Kept] {
        let names = Self.names(in: directory)
        var found: [Kept] = []
        for seconds in from.seconds...max(from.seconds, until.seconds) {
            let time = WallTime(milliseconds: seconds * 1000)
            let beginning = Self.name("", time)
            for name in names where name.hasPrefix(beginning) {
                let rest = name.dropFirst(beginning.count).dropLast(Self.suffix.count)
                let camera = Self.camera(String(rest), of: cameras)
                let path = "\(directory)/\(name)"
                var status = stat()
                guard Camera.isName(camera), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                    status.st_size <= Self.largest
                else { continue }
                found.append(Kept(path: path, camera: camera, time: time))
            }
        }
        return found
    }

    /// What stands behind the time in a file's name, without the number of a second picture. A camera's own name may end
    /// in a number.
    private static func camera(_ text: String, of cameras: [String]) -> String {
        guard !cameras.contains(text), let blank = text.lastIndex(of: " "),
            let number = Int(text[text.index(after: blank)...]), (2..<100).contains(number)
        else { return text }
        return String(text[..<blank])
    }

    /// - Returns: its path
    func keep(_ picture: [UInt8], camera: String, at time: WallTime) throws(Fault) -> String {
        try tidy(now: time, room: picture.count)
        var space = statvfs()
        guard statvfs(directory, &space) == 0 else { throw .system(SystemError.last("statvfs", directory)) }
        let free = Int(clamping: space.f_bavail) * Int(clamping: space.f_frsize)
        guard free - picture.count >= Self.reserve else { throw .noRoom(free >> 20) }
        let name = Self.name(camera, time)
        var path = "\(directory)/\(name)\(Self.suffix)"
        var number = 2
        while access(path, F_OK) == 0, number < 100 {
            path = "\(directory)/\(name) \(number)\(Self.suffix)"
            number += 1
        }
        do throws(SystemError) {
            try AtomicFile.write(path, picture, mode: 0o640)
        } catch {
            throw .system(error)
        }
        return path
    }

    /// Deletes what is too old, and the oldest of what is too much.
    ///
    /// - Parameter room: bytes that come in addition
    func tidy(now: WallTime, room: Int = 0) throws(Fault) {
        let files = try files().sorted { ($0.seconds, $0.name) < ($1.seconds, $1.name) }
        var bytes = files.reduce(room) { $0 + $1.bytes }
        var count = files.count
        let oldest = now.seconds - Int64(keptDays) * 86_400
        let cutOff = now.seconds - 3600
        for file in files
        where file.seconds < (file.isPart ? cutOff : oldest) || bytes > keptBytes || count >= Self.longest {
            try delete(file.name)
            bytes -= file.bytes
            count -= 1
        }
    }

    func deleteAll() throws(Fault) {
        for file in try files() { try delete(file.name) }
    }

    private func delete(_ name: String) throws(Fault) {
        let path = "\(directory)/\(name)"
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(SystemError.last("unlink", path)) }
    }

    private func files() throws(Fault) -> [File] {
        guard access(directory, R_OK | X_OK) == 0 else { throw .system(SystemError.last("open", directory)) }
        var files: [File] = []
        for name in DirectoryList.names(in: directory)
        where name.hasSuffix(Self.suffix) || name.includes("\(Self.suffix).new-") {
            var status = stat()
            guard lstat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            files.append(File(name: name, bytes: Int(status.st_size), seconds: Int64(status.st_mtim.tv_sec)))
        }
        return files
    }
}
