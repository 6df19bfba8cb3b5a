package import AlarmModel
import PhoneLink
package import Uplinks

/// What `links` shows.
package struct LinksReport: Codable, Equatable, Sendable {
    /// In the order of preference; empty when none is configured.
    package var links: [LinkReport]
    /// nil without a modem that the box dials itself.
    package var modem: ModemReport?
    /// Alarms that nobody has confirmed yet, for which a text message may go out; nil where none is configured.
    package var textsWaiting: Int?
    package var now: BootTime

    package init(links: [LinkReport], modem: ModemReport?, textsWaiting: Int?, now: BootTime) {
        self.links = links
        self.modem = modem
        self.textsWaiting = textsWaiting
        self.now = now
    }
}

extension Links {
    func report(at now: Moment) -> LinksReport {
        LinksReport(
            links: failover?.report ?? [], modem: modem?.report, textsWaiting: nil, now: now.boot)
    }

    /// For channels that show the house as a whole.
    var picture: [HousePicture.Uplink] {
        (failover?.report ?? []).map { link in
            switch link.state {
            case .up, .suspect: .init(name: link.name, isUp: true)
            case .absent, .noCarrier, .noAddress, .down: .init(name: link.name, isUp: false)
            case .asleep, .connecting: .init(name: link.name, isUp: nil)
            }
        }
    }
}
