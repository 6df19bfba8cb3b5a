/// What the operating system knows of one network interface at a moment.
package struct LinkFacts: Codable, Equatable, Sendable {
    package var interface: String
    /// The interface exists. Otherwise nothing else here counts.
    package var isPresent: Bool
    /// It is switched on and has a carrier (IFF_UP and IFF_LOWER_UP).
    package var hasCarrier: Bool
    /// Usable addresses of global or private scope, ascending by their bytes: no link-local, tentative or deprecated one.
    package var addresses: [IPAddress]
    /// As the network told them (DHCP, the modem's bearer), in its order; empty when it told none.
    package var nameServers: [IPAddress]
    /// Bytes in both directions since the interface exists; starts anew with it.
    package var traffic: UInt64

    package init(
        interface: String, isPresent: Bool = true, hasCarrier: Bool = true, addresses: [IPAddress] = [],
        nameServers: [IPAddress] = [], traffic: UInt64 = 0
    ) {
        self.interface = interface
        self.isPresent = isPresent
        self.hasCarrier = hasCarrier
        self.addresses = addresses
        self.nameServers = nameServers
        self.traffic = traffic
    }
}
