import AlarmModel
import PhoneProtocol

/// The form of requests about people and phones on the control socket: member `do` says what.
extension PeopleRequest {
    var json: JSON {
        switch self {
        case .list: .object(["request": .string("people"), "do": .string("list")])
        case .add(let name, let change): change.json(doing: "add", name)
        case .set(let name, let change): change.json(doing: "set", name)
        case .rename(let from, let to):
            .object([
                "request": .string("people"), "do": .string("rename"), "name": .string(from), "to": .string(to),
            ])
        case .remove(let name):
            .object(["request": .string("people"), "do": .string("remove"), "name": .string(name)])
        }
    }
}

extension PersonChange {
    fileprivate func json(doing what: String, _ name: String) -> JSON {
        .object([
            "request": .string("people"), "do": .string(what), "name": .string(name),
            "language": language.map(JSON.string), "duress": isDuressContact.map(JSON.bool),
            "receives": receives.map { .string($0.map(\.name).joined(separator: ",")) },
        ])
    }
}

extension PhonesRequest {
    var json: JSON {
        switch self {
        case .list: Self.json("list")
        case .pair(let person, let roles, let noPresence):
            Self.json(
                "pair",
                [
                    "person": .string(person), "roles": .string(roles.names.joined(separator: ",")),
                    "no_presence": .bool(noPresence),
                ])
        case .pairContact(let request):
            Self.json(
                "pair_contact",
                [
                    "kind": .string(request.kind.rawValue), "person": .string(request.person),
                    "name": .string(request.name), "value": request.value.isEmpty ? nil : .string(request.value),
                    "allow": .string(request.allowed.map(\.rawValue).joined(separator: ",")),
                    "arming": .bool(request.tellsArming),
                ])
        case .allow(let contact, let verbs, let tellsArming):
            Self.json(
                "allow",
                [
                    "phone": .string(contact), "allow": .string(verbs.map(\.rawValue).joined(separator: ",")),
                    "arming": .bool(tellsArming),
                ])
        case .confirm(let code): Self.json("confirm", ["code": .string(code.revealed)])
        case .cancelPairing: Self.json("cancel")
        case .codes(let person): Self.json("codes", ["name": .string(person)])
        case .codesOff(let person): Self.json("codes_off", ["name": .string(person)])
        case .rename(let phone, let name): Self.json("rename", ["phone": .string(phone), "name": .string(name)])
        case .role(let phone, let roles):
            Self.json("role", ["phone": .string(phone), "roles": .string(roles.names.joined(separator: ","))])
        case .revoke(let phone): Self.json("revoke", ["phone": .string(phone)])
        case .lift(let phone): Self.json("lift", ["phone": .string(phone)])
        case .test(let phone): Self.json("test", ["phone": phone.map(JSON.string)])
        case .approve(let token, let verbs):
            Self.json(
                "approve",
                [
                    "token": .string(token), "allow": .string(verbs.map(\.rawValue).joined(separator: ",")),
                ])
        case .disapprove(let token): Self.json("disapprove", ["token": .string(token)])
        case .dead(let limit): Self.json("dead", ["limit": .integer(Int64(limit))])
        case .seen: Self.json("seen")
        }
    }

    private static func json(_ what: String, _ members: KeyValuePairs<String, JSON?> = [:]) -> JSON {
        var all: [JSON.Member] = [
            .init(key: "request", value: .string("phones")), .init(key: "do", value: .string(what)),
        ]
        for (key, value) in members { if let value { all.append(.init(key: key, value: value)) } }
        return .object(all)
    }
}

extension RequestMembers {
    func peopleRequest() throws(ControlRequestError) -> PeopleRequest {
        switch try word("do") {
        case "list": return .list
        case "add": return .add(name: try personName("name"), try personChange())
        case "set": return .set(name: try personName("name"), try personChange())
        case "rename": return .rename(from: try personName("name"), to: try personName("to"))
        case "remove": return .remove(name: try personName("name"))
        default: throw ControlRequestError("member 'do' may be list, add, set, rename or remove")
        }
    }

    func phonesRequest() throws(ControlRequestError) -> PhonesRequest {
        switch try word("do") {
        case "list": return .list
        case "pair":
            return .pair(
                person: try personName("person"), roles: try roles(), noPresence: try flag("no_presence") ?? false)
        case "pair_contact":
            guard let kind = Contact.Kind(rawValue: try word("kind")) else {
                throw ControlRequestError("member 'kind' may be topic or xmpp")
            }
            let value = kind == .topic ? "" : try text("value", 3...256)
            return .pairContact(
                ContactRequest(
                    kind: kind, person: try personName("person"), name: try personName("name"), value: value,
                    allowed: try contactVerbs(), tellsArming: try flag("arming") ?? false))
        case "allow":
            return .allow(
                contact: try text("phone", 1...256), try contactVerbs(), tellsArming: try flag("arming") ?? false)
        case "confirm":
            let digits = try text("code", 1...20).filter { $0 != " " && $0 != "-" }
            guard digits.utf8.count == 6, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw ControlRequestError("member 'code' is the six digits that the phone shows")
            }
            return .confirm(Secret(digits))
        case "cancel": return .cancelPairing
        case "codes": return .codes(person: try text("name", 1...256))
        case "codes_off": return .codesOff(person: try text("name", 1...256))
        case "rename": return .rename(phone: try text("phone", 1...64), name: try personName("name"))
        case "role": return .role(phone: try text("phone", 1...64), try roles())
        case "revoke": return .revoke(phone: try text("phone", 1...64))
        case "lift": return .lift(phone: try text("phone", 1...64))
        case "test": return .test(phone: document["phone"] == nil ? nil : try text("phone", 1...64))
        case "approve": return .approve(token: try token(), try verbs())
        case "disapprove": return .disapprove(token: try token())
        case "dead": return .dead(limit: try number("limit", in: 1...1000) ?? 20)
        case "seen": return .seen
        default:
            throw ControlRequestError(
                "member 'do' may be list, pair, pair_contact, allow, confirm, cancel, codes, codes_off, rename, role, revoke, lift, test, approve, disapprove, dead or seen"
            )
        }
    }

    private func word(_ key: String) throws(ControlRequestError) -> String { try text(key, 1...32) }

    private func text(_ key: String, _ length: ClosedRange<Int>) throws(ControlRequestError) -> String {
        guard let value = document[key]?.stringValue, length.contains(value.utf8.count) else {
            throw ControlRequestError(
                "member '\(key)' is missing: a text of \(length.lowerBound) to \(length.upperBound) bytes")
        }
        return value
    }

    /// A name for people to read, of a person or a phone.
    private func personName(_ key: String) throws(ControlRequestError) -> String {
        let name = try text(key, 1...Person.nameLimit)
        let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 32 && !(0x7F...0x9F).contains($0.value) }
        guard isPlain, name.first != " ", name.last != " " else {
            throw ControlRequestError("member '\(key)' holds blanks at an end or characters that cannot be shown")
        }
        return name
    }

    private func roles() throws(ControlRequestError) -> Roles {
        guard let roles = Roles(document["roles"]?.stringValue ?? "?") else {
            throw ControlRequestError(
                "member 'roles' may hold \(Roles.named.map(\.name).joined(separator: ", ")), joined by commas")
        }
        return roles
    }

    /// A registration token of the push service.
    private func token() throws(ControlRequestError) -> String {
        let token = try text("token", 8...4096)
        guard token.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw ControlRequestError("a token is printable and has no blanks")
        }
        return token
    }

    private func verbs() throws(ControlRequestError) -> [LegacyPhone.Verb] {
        guard let value = document["allow"] else { return LegacyPhone.allowedByDefault }
        let names = (value.stringValue ?? "?").split(separator: ",").map(String.init)
        let known = LegacyPhone.Verb.allCases
        guard names.allSatisfy({ name in known.contains { $0.rawValue == name } }) else {
            throw ControlRequestError(
                "member 'allow' may hold \(known.map(\.rawValue).joined(separator: ", ")), joined by commas")
        }
        return known.filter { names.contains($0.rawValue) }
    }

    private func contactVerbs() throws(ControlRequestError) -> [ContactVerb] {
        guard let value = document["allow"] else { return [] }
        let names = (value.stringValue ?? "?").split(separator: ",").map(String.init)
        let known = ContactVerb.allCases
        guard names.allSatisfy({ name in known.contains { $0.rawValue == name } }) else {
            throw ControlRequestError(
                "member 'allow' may hold \(known.map(\.rawValue).joined(separator: ", ")), joined by commas")
        }
        return known.filter { names.contains($0.rawValue) }
    }

    private func personChange() throws(ControlRequestError) -> PersonChange {
        var change = PersonChange(isDuressContact: try flag("duress"))
        if document["language"] != nil {
            let language = try text("language", 2...2)
            guard language.utf8.allSatisfy({ (97...122).contains($0) }) else {
                throw ControlRequestError("member 'language' is two small letters, such as en")
            }
            change.language = language
        }
        if let value = document["receives"] {
            let names = (value.stringValue ?? "?").split(separator: ",").map(String.init)
            guard names.allSatisfy({ name in PriorityClass.allCases.contains { $0.name == name } }) else {
                throw ControlRequestError("member 'receives' may hold alarm, fault, state, info, joined by commas")
            }
            // Nobody is kept from alarms by a slip.
            change.receives = PriorityClass.allCases.filter { $0 == .alarm || names.contains($0.name) }
        }
        return change
    }
}
