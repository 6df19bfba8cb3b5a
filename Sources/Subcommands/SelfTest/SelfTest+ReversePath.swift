import ApplianceCore
import Platform
import Uplinks

extension SelfTest {
    /// The kernel's strict reverse path filter drops what comes in by a link that the routes would not answer by: with two
    /// links one of them would hear nothing. Of the settings for all interfaces and for one the larger holds.
    ///
    /// - Returns: a line for each link that is deaf by it; one for all if none is; none where there is but one link
    static func reversePaths(
        _ report: LinksReport?, in directory: String = "/proc/sys/net/ipv4/conf"
    ) -> [SelfTestLine] {
        guard let links = report?.links, links.count > 1 else { return [] }
        func mode(_ interface: String) -> Int? {
            guard let bytes = try? FileReader.read("\(directory)/\(interface)/rp_filter", limit: 16) else { return nil }
            return Int(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self))
        }
        let all = mode("all") ?? 0
        let deaf = links.compactMap { link -> SelfTestLine? in
            guard let interface = link.interface, let own = mode(interface), max(all, own) == 1 else { return nil }
            return .failed(
                "link \(link.name)",
                "the strict reverse path filter of \(interface) drops answers as long as another link is the default route",
                "write 'net.ipv4.conf.all.rp_filter=2' into /etc/sysctl.d/90-howalarming.conf, then 'sysctl --system'")
        }
        return deaf.isEmpty ? [.passed("reverse path", "no strict filter makes a link deaf")] : deaf
    }
}
