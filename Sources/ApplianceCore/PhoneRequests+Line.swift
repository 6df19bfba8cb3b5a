import AlarmModel
import PhoneProtocol

/// The form of requests about people and phones on the control socket: member `do` says what.
extension PeopleRequest {
    var json: JSON {
        switch self {
        case .list: .request("people", ["do": "list"])
        case .add(let name, let change): change.json(doing: "add", name)
        case .set(let name, let change): change.json(doing: "set", name)
        case .rename(let from, let to): .request("people", ["do": "rename", "name": from, "to": to])
        case .remove(let name): .request("people", ["do": "remove", "name": name])
        }
    }

    init(_ line: inout RequestLine) throws(ControlRequestError) {
        switch try line.text("do", 1...32) {
        case "list": self = .list
        case "add": self = .add(name: try line.name("name"), try PersonChange(&line))
        case "set": self = .set(name: try line.name("name"), try PersonChange(&line))
        case "rename": self = .rename(from: try line.name("name"), to: try line.name("to"))
        case "remove": self = .remove(name: try line.name("name"))
        default: throw ControlRequestError("member 'do' may be list, add, set, rename or remove")
        }
    }
}

extension PersonChange {
    fileprivate func json(doing what: String, _ name: String) -> JSON {
        .request(
            "people",
            [
                "do": what, "name": name, "language": language, "duress": isDuressContact,
                "receives": receives?.map(\.name),
            ])
    }

    fileprivate init(_ line: inout RequestLine) throws(ControlRequestError) {
        self.init(isDuressContact: try line.flag("duress"))
        if line.member("language") != nil {
            guard let language = NoticeLanguage(rawValue: try line.text("language", 2...2)) else {
                throw ControlRequestError("member 'language' may be en or de")
            }
            self.language = language.rawValue
        }
        receives = try line.words("receives", of: PriorityClass.allCases, named: \.name).map(PriorityClass.withAlarm)
    }
}

extension PhonesRequest {
    var json: JSON {
        switch self {
        case .list: .request("phones", ["do": "list"])
        case .pair(let person, let roles, let noPresence):
            .request(
                "phones", ["do": "pair", "person": person, "roles": roles?.names, "no_presence": noPresence])
        case .pairContact(let request):
            .request(
                "phones",
                [
                    "do": "pair_contact", "kind": request.kind.rawValue, "person": request.person,
                    "name": request.name, "value": request.value.isEmpty ? nil : request.value,
                    "allow": request.allowed.map(\.rawValue), "arming": request.tellsArming,
                ])
        case .allow(let contact, let verbs, let tellsArming):
            .request(
                "phones",
                ["do": "allow", "phone": contact, "allow": verbs.map(\.rawValue), "arming": tellsArming])
        case .confirm(let code): .request("phones", ["do": "confirm", "code": code])
        case .cancelPairing: .request("phones", ["do": "cancel"])
        case .codes(let person): .request("phones", ["do": "codes", "name": person])
        case .codesOff(let person): .request("phones", ["do": "codes_off", "name": person])
        case .rename(let phone, let name): .request("phones", ["do": "rename", "phone": phone, "name": name])
        case .role(let phone, let roles): .request("phones", ["do": "role", "phone": phone, "roles": roles.names])
        case .revoke(let phone): .request("phones", ["do": "revoke", "phone": phone])
        case .lift(let phone): .request("phones", ["do": "lift", "phone": phone])
        case .test(let phone): .request("phones", ["do": "test", "phone": phone])
        case .testAlarm(let phone): .request("phones", ["do": "test", "phone": phone, "alarm": true])
        case .approve(let token, let verbs):
            .request("phones", ["do": "approve", "token": token, "allow": verbs.map(\.rawValue)])
        case .disapprove(let token): .request("phones", ["do": "disapprove", "token": token])
        case .dead(let limit): .request("phones", ["do": "dead", "limit": limit])
        case .seen: .request("phones", ["do": "seen"])
        }
    }

    init(_ line: inout RequestLine) throws(ControlRequestError) {
        switch try line.text("do", 1...32) {
        case "list": self = .list
        case "pair":
            self = .pair(
                person: try line.name("person"), roles: line.member("roles") == nil ? nil : try line.roles(),
                noPresence: try line.flag("no_presence") ?? false)
        case "pair_contact":
            guard let kind = Contact.Kind(rawValue: try line.text("kind", 1...32)) else {
                throw ControlRequestError("member 'kind' may be topic or xmpp")
            }
            let value = kind == .topic ? "" : try line.text("value", 3...256)
            self = .pairContact(
                ContactRequest(
                    kind: kind, person: try line.name("person"), name: try line.name("name"), value: value,
                    allowed: try line.contactVerbs(), tellsArming: try line.flag("arming") ?? false))
        case "allow":
            self = .allow(
                contact: try line.text("phone", 1...256), try line.contactVerbs(),
                tellsArming: try line.flag("arming") ?? false)
        case "confirm":
            guard let digits = PairingDigits(try line.text("code", 1...20)) else {
                throw ControlRequestError("member 'code' is the six digits that the phone shows")
            }
            self = .confirm(digits.code)
        case "cancel": self = .cancelPairing
        case "codes": self = .codes(person: try line.text("name", 1...256))
        case "codes_off": self = .codesOff(person: try line.text("name", 1...256))
        case "rename": self = .rename(phone: try line.phone(), name: try line.name("name"))
        case "role": self = .role(phone: try line.phone(), try line.roles())
        case "revoke": self = .revoke(phone: try line.phone())
        case "lift": self = .lift(phone: try line.phone())
        case "test":
            let phone = line.member("phone") == nil ? nil : try line.phone()
            self = try line.flag("alarm") ?? false ? .testAlarm(phone: phone) : .test(phone: phone)
        case "approve":
            let token = try line.token()
            let verbs = try line.words("allow", of: LegacyPhone.Verb.allCases, named: \.rawValue)
            self = .approve(token: token, verbs ?? LegacyPhone.allowedByDefault)
        case "disapprove": self = .disapprove(token: try line.token())
        case "dead": self = .dead(limit: try line.number("limit", in: 1...1000) ?? 20)
        case "seen": self = .seen
        default:
            throw ControlRequestError(
                "member 'do' may be list, pair, pair_contact, allow, confirm, cancel, codes, codes_off, rename, role, revoke, lift, test, approve, disapprove, dead or seen"
            )
        }
    }
}

extension RequestLine {
    fileprivate mutating func phone() throws(ControlRequestError) -> String { try text("phone", 1...64) }

    /// A name for people to read, of a person or a phone.
    fileprivate mutating func name(_ key: String) throws(ControlRequestError) -> String {
        guard let name = PersonName(try text(key, 1...Person.nameLimit)) else {
            throw ControlRequestError("member '\(key)' holds blanks at an end or characters that cannot be shown")
        }
        return name.text
    }

    fileprivate mutating func roles() throws(ControlRequestError) -> Roles {
        guard let roles = Roles(member("roles")?.stringValue ?? "?") else {
            throw ControlRequestError(
                "member 'roles' may hold \(Roles.named.map(\.name).joined(separator: ", ")), joined by commas")
        }
        return roles
    }

    fileprivate mutating func token() throws(ControlRequestError) -> String {
        guard let token = RegistrationToken(try text("token", 8...4096)) else {
            throw ControlRequestError("a token is printable and has no blanks")
        }
        return token.text
    }

    fileprivate mutating func contactVerbs() throws(ControlRequestError) -> [ContactVerb] {
        try words("allow", of: ContactVerb.allCases, named: \.rawValue) ?? []
    }
}
