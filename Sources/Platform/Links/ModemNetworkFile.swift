package import AlarmModel

/// What a modem's interface needs, as a file for systemd-networkd (systemd.network(5)): the modem service tells addresses
/// but puts none on the interface, and this service has no right to.
package enum ModemNetworkFile {
    /// The interface's name is one that `ModemBearer` carries: letters, digits, `.`, `_`, `-`.
    ///
    /// - Parameter metric: of the routes; the larger, the less they are preferred by other programs
    package static func text(for bearer: ModemBearer, metric: UInt32 = 2000) -> String {
        let families = [bearer.ipv4, bearer.ipv6].compactMap { $0 }
        // PPP sets the interface up itself.
        let isOurs = !families.contains { $0.method == .ppp }
        var lines = ["[Match]", "Name=\(bearer.interface)", "", "[Link]", "RequiredForOnline=no"]
        if let mtu = families.compactMap(\.mtu).min() { lines.append("MTUBytes=\(mtu)") }
        guard isOurs else { return (lines + ["Unmanaged=yes", ""]).joined(separator: "\n") }
        let dhcp4 = bearer.ipv4?.method == .dhcp
        // IPv6 without an address of its own comes by router advertisement, whichever method is told.
        let advertised = bearer.ipv6.map { $0.method == .dhcp || $0.address == nil } ?? false
        lines += ["", "[Network]", "DHCP=\(dhcp4 ? "ipv4" : "no")"]
        lines.append("LinkLocalAddressing=\(bearer.ipv6 == nil ? "no" : "ipv6")")
        lines.append("IPv6AcceptRA=\(advertised ? "yes" : "no")")
        for family in families where family.method == .fixed {
            if let address = family.address { lines.append("Address=\(address)/\(family.prefix)") }
        }
        for server in bearer.nameServers { lines.append("DNS=\(server)") }
        for family in families where family.method == .fixed {
            guard let address = family.address else { continue }
            lines += ["", "[Route]"]
            if let gateway = family.gateway {
                lines += ["Gateway=\(gateway)", "GatewayOnLink=yes"]
            } else {
                lines += ["Destination=\(address.isIPv6 ? "::/0" : "0.0.0.0/0")", "Scope=link"]
            }
            lines.append("Metric=\(metric)")
        }
        if dhcp4 { lines += ["", "[DHCPv4]", "RouteMetric=\(metric)", "UseDNS=yes", "UseNTP=no"] }
        if advertised { lines += ["", "[DHCPv6]", "UseNTP=no", "", "[IPv6AcceptRA]", "RouteMetric=\(metric)"] }
        return (lines + [""]).joined(separator: "\n")
    }
}
