import AlarmModel
import Glibc

/// The kernel's routing socket (rtnetlink(7)): its hints, and its tables as a whole.
enum RouteSocket {
    /// A socket on which the kernel tells of changed interfaces and addresses.
    static func listening() throws(SystemError) -> Descriptor {
        let socket = try made()
        // struct sockaddr_nl: family, padding, port (the kernel chooses), groups RTMGRP_LINK, _IPV4_IFADDR, _IPV6_IFADDR.
        var address = sockaddr_storage()
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.storeBytes(of: sa_family_t(AF_NETLINK), as: sa_family_t.self)
            bytes.storeBytes(of: 0x1 | 0x10 | 0x100, toByteOffset: 8, as: UInt32.self)
        }
        _ = try checked("bind", "netlink") {
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.number, $0, 12) }
            }
        }
        return socket
    }

    /// Takes one datagram off the socket without a look at it; false when none is left.
    static func discard(from socket: Descriptor) -> Bool {
        var byte: UInt8 = 0
        return uninterrupted { recv(socket.number, &byte, 1, 0) } >= 0 || errno == ENOBUFS
    }

    /// All interfaces and addresses. The kernel fills in each answer while it is fetched, so this does not wait.
    static func table() throws(SystemError) -> LinkTable {
        var attempts = 3
        while true {
            var table = LinkTable()
            attempts -= 1
            let socket = try made()
            let isWhole = try ask(for: getLink, of: socket, into: &table)
            if try ask(for: getAddress, of: socket, into: &table), isWhole { return table }
            guard attempts > 0 else { throw SystemError(call: "dump", number: EAGAIN, subject: "netlink") }
        }
    }

    private static let getLink: UInt16 = 18
    private static let getAddress: UInt16 = 22
    /// NLM_F_REQUEST and NLM_F_DUMP.
    private static let request: UInt16 = 0x1 | 0x300
    /// Some 60 times what a large machine's tables take.
    private static let datagramLimit = 1024

    private static func made() throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        return Descriptor(owning: try checked("socket", "netlink") { socket(AF_NETLINK, type, 0) })
    }

    /// False when the table changed meanwhile and has to be read anew.
    private static func ask(
        for kind: UInt16, of socket: Descriptor, into table: inout LinkTable
    ) throws(SystemError) -> Bool {
        let sequence = UInt32(kind)
        try send(kind, sequence: sequence, to: socket)
        var isWhole = true
        var datagram = [UInt8](repeating: 0, count: 64 * 1024)
        for _ in 0..<datagramLimit {
            let count = try checked("recv", "netlink") {
                recv(socket.number, &datagram, datagram.count, Int32(MSG_TRUNC))
            }
            guard count <= datagram.count, let messages = LinkMessage.parse(Array(datagram.prefix(count))) else {
                throw SystemError(call: "recv", number: EBADMSG, subject: "netlink")
            }
            for message in messages where message.sequence == sequence {
                if message.isInterrupted { isWhole = false }
                switch message.content {
                case .end: return isWhole
                case .failure(let number): throw SystemError(call: "dump", number: number, subject: "netlink")
                case .interface, .address, .other: table.take(message)
                }
            }
        }
        throw SystemError(call: "dump", number: EMSGSIZE, subject: "netlink")
    }

    /// struct nlmsghdr and a body of zeros, which is long enough for both requests.
    private static func send(_ kind: UInt16, sequence: UInt32, to socket: Descriptor) throws(SystemError) {
        var message = [UInt8](repeating: 0, count: 32)
        message.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt32(bytes.count), as: UInt32.self)
            bytes.storeBytes(of: kind, toByteOffset: 4, as: UInt16.self)
            bytes.storeBytes(of: request, toByteOffset: 6, as: UInt16.self)
            bytes.storeBytes(of: sequence, toByteOffset: 8, as: UInt32.self)
        }
        _ = try checked("send", "netlink") { Glibc.send(socket.number, message, message.count, 0) }
    }
}
