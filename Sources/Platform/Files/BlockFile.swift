import CLinux
import Glibc

/// A block device, or an ordinary file in its place, written at places and read back from the medium.
package final class BlockFile {
    private let path: String
    private let file: Descriptor
    /// Past the page cache; nil where the file system cannot do that.
    private let direct: Descriptor?
    /// In bytes.
    package let size: Int

    /// - Parameter isWritable: else it is opened for reading only
    package init(_ path: String, isWritable: Bool) throws(SystemError) {
        self.path = path
        let flags = (isWritable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        let file = Descriptor(owning: try checked("open", path) { open(path, flags) })
        var status = stat()
        _ = try checked("fstat", path) { fstat(file.number, &status) }
        guard [S_IFREG, S_IFBLK].contains(status.st_mode & S_IFMT) else {
            throw SystemError(call: "open", number: ENOTBLK, subject: path)
        }
        size = Int(try checked("lseek", path) { lseek(file.number, 0, SEEK_END) })
        self.file = file
        let number = ha_open_direct(path)
        direct = number >= 0 ? Descriptor(owning: number) : nil
    }

    /// Waits until nobody else who locks it has it; the lock ends with this value.
    package func lock() throws(SystemError) {
        _ = try checked("flock", path) { flock(file.number, LOCK_EX) }
    }

    package func write(_ bytes: ArraySlice<UInt8>, at place: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = try checked("write", path) {
                bytes.withUnsafeBytes { all in
                    pwrite(file.number, all.baseAddress.map { $0 + done }, all.count - done, off_t(place + done))
                }
            }
            guard count > 0 else { throw SystemError(call: "write", number: ENOSPC, subject: path) }
            done += count
        }
    }

    /// What was written is on the medium.
    package func sync() throws(SystemError) { _ = try checked("fsync", path) { fsync(file.number) } }

    /// As many bytes as there are, at most `count`.
    package func read(_ count: Int, at place: Int) throws(SystemError) -> [UInt8] {
        try read(count, at: place, from: file)
    }

    /// The same from the medium and not from memory, as far as the kernel allows that.
    package func readFromMedium(_ count: Int, at place: Int) throws(SystemError) -> [UInt8] {
        _ = posix_fadvise(file.number, off_t(place), off_t(count), POSIX_FADV_DONTNEED)
        if let direct {
            do throws(SystemError) {
                let bytes = try read(count, at: place, from: direct)
                if bytes.count == count { return bytes }
            } catch {
                guard error.number == EINVAL else { throw error }
            }
        }
        return try read(count, at: place, from: file)
    }

    private func read(_ count: Int, at place: Int, from file: Descriptor) throws(SystemError) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 4096)
        defer { buffer.deallocate() }
        var done = 0
        while done < count {
            let got = try checked("read", path) {
                pread(file.number, buffer.baseAddress.map { $0 + done }, count - done, off_t(place + done))
            }
            if got == 0 { break }
            done += got
        }
        return Array(buffer[..<done])
    }
}
