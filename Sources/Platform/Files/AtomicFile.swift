import CLinux
import Glibc

/// Replaces a file so that after a power cut either the old or the new content is there.
package enum AtomicFile {
    /// Writes beside the file, syncs, renames over it and syncs the directory. `mode` is set whatever the umask.
    package static func write(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws(SystemError) {
        let temporary = "\(path).new-\(getpid())"
        _ = unlink(temporary)
        do throws(SystemError) {
            try create(temporary, bytes, mode: mode)
            _ = try checked("rename", path) { rename(temporary, path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        try syncDirectory(of: path)
    }

    private static func create(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = Descriptor(owning: try checked("open", path) { open(path, flags, mode_t(mode)) })
        _ = try checked("fchmod", path) { fchmod(file.number, mode_t(mode)) }
        var done = 0
        while done < bytes.count {
            done += try checked("write", path) {
                bytes.withUnsafeBytes { all in
                    Glibc.write(file.number, all.baseAddress.map { $0 + done }, all.count - done)
                }
            }
        }
        _ = try checked("fsync", path) { fsync(file.number) }
    }

    /// Makes the names in the directory of `path` durable.
    package static func syncDirectory(of path: String) throws(SystemError) {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let file = Descriptor(
            owning: try checked("open", directory) { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        _ = try checked("fsync", directory) { fsync(file.number) }
    }
}
