import Glibc

/// Small files of the state directory.
package enum StateFile {
    /// The whole content; nil when there is no such file.
    package static func read(_ path: String) throws(StoreError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError(errno: errno, activity: "reading \(path)")
        }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            if count < 0 {
                if errno == EINTR { continue }
                throw StoreError(errno: errno, activity: "reading \(path)")
            }
            content += buffer[..<count]
            guard content.count <= sizeLimit else { throw StoreError(errno: EFBIG, activity: "reading \(path)") }
        }
    }

    /// Bytes. The greatest that is written, a phone book of its largest size, is far below.
    package static let sizeLimit = 64 << 20

    /// After a power cut the file has either its old or its new content. Readable by its owner only, who is that of the
    /// directory also where root writes.
    package static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
        let activity = "writing \(path)"
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, activity: activity) }
        var failure = giveToOwner(of: directory(of: path), descriptor)
        var start = 0
        while failure == 0, start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                failure = errno
                break
            }
            start += count
        }
        if failure == 0, fsync(descriptor) != 0 { failure = errno }
        close(descriptor)
        if failure == 0, rename(temporary, path) != 0 { failure = errno }
        guard failure == 0 else {
            unlink(temporary)
            throw StoreError(errno: failure, activity: activity)
        }
        try syncDirectory(of: path)
    }

    /// A command that root types must not lock out the daemon, which runs as the directory's owner: what root makes there
    /// becomes that one's.
    ///
    /// - Returns: an errno, or 0
    static func giveToOwner(of directory: String, _ descriptor: Int32) -> Int32 {
        guard geteuid() == 0 else { return 0 }
        var file = stat()
        var owner = stat()
        guard fstat(descriptor, &file) == 0, stat(directory, &owner) == 0 else { return errno }
        guard file.st_uid != owner.st_uid else { return 0 }
        return fchown(descriptor, owner.st_uid, owner.st_gid) == 0 ? 0 : errno
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// Makes new names and renames in the directory of `path` durable.
    static func syncDirectory(of path: String) throws(StoreError) {
        let directory = directory(of: path)
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(errno: errno, activity: "opening \(directory)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreError(errno: errno, activity: "writing \(directory)") }
    }

    /// Makes the directory, for its owner only, where it is missing; the one above must exist.
    package static func makeDirectory(_ path: String) throws(StoreError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw StoreError(errno: errno, activity: "making the directory \(path)")
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Why no file can be made in the directory; nil when one can.
    static func refusal(in directory: String) -> StoreError? {
        let path = directory + "/probe.new"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return StoreError(errno: errno, activity: "making a file in \(directory)") }
        close(descriptor)
        unlink(path)
        return nil
    }

    /// nil only when there is surely no such file.
    static func size(of path: String) throws(StoreError) -> Int? {
        var status = stat()
        guard stat(path, &status) != 0 else { return Int(status.st_size) }
        if errno == ENOENT { return nil }
        throw StoreError(errno: errno, activity: "looking at \(path)")
    }

    /// An empty file, for the directory's owner only, where there is none.
    static func make(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(errno: errno, activity: "making \(path)") }
        let failure = giveToOwner(of: directory(of: path), descriptor)
        close(descriptor)
        guard failure == 0 else { throw StoreError(errno: failure, activity: "making \(path)") }
    }

    /// Also where there is no such file.
    static func remove(_ path: String) throws(StoreError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw StoreError(errno: errno, activity: "removing \(path)")
    }

    static func move(_ old: String, to new: String) throws(StoreError) {
        guard rename(old, new) == 0 else { throw StoreError(errno: errno, activity: "renaming \(old)") }
    }

    /// Names in the directory, ascending, without "." and "..".
    package static func names(in directory: String) throws(StoreError) -> [String] {
        guard let stream = opendir(directory) else {
            throw StoreError(errno: errno, activity: "listing \(directory)")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
