import Glibc
import Platform
import YAMLConfiguration

/// The real places of an import: three directories.
struct CardDirectories: CardStorage {
    var card: String
    var data: String
    var network: String
    /// Whether a card that is mounted read-only is mounted for writing as long as that takes.
    var remounts: Bool

    /// Stands on the card while a file is written; what a power cut left of it is overwritten.
    private static let temporary = "howalarming.new"

    /// Makes the directory on data, the daemon's like the directory that it lies in. Another one's link is refused: the
    /// daemon may write there, and this is root.
    func prepare() throws(SystemError) {
        var status = stat()
        if lstat(data, &status) != 0 {
            guard mkdir(data, 0o700) == 0 else { throw .last("mkdir", data) }
            let parent = data.lastIndex(of: "/").map { $0 == data.startIndex ? "/" : String(data[..<$0]) } ?? "."
            guard stat(parent, &status) == 0 else { throw .last("stat", parent) }
            guard lchown(data, status.st_uid, status.st_gid) == 0 else { throw .last("chown", data) }
            try AtomicFile.syncDirectory(of: data)
        } else if status.st_mode & S_IFMT != S_IFDIR {
            throw SystemError(call: "open", number: ENOTDIR, subject: data)
        }
    }

    func read(_ place: CardPlace) throws(SystemError) -> [UInt8]? {
        // On data the daemon may write: no link and no pipe of its leads root elsewhere.
        var status = stat()
        if lstat(path(place), &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw SystemError(call: "open", number: EINVAL, subject: path(place))
        }
        do throws(SystemError) {
            return try FileReader.read(path(place), limit: Self.limit(of: place))
        } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
    }

    func write(_ place: CardPlace, _ bytes: [UInt8]) throws(SystemError) {
        let path = path(place)
        switch place {
        case .card: try write(bytes, beside: "\(card)/\(Self.temporary)", mode: nil, to: path)
        case .data: try write(bytes, beside: "\(path).new", mode: 0o600, to: path)
        case .hook: throw SystemError(call: "open", number: EROFS, subject: path)
        case .run(_, let mode):
            try makeDirectories(to: path)
            try AtomicFile.write(path, bytes, mode: mode)
        }
    }

    func remove(_ place: CardPlace) throws(SystemError) {
        let path = path(place)
        guard unlink(path) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw .last("unlink", path) }
            return
        }
        try AtomicFile.syncDirectory(of: path)
    }

    func openCard() throws(SystemError) -> Bool {
        guard remounts else { return false }
        var status = statvfs()
        guard statvfs(card, &status) == 0 else { throw .last("statvfs", card) }
        guard status.f_flag & UInt(ST_RDONLY) != 0 else { return false }
        try remount(status.f_flag, readOnly: false)
        return true
    }

    func closeCard() throws(SystemError) {
        var status = statvfs()
        guard statvfs(card, &status) == 0 else { throw .last("statvfs", card) }
        try remount(status.f_flag, readOnly: true)
    }

    private func remount(_ before: UInt, readOnly: Bool) throws(SystemError) {
        // These have the same numbers in statvfs(3) and mount(2): nosuid, nodev, noexec, sync.
        let kept = before & 0b11110
        let flags = kept | UInt(MS_REMOUNT) | (readOnly ? UInt(MS_RDONLY) : 0)
        guard mount(nil, card, nil, flags, nil) == 0 else { throw .last("mount", card) }
    }

    private static func limit(of place: CardPlace) -> Int {
        switch place {
        case .hook: HookPrograms.sizeLimit
        case .card, .data, .run: ConfigurationReader.sizeLimit
        }
    }

    private func path(_ place: CardPlace) -> String {
        switch place {
        case .card(let name): "\(card)/\(name)"
        case .data(let name): "\(data)/\(name)"
        case .hook(let name): "\(card)/hooks/\(name)"
        case .run(let name, _): "\(network)/\(name)"
        }
    }

    /// A FAT knows no permissions and refuses to set them: `mode` nil. On data a file is its directory's owner's.
    private func write(_ bytes: [UInt8], beside temporary: String, mode: UInt32?, to path: String) throws(SystemError) {
        _ = unlink(temporary)
        do throws(SystemError) {
            let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode ?? 0o600)
            guard number >= 0 else { throw .last("open", temporary) }
            let file = Descriptor(owning: number)
            if let mode {
                // While it is still root's: after that only CAP_FOWNER might.
                guard fchmod(number, mode) == 0 else { throw .last("chmod", temporary) }
                var status = stat()
                guard stat(data, &status) == 0 else { throw .last("stat", data) }
                if status.st_uid != geteuid() || status.st_gid != getegid() {
                    guard fchown(number, status.st_uid, status.st_gid) == 0 else { throw .last("chown", temporary) }
                }
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw .last("write", temporary) }
                rest = rest.dropFirst(count)
            }
            guard fsync(file.number) == 0 else { throw .last("fsync", temporary) }
            guard rename(temporary, path) == 0 else { throw .last("rename", path) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
        try AtomicFile.syncDirectory(of: path)
    }

    /// Everybody may look there: those who read the files are users of their own.
    private func makeDirectories(to path: String) throws(SystemError) {
        let names = path.dropFirst(network.count).split(separator: "/").dropLast()
        var directory = network
        for name in names {
            directory += "/\(name)"
            guard mkdir(directory, 0o755) == 0 else {
                guard errno == EEXIST else { throw .last("mkdir", directory) }
                continue
            }
            // Whatever the umask.
            guard chmod(directory, 0o755) == 0 else { throw .last("chmod", directory) }
        }
    }
}
