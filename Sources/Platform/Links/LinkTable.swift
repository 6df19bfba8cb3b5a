package import AlarmModel

/// The interfaces of the machine and their addresses, gathered from the messages of one dump.
package struct LinkTable: Equatable, Sendable {
    private struct Interface: Equatable, Sendable {
        var index: Int32
        var name: String
        var flags: UInt32
        var traffic: UInt64
    }
    private struct Address: Equatable, Sendable {
        var index: Int32
        var address: IPAddress
    }
    private var interfaces: [Interface] = []
    private var addresses: [Address] = []

    package init() {}

    package mutating func take(_ message: LinkMessage) {
        switch message.content {
        case .interface(let index, let name, let flags, let traffic):
            interfaces.append(Interface(index: index, name: name, flags: flags, traffic: traffic))
        case .address(let index, let address, let scope, let flags):
            if Self.isUsable(address, scope: scope, flags: flags) {
                addresses.append(Address(index: index, address: address))
            }
        case .end, .failure, .other: break
        }
    }

    /// The number under which the kernel knows the interface; an interface that is made anew gets another.
    package func index(of name: String) -> Int32? { interfaces.first { $0.name == name }?.index }

    /// An absent interface is a fact, too.
    package func facts(of name: String, nameServers: [IPAddress]) -> LinkFacts {
        guard let interface = interfaces.first(where: { $0.name == name }) else {
            return LinkFacts(interface: name, isPresent: false, hasCarrier: false)
        }
        let isUp = interface.flags & Self.up != 0 && interface.flags & Self.lowerUp != 0
        let own = addresses.filter { $0.index == interface.index }.map(\.address)
        return LinkFacts(
            interface: name, isPresent: true, hasCarrier: isUp,
            addresses: own.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }, nameServers: nameServers,
            traffic: interface.traffic)
    }

    private static let up: UInt32 = 0x1
    private static let lowerUp: UInt32 = 0x10000
    /// IFA_F_DADFAILED, IFA_F_DEPRECATED and IFA_F_TENTATIVE.
    private static let unusable: UInt32 = 0x08 | 0x20 | 0x40
    /// RT_SCOPE_LINK; what is above is of this host only.
    private static let linkScope: UInt8 = 253

    private static func isUsable(_ address: IPAddress, scope: UInt8, flags: UInt32) -> Bool {
        guard flags & unusable == 0, scope < linkScope else { return false }
        // 169.254.0.0/16 is often given the scope of a global address.
        return address.isIPv6 || !(address.bytes[0] == 169 && address.bytes[1] == 254)
    }
}
