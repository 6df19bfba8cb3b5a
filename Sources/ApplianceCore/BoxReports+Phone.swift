import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// What a paired phone may ask for beside its log, by the request `list` (docs/pairing.md 6, kind 8).
enum PhoneList: String, Codable, Equatable, Sendable {
    /// Partitions and zones with their names.
    case names
    /// Who has a phone or an account; for the role admin.
    case phones
    /// The channels to people and the links, with their state.
    case channels
}

extension BoxReports {
    /// A page of a list: as many rows as fit into one message, and where the next page begins.
    func list(_ list: PhoneList, from: Int, rid: [UInt8], for phone: Phone) -> BoxMessage {
        let mayHear = list != .phones || phone.roles.contains(.admin)
        func message(_ rows: [JSON], more: Int?) -> BoxMessage {
            BoxMessage.list(
                list.rawValue, from: from, rid: rid, rows: rows,
                name: list == .names ? step.configuration.siteName : nil, why: mayHear ? nil : "role", more: more)
        }
        guard mayHear else { return message([], more: nil) }
        let all = rows(of: list, isAdmin: phone.roles.contains(.admin))
        var page: [JSON] = []
        for (index, row) in all.enumerated().dropFirst(from) {
            // The number of the next page takes room, too.
            let isFull = message(page + [row], more: all.count).content.text.utf8.count > BoxMessage.contentLimit
            if isFull, !page.isEmpty { return message(page, more: index) }
            // Names have a limit in the configuration: a single row always fits.
            if !isFull { page.append(row) }
        }
        return message(page, more: nil)
    }

    private func rows(of list: PhoneList, isAdmin: Bool) -> [JSON] {
        switch list {
        case .names: names
        case .phones: step.book.phones.map(row) + step.book.contacts.map(row)
        case .channels: channels(isAdmin: isAdmin) + links
        }
    }

    private var names: [JSON] {
        let names = step.configuration.panel.names
        return names.partitions.map { partition in
            Self.row(["part": String(partition.number), "name": partition.name])
        }
            + names.zones.map { zone in
                Self.row([
                    "zone": String(zone.number), "part": zone.partition.map { String($0) }, "name": zone.name,
                    "fire": zone.isFire ? "1" : nil,
                ])
            }
    }

    private func row(_ phone: Phone) -> JSON {
        let standing = box.commands.standing(of: phone.id)
        let states = [
            phone.isHeard ? nil : "unheard", phone.isSuspended ? "suspended" : nil,
            standing?.isLocked ?? false ? "locked" : nil,
            phone.addresses.contains { !$0.isGone } ? nil : "gone",
        ].compactMap { $0 }
        return Self.row([
            "id": phone.id.description, "name": phone.name, "person": step.book.person(phone.person)?.name,
            "level": PhonesReport.Entry.Level.app.rawValue, "roles": phone.roles.names.joined(separator: ","),
            "heard": standing?.lastHeard.map { String($0.seconds) },
            "state": states.isEmpty ? nil : states.joined(separator: ","),
        ])
    }

    /// Without its address: whoever knows a topic can read it.
    private func row(_ contact: Contact) -> JSON {
        let level: PhonesReport.Entry.Level = contact.kind == .topic ? .topic : .account
        return Self.row([
            "name": contact.name, "person": step.book.person(contact.person)?.name, "level": level.rawValue,
            "roles": contact.allowed.map(\.rawValue).joined(separator: ","),
            "state": contact.state == .inUse ? nil : "gone",
        ])
    }

    /// What is wrong may name servers and accounts: that is for an admin.
    private func channels(isAdmin: Bool) -> [JSON] {
        let outbox = box.deliveries.outbox
        return box.channels.reports(outbox.reports, kind: outbox.channel(of:)).map { channel in
            Self.row([
                "channel": channel.kind, "state": channel.problem == nil ? channel.phase.rawValue : "failing",
                "accepted": channel.lastAccepted.map { String($0.seconds) },
                "why": isAdmin ? channel.problem.map { String($0.prefix(160)) } : nil,
            ])
        }
    }

    private var links: [JSON] {
        box.links.report(at: step.now).links.map { link in
            let since = step.now.wall.seconds - (step.now.boot - link.since).components.seconds
            return Self.row([
                "link": link.name, "state": link.state.rawValue, "since": String(since),
                "active": link.isActive ? "1" : nil, "metered": link.isMetered ? "1" : nil,
            ])
        }
    }

    fileprivate static func row(_ members: KeyValuePairs<String, String?>) -> JSON {
        .object(members.compactMap { key, value in value.map { JSON.Member(key: key, value: .string($0)) } })
    }
}

extension BoxMessage {
    /// A page of a list; `why`: there is none.
    static func list(
        _ what: String, from: Int = 0, rid: [UInt8], rows: [JSON], name: String? = nil, why: String? = nil,
        more: Int? = nil
    ) -> BoxMessage {
        let content = BoxReports.row([
            "v": "2", "what": what, "from": String(from), "name": name, "why": why, "rows": JSON.array(rows).text,
            "more": more.map { String($0) },
        ])
        return BoxMessage(.list, rid: rid, content: content)
    }
}
