import CLinux
import Glibc

/// Where a Unix socket lies. Its address goes through an open directory, so that the path may be longer than the
/// 107 bytes of a socket address. Good for as long as it lives.
struct UnixSocketPlace {
    let directory: Descriptor
    let name: String
    let path: String
    let address: SocketAddress

    init(directory: String, name: String) throws(SystemError) {
        path = "\(directory)/\(name)"
        self.name = name
        let place = Descriptor(owning: try checked("open", directory) { ha_open_directory(directory) })
        self.directory = place
        let short = "/proc/self/fd/\(place.number)/\(name)"
        guard !name.contains("/"), let address = SocketAddress(unixPath: short, through: place) else {
            throw SystemError(call: "socket name", number: ENAMETOOLONG, subject: path)
        }
        self.address = address
    }

    static func socket(isBlocking: Bool) throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let flags = isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue)
        return Descriptor(owning: try checked("socket") { Glibc.socket(AF_UNIX, type | flags, 0) })
    }

    /// A listening socket with mode 0600. A socket file on which nobody answers is taken away first; when somebody
    /// does, or the file is no socket, the error is EADDRINUSE.
    func listen(backlog: Int32) throws(SystemError) -> (Descriptor, FileIdentity) {
        let socket = try Self.socket(isBlocking: false)
        // The file gets the mode of the socket, from its first moment.
        _ = try checked("fchmod", path) { fchmod(socket.number, 0o600) }
        if address.with({ bind(socket.number, $0, $1) }) != 0 {
            guard errno == EADDRINUSE, try isAbandoned() else { throw .last("bind", path) }
            _ = try checked("unlink", path) { unlinkat(directory.number, name, 0) }
            _ = try checked("bind", path) { address.with { bind(socket.number, $0, $1) } }
        }
        _ = try checked("listen", path) { Glibc.listen(socket.number, backlog) }
        guard let identity = fileIdentity else { throw .last("stat", path) }
        return (socket, identity)
    }

    /// Removes the file, if it is still the one that we made.
    func remove(_ identity: FileIdentity) {
        if fileIdentity == identity { _ = unlinkat(directory.number, name, 0) }
    }

    private func isAbandoned() throws(SystemError) -> Bool {
        var status = stat()
        _ = try checked("stat", path) { fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(call: "bind", number: EADDRINUSE, subject: path)
        }
        let probe = try Self.socket(isBlocking: false)
        let isAnswered = address.with { connect(probe.number, $0, $1) } == 0 || errno == EAGAIN
        guard !isAnswered else { throw SystemError(call: "bind", number: EADDRINUSE, subject: path) }
        guard errno == ECONNREFUSED else { throw .last("connect", path) }
        return true
    }

    private var fileIdentity: FileIdentity? {
        var status = stat()
        guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }
}

/// Tells one file from another that has taken its name.
struct FileIdentity: Equatable {
    var device: UInt64
    var number: UInt64
}
