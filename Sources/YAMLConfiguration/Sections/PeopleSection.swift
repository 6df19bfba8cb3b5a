import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// `people`: who is told, by name.
struct PersonSection: SettingsSection {
    private var language: NoticeLanguage?
    private var receives: [PriorityClass]?
    private var isDuressContact: Bool?
    private var roles: [Roles]?
    fileprivate var storeApps: [PersonSettings.Address] = []
    fileprivate var accounts: [PersonSettings.Address] = []

    static let table: [Setting<Self>] = [
        .init("language", .word(NoticeLanguage.allCases.map { ($0.rawValue, $0) }), \.language),
        .init("receives", .words(PriorityClass.allCases.map { ($0.name, $0) }), \.receives),
        .init("duress", .secretFlag, \.isDuressContact).secret,
        .init("roles", .words(Roles.named.map { ($0.name, $0.role) }), \.roles),
        .init(storeAppsKey) { reading, field, person in
            person.storeApps = reading.addresses(field, StoreAppEntry.self) { StoreAppEntry(value: $0) }
        },
        .init("accounts") { reading, field, person in
            person.accounts = reading.addresses(field, AccountEntry.self) { AccountEntry(value: $0) }
        },
    ]

    static let storeAppsKey = "store_apps"

    func settings(_ name: String) -> PersonSettings {
        var person = PersonSettings(name: name)
        person.language = language
        person.receives = receives.map(PriorityClass.withAlarm)
        person.isDuressContact = isDuressContact
        person.roles = roles.map { $0.reduce(.view) { $0.union($1) } }
        person.addresses = storeApps + accounts
        return person
    }
}

/// A device in `store_apps` or `accounts`: its address alone, or a section.
private protocol AddressEntry: SettingsSection {
    static var kind: Contact.Kind { get }
    static var addressKind: ValueKind<Secret> { get }
    var value: Secret? { get }
    var allowed: [ContactVerb] { get }
    var tellsArming: Bool { get }
}

private struct StoreAppEntry: AddressEntry {
    var value: Secret?
    var allowed = ContactVerb.byDefault(.topic)
    var tellsArming = false
    static let kind = Contact.Kind.topic
    static let addressKind = ValueKind<Secret>.topic

    static let table: [Setting<Self>] = [
        .init("topic", .topic, \.value).secret.required("% has no topic"),
        .init("commands", .contactVerbs(.topic), \.allowed),
        .init("tells_arming", .flag, \.tellsArming),
    ]
}

private struct AccountEntry: AddressEntry {
    var value: Secret?
    var allowed = ContactVerb.byDefault(.xmpp)
    var tellsArming = false
    static let kind = Contact.Kind.xmpp
    static let addressKind = ValueKind<Secret>.bareAccount

    static let table: [Setting<Self>] = [
        .init("jid", .bareAccount, \.value).required("% has no account", ", such as anna@example.org"),
        .init("commands", .contactVerbs(.xmpp), \.allowed),
        .init("tells_arming", .flag, \.tellsArming),
    ]
}

extension SettingsReading {
    /// The secrets file's part: duress marks and topics of people whom the main file names. What is wrong there is
    /// reported there.
    mutating func addPeopleSecrets(_ field: Field) {
        for person in named(field) {
            _ = section(person, known: ["duress", PersonSection.storeAppsKey])
            if people?.value[[person.key]] == nil {
                report(
                    at: person.place, person.path,
                    "'\(person.path)' stands in the secrets file only, so nothing uses it",
                    expected: "'\(person.path)' in the main file, too")
            }
        }
        for path in SecretPlace.people(in: field.value) {
            guard let node = field.value[path], people?.value[path.prefix(1)] != nil else { continue }
            let name = "people." + path.map { ConfigurationText.printable($0) }.joined(separator: ".")
            let place = ConfigurationPlace(file: file, mark: node.mark)
            let entry = Field(key: path.last ?? "", path: name, place: place, value: node)
            if people?.value[path].map({ !$0.isBlank }) ?? false {
                report(at: place, name, "'\(name)' is set in both files", expected: "one of the two")
            } else if path.last == "duress"
                ? ValueKind.secretFlag.read(&self, entry) != nil
                : ValueKind.topic.read(&self, entry) != nil
            {
                people?.value.insert(node, at: path)
            }
        }
    }

    /// Once it is known which channels there are.
    mutating func readPeople() {
        var taken: [String: String] = [:]
        for field in people.map({ named($0) }) ?? [] {
            guard let name = PersonName(field.key) else {
                report(
                    at: field.place, "people", "a key of 'people' is no name",
                    expected: "a name of at most \(Person.nameLimit) bytes, without blanks at its ends")
                continue
            }
            guard claim("people.\(name.text.lowercased())", called: "'\(field.path)'", by: field) else { continue }
            var person = PersonSection()
            guard read(field, into: &person) else { continue }
            let settings = person.settings(name.text)
            for address in settings.addresses {
                check(address, field, &taken)
            }
            draft.phones.settings.people = (draft.phones.settings.people ?? []) + [settings]
        }
    }

    private mutating func check(
        _ address: PersonSettings.Address, _ field: Field, _ taken: inout [String: String]
    ) {
        let path = "\(field.path).\(address.kind == .topic ? PersonSection.storeAppsKey : "accounts").\(address.name)"
        if let other = taken.updateValue(path, forKey: address.value.revealed) {
            report(
                at: field.place, path, "'\(path)' has the same address as '\(other)'",
                expected: "another, or one of the two"
            )
        }
        let settings = draft.phones.settings
        if ChannelKind.carrying(address.kind, of: settings.channels.map(\.kind)) == nil {
            let section =
                address.kind == .topic
                ? "a section 'ntfy'; left empty, it is the hosted server"
                : "a section 'xmpp' with an account of the box"
            report(at: field.place, path, "nothing can be told to '\(path)': its channel is missing", expected: section)
        }
        if address.kind == .topic, address.allowed.contains(.disarm), !settings.isTopicServerTrusted {
            report(
                .warning, at: field.place, path, "'\(path)' may not disarm: its topic server is not your own",
                expected: "'commands' without disarm, or a server of your own in 'ntfy' with 'trusted: true'")
        }
    }

    /// The lines of a section whose keys are names.
    mutating func named(_ field: Field) -> [Field] {
        if case .mapping = field.value.content {
        } else if !field.value.isNull {
            valueError(
                field, "'\(field.path)' holds \(field.value.kind)",
                expected: "a line for each name, with a colon behind it")
            return []
        }
        let section = section(field.value, path: field.path, place: field.place, known: nil)
        return (section?.fields ?? []).map { entry in
            var entry = entry
            entry.path = "\(field.path).\(ConfigurationText.printable(entry.key))"
            return entry
        }
    }

    fileprivate mutating func addresses<Entry: AddressEntry>(
        _ field: Field, _ type: Entry.Type, _ alone: (Secret) -> Entry
    ) -> [PersonSettings.Address] {
        named(field).compactMap { device in
            guard let name = PersonName(device.key) else {
                return refuse(
                    device, "a key of '\(field.path)' is no name of a device",
                    expected: "a name of at most \(Person.nameLimit) bytes")
            }
            var entry = Entry()
            if case .mapping = device.value.content {
                read(device, into: &entry)
            } else if let value = Entry.addressKind.read(&self, device) {
                entry = alone(value)
            }
            guard let value = entry.value else { return nil }
            return PersonSettings.Address(
                kind: Entry.kind, name: name.text, value: value, allowed: entry.allowed, tellsArming: entry.tellsArming)
        }
    }
}

extension ValueKind where Value == Bool {
    /// Who is told of duress is nobody's business.
    fileprivate static var secretFlag: Self {
        Self { reading, field in
            reading.holdsSecret = true
            return flag.read(&reading, field)
        }
    }
}

extension ValueKind where Value == [ContactVerb] {
    fileprivate static func contactVerbs(_ kind: Contact.Kind) -> Self {
        .words(ContactVerb.possible(kind, hasCodes: true).map { ($0.rawValue, $0) })
    }
}

extension ValueKind where Value == Secret {
    /// Whoever knows it reads what is sent there: it has to be too long to be guessed.
    fileprivate static var topic: Self {
        .secret("16 to 50 letters and digits, hyphens and underscores among them, that nobody can guess") {
            $0.utf8.count >= 16 && $0.utf8.count <= 50
                && $0.utf8.allSatisfy {
                    ConfigurationText.isDigit($0) || ConfigurationText.isLetter($0) || "-_".utf8.contains($0)
                }
        }
    }

    fileprivate static var bareAccount: Self {
        Self("an account without a resource, such as anna@example.org", otherwise: "holds no account") { text in
            XMPPAddress(text).flatMap { !$0.local.isEmpty && $0.resource == nil ? Secret($0.bare) : nil }
        }
    }
}
