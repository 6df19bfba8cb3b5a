import AlarmModel
import ApplianceCore
import CommandKit
import PhoneProtocol
import Reports

extension HowAlarmingCommand {
    /// A command whose next word says what to do; without one it is `list`.
    static func part(
        of syntax: CommandSyntax, leading: [String], _ given: ArraySlice<String>
    ) throws(UsageError) -> Invocation {
        var rest = given
        if rest.contains(where: { $0 == "--help" || $0 == "-h" }), rest.first?.hasPrefix("-") ?? true {
            return .help(command: syntax.name)
        }
        var word = "list"
        if let first = rest.first, !first.hasPrefix("-") {
            word = first
            rest = rest.dropFirst()
        }
        let names = syntax.parts.map { String($0.name.dropFirst(syntax.name.count + 1)) }
        guard let part = syntax.parts.first(where: { $0.name == "\(syntax.name) \(word)" }) else {
            throw UsageError(
                "the part of '\(syntax.name)' is one of \(names.joined(separator: ", "))"
                    + UsageError.suggestion(for: word, among: names), command: syntax.name)
        }
        let parsed = try ParsedArguments(leading + rest, syntax: part)
        if parsed.wantsHelp { return .help(command: part.name) }
        switch syntax.name {
        case "people": return try people(word, parsed)
        case "bundle": return try bundle(word, parsed)
        default: return try phones(word, parsed)
        }
    }

    private static func people(_ word: String, _ given: ParsedArguments) throws(UsageError) -> Invocation {
        let request: PeopleRequest
        switch word {
        case "add": request = .add(name: try name(0, of: given), try change(given))
        case "set":
            let change = try change(given)
            guard change != PersonChange() else {
                throw UsageError(
                    "nothing is to be changed: give --receives, --language or --duress", command: given.command)
            }
            request = .set(name: try name(0, of: given), change)
        case "rename": request = .rename(from: try name(0, of: given), to: try name(1, of: given))
        case "remove": request = .remove(name: try name(0, of: given))
        default: request = .list
        }
        return .people(
            request, showsAll: given.has("--all"), stateDirectory: given.stateDirectory, json: given.has("--json"))
    }

    private static func change(_ given: ParsedArguments) throws(UsageError) -> PersonChange {
        var change = PersonChange()
        if let language = given.value("--language") {
            guard language.utf8.count == 2, language.utf8.allSatisfy({ (97...122).contains($0) }) else {
                throw UsageError("option '--language' takes two small letters, such as en", command: given.command)
            }
            change.language = language
        }
        if let word = given.value("--duress") {
            guard ["yes", "no"].contains(word) else {
                throw UsageError("option '--duress' takes yes or no", command: given.command)
            }
            change.isDuressContact = word == "yes"
        }
        if let text = given.value("--receives") {
            let known = PriorityClass.allCases.map(\.name)
            let chosen = try words(text, known: known, of: "option '--receives'", given)
            // Nobody is kept from alarms by a slip.
            change.receives = PriorityClass.allCases.filter { $0 == .alarm || chosen.contains($0.name) }
        }
        return change
    }

    private static func phones(_ word: String, _ given: ParsedArguments) throws(UsageError) -> Invocation {
        let state = given.stateDirectory
        let request: PhonesRequest
        switch word {
        case "pair":
            guard let person = given.value("--person") else {
                throw UsageError("option '--person NAME' is missing", command: given.command)
            }
            if given.has("--ntfy") || given.value("--xmpp") != nil {
                request = .pairContact(try contact(person, given))
                break
            }
            request = .pair(
                person: try name(person, "option '--person'", given),
                roles: try roles(given.value("--role") ?? "arm,disarm", of: "option '--role'", given),
                noPresence: given.has("--no-presence"))
        case "allow":
            guard (1...256).contains(given.operands[0].utf8.count) else {
                throw UsageError("CONTACT is a name, as 'howalarming phones list' shows it", command: given.command)
            }
            request = .allow(
                contact: given.operands[0],
                given.operands[1] == "nothing" ? [] : try verbs(given.operands[1], of: "VERBS", given),
                tellsArming: given.has("--tell-arming"))
        case "confirm":
            guard let text = given.operand(0) else { return .confirmPairing(stateDirectory: state) }
            guard let digits = PairingDigits.code(text) else {
                throw UsageError("CODE is the six digits that the phone shows", command: given.command)
            }
            request = .confirm(digits)
        case "cancel": request = .cancelPairing
        case "codes":
            guard (1...256).contains(given.operands[0].utf8.count) else {
                throw UsageError("NAME is a person's or an account's", command: given.command)
            }
            request = given.has("--off") ? .codesOff(person: given.operands[0]) : .codes(person: given.operands[0])
        case "rename": request = .rename(phone: try phone(given), name: try name(1, of: given))
        case "role":
            request = .role(phone: try phone(given), try roles(given.operands[1], of: "ROLES", given))
        case "revoke": request = .revoke(phone: try phone(given))
        case "lift": request = .lift(phone: try phone(given))
        case "test": request = .test(phone: given.operand(0) == nil ? nil : try phone(given))
        case "approve":
            var verbs = LegacyPhone.allowedByDefault
            if let text = given.value("--allow") {
                let known = LegacyPhone.Verb.allCases
                let chosen = try words(text, known: known.map(\.rawValue), of: "option '--allow'", given)
                verbs = known.filter { chosen.contains($0.rawValue) }
            }
            request = .approve(token: try token(given), verbs)
        case "disapprove": request = .disapprove(token: try token(given))
        case "dead": request = .dead(limit: try given.number("--limit", in: 1...1000) ?? 20)
        case "seen": request = .seen
        default: request = .list
        }
        return .phones(request, stateDirectory: state, json: given.has("--json"))
    }

    private static func contact(_ person: String, _ given: ParsedArguments) throws(UsageError) -> ContactRequest {
        for option in ["--role", "--no-presence"] where given.has(option) || given.value(option) != nil {
            throw UsageError(
                "option '\(option)' is for phones with the app; use '--allow' for a store app or an account",
                command: given.command)
        }
        let person = try name(person, "option '--person'", given)
        let jid = given.value("--xmpp")
        if let jid {
            let parts = jid.split(separator: "@", omittingEmptySubsequences: false)
            let isPlain = jid.utf8.count <= 256 && jid.utf8.allSatisfy { (33...126).contains($0) && $0 != 47 }
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, isPlain else {
                throw UsageError("option '--xmpp' takes an address such as anna@example.net", command: given.command)
            }
        }
        let name = try given.value("--name").map { text throws(UsageError) in
            try self.name(text, "option '--name'", given)
        }
        return ContactRequest(
            kind: jid == nil ? .topic : .xmpp, person: person, name: name ?? (jid == nil ? "ntfy" : "XMPP"),
            value: jid?.lowercased() ?? "",
            allowed: try given.value("--allow").map { text throws(UsageError) in
                try verbs(text, of: "option '--allow'", given)
            } ?? [], tellsArming: given.has("--tell-arming"))
    }

    private static func verbs(
        _ text: String, of what: String, _ given: ParsedArguments
    ) throws(UsageError) -> [ContactVerb] {
        let chosen = try words(text, known: ContactVerb.allCases.map(\.rawValue), of: what, given)
        return ContactVerb.allCases.filter { chosen.contains($0.rawValue) }
    }

    private static func name(_ index: Int, of given: ParsedArguments) throws(UsageError) -> String {
        try name(given.operands[index], "NAME", given)
    }

    private static func name(_ text: String, _ what: String, _ given: ParsedArguments) throws(UsageError) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 32 && !(0x7F...0x9F).contains($0.value) }
        guard (1...Person.nameLimit).contains(text.utf8.count), isPlain, text.first != " ", text.last != " " else {
            throw UsageError(
                "\(what) takes a name of 1 to \(Person.nameLimit) bytes, without blanks at its ends",
                command: given.command)
        }
        return text
    }

    private static func phone(_ given: ParsedArguments) throws(UsageError) -> String {
        guard (1...64).contains(given.operands[0].utf8.count) else {
            throw UsageError("PHONE is an id, the beginning of one, or a name", command: given.command)
        }
        return given.operands[0]
    }

    private static func token(_ given: ParsedArguments) throws(UsageError) -> String {
        let token = given.operands[0]
        guard (8...4096).contains(token.utf8.count), token.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw UsageError("TOKEN is a whole token, as 'howalarming phones list' shows it", command: given.command)
        }
        return token
    }

    private static func roles(
        _ text: String, of what: String, _ given: ParsedArguments
    ) throws(UsageError) -> Roles {
        var roles = Roles.view
        let chosen = try words(text, known: Roles.named.map(\.name), of: what, given)
        for (name, role) in Roles.named where chosen.contains(name) { roles.insert(role) }
        return roles
    }

    private static func words(
        _ text: String, known: [String], of what: String, _ given: ParsedArguments
    ) throws(UsageError) -> [String] {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for word in words where !known.contains(word) {
            throw UsageError(
                "\(what) takes \(known.joined(separator: ", ")), joined by commas"
                    + UsageError.suggestion(for: word, among: known), command: given.command)
        }
        return words
    }
}
