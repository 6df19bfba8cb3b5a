import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// People with a store app or an account (reference pairing 10).
extension Appliance {
    func words(_ contact: Contact) -> String {
        let person = hall.book.person(contact.person)?.name
        return person.map { "\($0) (\(contact.name))" } ?? contact.name
    }

    func address(of contact: Contact) -> DeliveryAddress {
        switch contact.kind {
        case .topic: DeliveryAddress(.phone(.topic), contact.value, commandTopic: contact.commandsFrom)
        case .xmpp: DeliveryAddress(.phone(.xmpp), contact.value)
        }
    }

    mutating func tell(
        _ contact: Contact, _ entry: OutboxEntry, by way: WayKind, at now: Moment, into effects: inout [Effect]
    ) {
        let words = NoticeText(siteName: configuration.siteName, names: configuration.panel.names)
        let notice = words.notice(entry.event, type: Self.wireType(of: entry.event))
        push(.words(notice), of: entry, to: address(of: contact), by: way, at: now, into: &effects)
    }
}
