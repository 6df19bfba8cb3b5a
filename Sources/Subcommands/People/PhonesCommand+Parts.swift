import AlarmModel
import ApplianceCore
import CommandKit
import Reports

/// Each part of `phones`: what it takes, and what is asked of the core.
extension PhonesCommand {
    private static let whileStopped = " Works while the daemon is stopped, too."
    private typealias Reading<Value> = @Sendable (ParsedArguments) throws(UsageError) -> Value

    private static func part(
        _ name: String, _ operands: String = "", brief: String, _ text: String,
        request: @escaping Reading<PhonesRequest>
    ) -> CommandEntry {
        CommandEntry(name, operands, in: .phones, brief: brief, text) { given throws(UsageError) in
            PhonesCommand(request: try request(given), stateDirectory: given.stateDirectory, json: given.json)
        }
    }

    static let entry = CommandEntry(
        "phones", in: .phones, brief: "pair and manage phones",
        """
        The phones of these people: pairing, what each may do, and what became of their messages. A PHONE is named by its
        id, the beginning of it, or its name.

        howalarming phones pair --person Anna
        howalarming phones list
        """,
        parts: [
            list, pair, allow, codes, confirm, cancel, rename, role, revoke, lift, test, approve, disapprove, dead,
            seen,
        ])

    private static let list = part(
        "phones list", brief: "the phones and the push service",
        """
        Lists the phones with what each may do, what waits for it and when it last had a message; and the original apps
        that ask to be let in.\(whileStopped)

        \(CommandSyntax.json)

        howalarming phones list
        """
    ) { _ in .list }

    private static let pair = CommandEntry(
        "phones pair", in: .phones, brief: "a new phone, with a picture",
        needs: ["--person"],
        """
        Shows a code, as a picture to scan and as text. It is valid for 10 minutes and one phone. When a phone has used
        it, type the six digits that the phone shows, here or with 'phones confirm'. Ctrl-C ends the pairing. Needs the
        daemon, and the program qrencode for the picture.

        --person NAME   whose phone it is
        --role ROLE,…   it may arm, disarm, bypass, panic, admin
        --no-presence   it may disarm without its owner's finger or PIN
        --ntfy          not our app: the app ntfy from a store
        --xmpp ADDRESS  not our app: an XMPP account
        --name NAME     what the store app or the account is called
        --allow VERB,…  seen, status, log, arm, disarm, bypass
        --tell-arming   tell it arming and disarming, in clear

        howalarming phones pair --person Anna
        howalarming phones pair --person Ben --role arm
        howalarming phones pair --person Anna --ntfy
        """
    ) { given throws(UsageError) in
        guard let person = given.value("--person") else { throw given.misuse("option '--person NAME' is missing") }
        if given.has("--ntfy") || given.value("--xmpp") != nil {
            let contact = try contact(person, given)
            return PairCommand(
                request: .pairContact(contact), person: contact.person, stateDirectory: given.stateDirectory)
        }
        let name = try given.name(person, "option '--person'")
        var roles: Roles?
        if let names = given.value("--role") { roles = try given.roles(names, of: "option '--role'") }
        return PairCommand(
            request: .pair(person: name, roles: roles, noPresence: given.has("--no-presence")), person: name,
            stateDirectory: given.stateDirectory)
    }

    private static let allow = part(
        "phones allow", "CONTACT VERBS", brief: "what a store app or account may ask",
        """
        Says what a store app or an account may ask for: any of seen, status, log, arm, disarm, bypass as its channel
        permits, joined by commas, or the word nothing. What it sends is not signed: it is worth no more than the
        service that carries it. With --tell-arming it is told arming and disarming as well, in clear, so that the
        service learns who is away. Needs the daemon.

        --tell-arming  tell it arming and disarming, in clear

        howalarming phones allow ntfy seen,status,arm
        """
    ) { given throws(UsageError) in
        guard (1...256).contains(given.operands[0].utf8.count) else {
            throw given.misuse("CONTACT is a name, as 'howalarming phones list' shows it")
        }
        return .allow(
            contact: given.operands[0],
            given.operands[1] == "nothing" ? [] : try given.verbs(given.operands[1], of: "VERBS"),
            tellsArming: given.has("--tell-arming"))
    }

    private static let codes = CommandEntry(
        "phones codes", "NAME", in: .phones, brief: "one-time codes for chat",
        """
        Sets up a person's one-time codes, with which an account may disarm and bypass where 'phones allow' lets it.
        Shows a picture for an authenticator app, once; the codes count when the first one is typed here. NAME is a
        person's or an account's. Needs the daemon and a clock that is set; --off, which removes the codes, works while
        the daemon is stopped, too.

        --off  remove them

        howalarming phones codes Anna
        """
    ) { given throws(UsageError) in
        let person = given.operands[0]
        guard (1...256).contains(person.utf8.count) else { throw given.misuse("NAME is a person's or an account's") }
        guard !given.has("--off") else {
            return PhonesCommand(request: .codesOff(person: person), stateDirectory: given.stateDirectory)
        }
        return PairCommand(request: .codes(person: person), person: person, stateDirectory: given.stateDirectory)
    }

    private static let confirm = CommandEntry(
        "phones confirm", "[CODE]", in: .phones, brief: "the six digits of the phone",
        """
        Confirms the pairing under way, or new one-time codes, with the six digits that the phone shows; without them
        it asks. Needs the daemon.

        howalarming phones confirm 123456
        """
    ) { given throws(UsageError) in
        guard let text = given.operand(0) else { return ConfirmCommand(stateDirectory: given.stateDirectory) }
        guard let digits = PairingDigits(text)?.code else {
            throw given.misuse("CODE is the six digits that the phone shows")
        }
        return PhonesCommand(request: .confirm(digits), stateDirectory: given.stateDirectory)
    }

    private static let cancel = part(
        "phones cancel", brief: "end the pairing under way",
        """
        Ends the pairing under way; its code is worth nothing then. Needs the daemon.

        howalarming phones cancel
        """
    ) { _ in .cancelPairing }

    private static let rename = part(
        "phones rename", "PHONE NAME", brief: "another name",
        """
        Gives a phone another name.\(whileStopped)

        howalarming phones rename 01ab Kitchen
        """
    ) { given throws(UsageError) in .rename(phone: try given.phone(), name: try given.name(1)) }

    private static let role = part(
        "phones role", "PHONE ROLES", brief: "what a phone may do",
        """
        Says what a phone may do: any of arm, disarm, bypass, panic, admin, joined by commas. Every phone may view;
        'view' alone takes all else away.\(whileStopped)

        howalarming phones role 01ab arm,bypass
        """
    ) { given throws(UsageError) in
        .role(phone: try given.phone(), try given.roles(given.operands[1], of: "ROLES"))
    }

    private static let revoke = part(
        "phones revoke", "PHONE", brief: "a phone that is lost",
        """
        Takes a phone's keys away for ever: it gets nothing and may do nothing until it is paired anew.\(whileStopped)

        howalarming phones revoke 01ab
        """
    ) { given throws(UsageError) in .revoke(phone: try given.phone()) }

    private static let lift = part(
        "phones lift", "PHONE", brief: "let a suspended phone act",
        """
        Lets a phone act again that was suspended or locked.\(whileStopped)

        howalarming phones lift 01ab
        """
    ) { given throws(UsageError) in .lift(phone: try given.phone()) }

    private static let test = part(
        "phones test", "[PHONE]", brief: "a test notice",
        """
        Sends a test notice to one phone or to all; 'phones list' shows whether it came. Needs the daemon.

        --alarm         with the sound of an alarm; it says that it is a test

        No text message is sent for a test alarm.

        howalarming phones test
        howalarming phones test --alarm
        """
    ) { given throws(UsageError) in
        let phone = given.operand(0) == nil ? nil : try given.phone()
        return given.has("--alarm") ? .testAlarm(phone: phone) : .test(phone: phone)
    }

    private static let approve = part(
        "phones approve", "TOKEN", brief: "an original app (legacy)",
        """
        Lets an original HowAlarming app in, named by its whole token as 'phones list' shows it. It may do ping, status
        and arm unless said otherwise. Everything to and from it is in clear: whoever holds the push account can read
        it and act in its name, so think twice before 'disarm'.\(whileStopped)

        --allow VERB,…  ping, status, arm, disarm, fire, medical, police

        howalarming phones approve fV1x:APA91bF --allow ping,status
        """
    ) { given throws(UsageError) in
        var verbs = LegacyPhone.allowedByDefault
        if let text = given.value("--allow") {
            let known = LegacyPhone.Verb.allCases
            let chosen = try given.words(text, of: "option '--allow'", known: known.map(\.rawValue))
            verbs = known.filter { chosen.contains($0.rawValue) }
        }
        return .approve(token: try given.token(), verbs)
    }

    private static let disapprove = part(
        "phones disapprove", "TOKEN", brief: "shut an original app out",
        """
        Shuts an original app out again.\(whileStopped)

        howalarming phones disapprove fV1x:APA91bF
        """
    ) { given throws(UsageError) in .disapprove(token: try given.token()) }

    private static let dead = part(
        "phones dead", brief: "messages given up",
        """
        Lists messages that nobody got, newest first, and why. Needs the daemon.

        --limit N  the newest N, 1 to 1000 (20)
        \(CommandSyntax.json)

        howalarming phones dead
        """
    ) { given throws(UsageError) in .dead(limit: try given.number("--limit", in: 1...1000) ?? 20) }

    private static let seen = part(
        "phones seen", brief: "stop repeating the alarm",
        """
        Says that somebody at the box has seen the alarm: it is not repeated to phones any more. Needs the daemon.

        howalarming phones seen
        """
    ) { _ in .seen }

    private static func contact(_ person: String, _ given: ParsedArguments) throws(UsageError) -> ContactRequest {
        for option in ["--role", "--no-presence"] where given.has(option) {
            throw given.misuse(
                "option '\(option)' is for phones with the app; use '--allow' for a store app or an account")
        }
        let person = try given.name(person, "option '--person'")
        let jid = try given.read("--xmpp", "an address such as anna@example.net") { jid -> String? in
            let parts = jid.split(separator: "@", omittingEmptySubsequences: false)
            let isPlain = jid.utf8.count <= 256 && jid.utf8.allSatisfy { (33...126).contains($0) && $0 != 47 }
            return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && isPlain ? jid : nil
        }
        let name = try given.value("--name").map { text throws(UsageError) in
            try given.name(text, "option '--name'")
        }
        return ContactRequest(
            kind: jid == nil ? .topic : .xmpp, person: person, name: name ?? (jid == nil ? "ntfy" : "XMPP"),
            value: jid?.lowercased() ?? "",
            allowed: try given.value("--allow").map { text throws(UsageError) in
                try given.verbs(text, of: "option '--allow'")
            } ?? [], tellsArming: given.has("--tell-arming"))
    }
}

/// What `people` and `phones` are given.
extension ParsedArguments {
    func name(_ index: Int) throws(UsageError) -> String { try name(operands[index], "NAME") }

    func name(_ text: String, _ what: String) throws(UsageError) -> String {
        guard let name = PersonName(text) else {
            throw misuse("\(what) takes a name of 1 to \(Person.nameLimit) bytes, without blanks at its ends")
        }
        return name.text
    }

    fileprivate func phone() throws(UsageError) -> String {
        guard (1...64).contains(operands[0].utf8.count) else {
            throw misuse("PHONE is an id, the beginning of one, or a name")
        }
        return operands[0]
    }

    fileprivate func token() throws(UsageError) -> String {
        guard let token = RegistrationToken(operands[0]) else {
            throw misuse("TOKEN is a whole token, as 'howalarming phones list' shows it")
        }
        return token.text
    }

    fileprivate func roles(_ text: String, of what: String) throws(UsageError) -> Roles {
        var roles = Roles.view
        let chosen = try words(text, of: what, known: Roles.named.map(\.name))
        for (name, role) in Roles.named where chosen.contains(name) { roles.insert(role) }
        return roles
    }

    fileprivate func verbs(_ text: String, of what: String) throws(UsageError) -> [ContactVerb] {
        let chosen = try words(text, of: what, known: ContactVerb.allCases.map(\.rawValue))
        return ContactVerb.allCases.filter { chosen.contains($0.rawValue) }
    }
}
