package import AlarmModel

/// A person whom the configuration names (`people`). What it says of a person holds; what it does not say is kept at the
/// box.
package struct PersonSettings: Codable, Equatable, Sendable {
    /// A store app or an account that needs no pairing: who wrote it into the file is the owner.
    package struct Address: Codable, Equatable, Sendable {
        package var kind: Contact.Kind
        /// What the device is called: 1…32 bytes.
        package var name: String
        /// A topic without its server, which whoever knows it can read; or a bare JID.
        package var value: Secret
        package var allowed: [ContactVerb]
        package var tellsArming: Bool

        package init(
            kind: Contact.Kind, name: String, value: Secret, allowed: [ContactVerb], tellsArming: Bool = false
        ) {
            self.kind = kind
            self.name = name
            self.value = value
            self.allowed = allowed
            self.tellsArming = tellsArming
        }
    }

    /// 1…32 bytes.
    package var name: String
    package var language: NoticeLanguage?
    package var receives: [PriorityClass]?
    package var isDuressContact: Bool?
    /// What the paired phones of this person may do.
    package var roles: Roles?
    package var addresses: [Address] = []

    package init(name: String) { self.name = name }

    /// Behind the topic of a store app: where its buttons send to. Of signs only: a recording's placeholder for the whole
    /// has to begin with that of the topic.
    package static let commandsEnding = "--"
}

extension Configuration {
    func person(named name: String) -> PersonSettings? {
        phones.people?.first { $0.name.lowercased() == name.lowercased() }
    }
}
