import AlarmModel
import Glibc

/// A socket address as the kernel takes it.
struct SocketAddress {
    private var storage: sockaddr_storage
    private var length: socklen_t
    /// The open directory that a path under /proc/self/fd goes through.
    private var anchor: Descriptor?

    /// `scope`: the index of an interface, for link-local IPv6 addresses; 0 for none.
    init(_ endpoint: Endpoint, scope: UInt32 = 0) {
        storage = sockaddr_storage()
        let bytes = endpoint.address.bytes
        if endpoint.address.isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = endpoint.port.bigEndian
            address.sin6_scope_id = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 ? scope : 0
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = endpoint.port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        }
    }

    /// nil when the path is longer than a socket address can be (107 bytes) or empty.
    init?(unixPath path: String, through anchor: Descriptor?) {
        self.anchor = anchor
        let bytes = Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        storage = sockaddr_storage()
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_un.self) }
    }

    /// A socket of the service manager: a path, or `@` and a name outside the file system.
    init?(notifySocket place: String) {
        guard place.hasPrefix("@") else {
            guard place.hasPrefix("/") else { return nil }
            self.init(unixPath: place, through: nil)
            return
        }
        self.init(unixPath: place, through: nil)
        // A zero instead of the `@`; the length says where the name ends.
        let start = MemoryLayout<sockaddr_un>.offset(of: \sockaddr_un.sun_path) ?? 2
        withUnsafeMutableBytes(of: &storage) { $0[start] = 0 }
        length = socklen_t(start + place.utf8.count)
    }

    /// The local end of a socket.
    init(localOf descriptor: Int32) throws(SystemError) {
        storage = sockaddr_storage()
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw .last("getsockname") }
    }

    init(peerOf descriptor: Int32) throws(SystemError) {
        storage = sockaddr_storage()
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard result == 0 else { throw .last("getpeername") }
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// nil for a Unix socket.
    var endpoint: Endpoint? {
        let address: IPAddress?
        let port: UInt16
        switch family {
        case AF_INET:
            let inner = withUnsafeBytes(of: storage) { $0.load(as: sockaddr_in.self) }
            address = IPAddress(bytes: withUnsafeBytes(of: inner.sin_addr) { Array($0) })
            port = UInt16(bigEndian: inner.sin_port)
        case AF_INET6:
            let inner = withUnsafeBytes(of: storage) { $0.load(as: sockaddr_in6.self) }
            address = IPAddress(bytes: withUnsafeBytes(of: inner.sin6_addr) { Array($0) })
            port = UInt16(bigEndian: inner.sin6_port)
        default: return nil
        }
        return address.map { Endpoint(address: $0, port: port) }
    }

    func with<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        withExtendedLifetime(anchor) {
            withUnsafePointer(to: storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
            }
        }
    }
}

/// Options of sockets.
enum SocketOption {
    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) throws(SystemError) {
        var value = value
        _ = try checked("setsockopt") {
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// From now on the socket speaks through this interface only.
    static func bind(_ descriptor: Int32, toInterface name: String) throws(SystemError) {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count < Int(IFNAMSIZ) else {
            throw SystemError(call: "bind to interface", number: ENODEV, subject: name)
        }
        _ = try checked("bind to interface", name) {
            setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, bytes, socklen_t(bytes.count))
        }
    }

    /// The pending error of a socket, 0 when there is none. Reading clears it.
    static func takeError(_ descriptor: Int32) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
    }
}
