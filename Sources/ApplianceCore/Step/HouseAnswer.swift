import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// Who asked at the broker or in the command tube, as far as it is known there: nobody says his name.
struct HouseAsker: Codable, Equatable, Sendable {
    var channel: ChannelKind
    /// nil: what came named none.
    var partition: Int?

    var words: String { channel.words }
}

/// What Home Assistant hears of a command that came from it. No person is named in it: who disarmed could tell of
/// duress.
struct HouseAnswer: Codable, Equatable, Sendable {
    var asker: HouseAsker
    var kind: HomeAssistantAnswer
    /// What happened and what to do next.
    var text: String
    /// Ascending; those that kept the partition from being armed.
    var openZones: [Int] = []
}

extension HouseAnswer {
    init(_ command: OpenCommands.Entry, _ outcome: Outcome, by channel: ChannelKind, _ names: SiteNames) {
        asker = HouseAsker(channel: channel, partition: command.partition)
        let summary = command.summary
        switch outcome {
        case .done: (kind, text) = (.done, "\(summary): done")
        case .refused(.lockedOut): (kind, text) = (.locked, "\(summary): refused: \(Reason.lockedOut)")
        case .refused(let reason): (kind, text) = (.refused, "\(summary): refused: \(reason)")
        case .failed(let reason): (kind, text) = (.failed, "\(summary): failed: \(reason)")
        case .notConfirmed:
            let words = "not confirmed by the panel; look at its state before you try again"
            (kind, text) = (.notConfirmed, "\(summary): \(words)")
        case .expired: (kind, text) = (.failed, "\(summary): expired before the panel took it; try again")
        }
        guard case .notReady(let zones)? = outcome.reason, !zones.isEmpty else { return }
        openZones = zones
        let named = zones.map { zone in names.zone(zone).map { "\(zone) (\($0.name))" } ?? "\(zone)" }
        let list = named.joined(separator: ", ")
        text = "\(summary): \(outcome.name): not ready: open zones \(list); close them, then try again"
    }

    func json(_ names: SiteNames) -> JSON {
        let zones = openZones.map { zone in
            JSON.object(["number": .integer(Int64(zone)), "name": names.zone(zone).map { .string($0.name) }])
        }
        return .object([
            "event_type": .string(kind.rawValue), "text": .string(text),
            "partition": asker.partition.map { .integer(Int64($0)) },
            "partition_name": asker.partition.flatMap(names.partition).map { .string($0) },
            "open_zones": .array(zones),
        ])
    }
}

extension Step {
    /// Only the broker has somebody who hears it.
    mutating func tell(_ answer: HouseAnswer) {
        guard answer.asker.channel == .mqtt else { return }
        let place = Answer.Place(channel: .mqtt, address: DeliveryAddress(.house(.broker), ""))
        self.answer(.outcome(answer.json(configuration.panel.names)), to: place)
    }

    /// What was under way when the last run ended: nobody knows whether it took effect.
    mutating func tellUnfinished(_ row: LedgerRow, _ words: String) {
        switch OpenCommands.Origin(text: row.origin) {
        case .contact(let contact):
            let text = noticeText(forContact: contact).unfinished(row.summary, sentence: words)
            wait(.tellContact(contact, text))
        case .house(let channel):
            wait(.tellHouse(HouseAnswer(asker: HouseAsker(channel: channel), kind: .notConfirmed, text: words)))
        case .schedule: tellScheduleFailed(words, partition: nil)
        case .client, .phone, .legacy, nil: break
        }
    }

    /// Nothing was done: the journal says so, and whoever asked hears it.
    mutating func noteRefused(_ words: String, to asker: HouseAsker, as kind: HomeAssistantAnswer = .refused) {
        note(.response, .phoneDenied, words, about: .channel(asker.channel))
        tell(HouseAnswer(asker: asker, kind: kind, text: words))
    }
}
