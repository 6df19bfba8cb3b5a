package import AlarmModel
import CLinux
import Glibc

/// The network interfaces of this machine as they are now, asked once.
package struct InterfaceList: Equatable, Sendable {
    package struct Interface: Equatable, Sendable {
        package var name: String
        package var isUp: Bool
        /// A cable, an access point or a bearer is there.
        package var hasCarrier: Bool
        /// Without those that hold on the link only.
        package var addresses: [IPAddress]

        package init(name: String, isUp: Bool, hasCarrier: Bool, addresses: [IPAddress]) {
            self.name = name
            self.isUp = isUp
            self.hasCarrier = hasCarrier
            self.addresses = addresses
        }
    }

    /// In the kernel's order, without loopback.
    package var interfaces: [Interface] = []

    package init() {}

    /// Empty where the kernel does not say.
    package static func now() -> InterfaceList {
        var list = InterfaceList()
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return list }
        defer { freeifaddrs(first) }
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, let name = entry.ifa_name else { continue }
            list.note(
                String(cString: name), flags: entry.ifa_flags,
                address: entry.ifa_addr.flatMap { Self.address($0) })
        }
        return list
    }

    private mutating func note(_ name: String, flags: UInt32, address: IPAddress?) {
        let place: Int
        if let known = interfaces.firstIndex(where: { $0.name == name }) {
            place = known
        } else {
            place = interfaces.count
            interfaces.append(
                Interface(
                    name: name, isUp: flags & UInt32(IFF_UP) != 0,
                    hasCarrier: flags & UInt32(IFF_RUNNING) != 0, addresses: []))
        }
        if let address { interfaces[place].addresses.append(address) }
    }

    private static func address(_ pointer: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            let address = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in.self).sin_addr
            return IPAddress(bytes: withUnsafeBytes(of: address) { Array($0) })
        case AF_INET6:
            let address = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            let bytes = withUnsafeBytes(of: address) { Array($0) }
            // fe80::/10
            return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 ? nil : IPAddress(bytes: bytes)
        default: return nil
        }
    }
}
