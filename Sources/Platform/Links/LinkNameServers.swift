package import AlarmModel

/// The name servers that systemd-networkd was told for a link: what its state files say (sd-network's own source;
/// lines `KEY=value`, one file per interface, named by the interface's index).
package struct LinkNameServers: Sendable {
    /// Where networkd keeps `links/INDEX` and `leases/INDEX`.
    package static let standardDirectory = "/run/systemd/netif"

    private let directory: String
    private static let limit = 64 * 1024
    /// More are not asked.
    private static let serverLimit = 8

    package init(directory: String = LinkNameServers.standardDirectory) { self.directory = directory }

    /// In the network's order. Without networkd or without a word from the network: none.
    package func of(index: Int32) -> [IPAddress] {
        // The link's file holds all of them: by DHCP, by router advertisement and by configuration. Where it has such a
        // line, the lease counts no more: the owner may have told networkd not to use it.
        for kind in ["links", "leases"] {
            if let bytes = try? FileReader.read("\(directory)/\(kind)/\(index)", limit: Self.limit),
                let servers = Self.servers(inStateFile: String(decoding: bytes, as: UTF8.self))
            {
                return servers
            }
        }
        return []
    }

    /// What the line `DNS=` says; nil when there is none. A server that is asked on another port than 53 is left out.
    package static func servers(inStateFile text: String) -> [IPAddress]? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix("DNS=") }) else { return nil }
        var servers: [IPAddress] = []
        for word in line.dropFirst(4).split(separator: " ") {
            guard servers.count < serverLimit else { break }
            if let server = server(word), !servers.contains(server) { servers.append(server) }
        }
        return servers
    }

    /// `ADDRESS`, `ADDRESS:PORT` or `[ADDRESS]:PORT`, then perhaps `%INTERFACE` and `#NAME`.
    private static func server(_ word: Substring) -> IPAddress? {
        var word = word.prefix { $0 != "#" }
        if word.hasPrefix("[") {
            guard let end = word.firstIndex(of: "]") else { return nil }
            let port = word[end...].dropFirst().prefix { $0 != "%" }
            guard port.isEmpty || port == ":53" else { return nil }
            word = word[..<end].dropFirst()
        }
        word = word.prefix { $0 != "%" }
        if let address = IPAddress(String(word)) { return address }
        return word.hasSuffix(":53") ? IPAddress(String(word.dropLast(3))) : nil
    }
}
