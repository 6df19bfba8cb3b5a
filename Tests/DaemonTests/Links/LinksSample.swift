import AlarmModel
import ApplianceCore

@testable import Uplinks

/// Reports of links, as the daemon would give them.
enum LinksSample {
    static let now = BootTime.zero + .hours(2)

    static func report(
        _ links: [LinkReport], modem: ModemReport? = nil, textsWaiting: Int? = nil
    ) -> LinksReport {
        LinksReport(links: links, modem: modem, textsWaiting: textsWaiting, now: now)
    }

    static func link(
        _ name: String, interface: String? = "eth0", _ change: (inout LinkReport) -> Void = { _ in }
    ) -> LinkReport {
        var link = LinkReport(
            name: name, kind: .ethernet, interface: interface, state: .up, isActive: false, isMetered: false,
            standby: .hot, score: 10, scoreLimit: 10, why: nil, latency: .microseconds(12_345),
            since: now - .minutes(5), addresses: [], bytesThisMonth: 0, budget: nil, standbyBytesPerMonth: 0)
        change(&link)
        return link
    }
}
