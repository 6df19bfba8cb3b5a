import CommandKit

/// `people` and `phones`.
extension CommandTable {
    private typealias Option = CommandSyntax.Option
    private typealias Operand = CommandSyntax.Operand

    private static let json = Option(name: "--json", value: nil, summary: "print JSON for programs")
    private static let whileStopped = " Works while the daemon is stopped, too."

    static let phones = [
        CommandSyntax(
            name: "people", purpose: .phones, brief: "who is told",
            summary:
                "The people of the house: who they are, in which language they are told, and of what. Alarms go to "
                + "everybody.", examples: ["howalarming people add Anna", "howalarming people list"], parts: people),
        CommandSyntax(
            name: "phones", purpose: .phones, brief: "pair and manage phones",
            summary:
                "The phones of these people: pairing, what each may do, and what became of their messages. A PHONE "
                + "is named by its id, the beginning of it, or its name.",
            examples: ["howalarming phones pair --person Anna", "howalarming phones list"], parts: parts),
    ]

    private static let personOptions = [
        Option(name: "--receives", value: "CLASS,…", summary: "alarm, fault, state, info"),
        Option(name: "--language", value: "LL", summary: "two letters, such as en"),
        Option(name: "--duress", value: "yes|no", summary: "is told of duress, as nobody else is"),
    ]

    private static let people = [
        CommandSyntax(
            name: "people list", purpose: .phones, brief: "everybody, and their phones",
            summary: "Lists the people with their phones. With --all it shows a mark for whoever is told of duress; "
                + "nothing else in the house does." + whileStopped,
            options: [json, Option(name: "--all", value: nil, summary: "with the marks of duress contacts")],
            examples: ["howalarming people list"]),
        CommandSyntax(
            name: "people add", purpose: .phones, brief: "a person",
            summary: "Adds a person, who is told of alarms, faults and arming, in English, unless said otherwise."
                + whileStopped, operands: [Operand(name: "NAME")], options: personOptions,
            examples: ["howalarming people add Anna --language de"]),
        CommandSyntax(
            name: "people set", purpose: .phones, brief: "what a person is told",
            summary: "Changes what a person is told, and in which language. Alarms go to everybody." + whileStopped,
            operands: [Operand(name: "NAME")], options: personOptions,
            examples: ["howalarming people set Anna --receives alarm,fault"]),
        CommandSyntax(
            name: "people rename", purpose: .phones, brief: "another name",
            summary: "Gives a person another name." + whileStopped,
            operands: [Operand(name: "OLD"), Operand(name: "NEW")], examples: ["howalarming people rename Ana Anna"]),
        CommandSyntax(
            name: "people remove", purpose: .phones, brief: "a person without phones",
            summary: "Removes a person. Revoke the person's phones first." + whileStopped,
            operands: [Operand(name: "NAME")], examples: ["howalarming people remove Ben"]),
    ]

    private static let phone = Operand(name: "PHONE")

    private static let parts = [
        CommandSyntax(
            name: "phones list", purpose: .phones, brief: "the phones and the push service",
            summary:
                "Lists the phones with what each may do, what waits for it and when it last had a message; and the "
                + "original apps that ask to be let in." + whileStopped,
            options: [json], examples: ["howalarming phones list"]),
        CommandSyntax(
            name: "phones pair", purpose: .phones, brief: "a new phone, with a picture",
            summary: "Shows a code, as a picture to scan and as text. It is valid for 10 minutes and one phone. When a "
                + "phone has used it, type the six digits that the phone shows, here or with 'phones confirm'. Ctrl-C "
                + "ends the pairing. Needs the daemon, and the program qrencode for the picture.",
            options: [
                Option(name: "--person", value: "NAME", summary: "whose phone it is", isNeeded: true),
                Option(name: "--role", value: "ROLE,…", summary: "it may arm, disarm, bypass, panic, admin"),
                Option(
                    name: "--no-presence", value: nil, summary: "it may disarm without its owner's finger or PIN"),
                Option(name: "--ntfy", value: nil, summary: "not our app: the app ntfy from a store"),
                Option(name: "--xmpp", value: "ADDRESS", summary: "not our app: an XMPP account"),
                Option(name: "--name", value: "NAME", summary: "what the store app or the account is called"),
                Option(name: "--allow", value: "VERB,…", summary: "seen, status, log, arm, disarm, bypass"),
                Option(name: "--tell-arming", value: nil, summary: "tell it arming and disarming, in clear"),
            ],
            examples: [
                "howalarming phones pair --person Anna", "howalarming phones pair --person Ben --role arm",
                "howalarming phones pair --person Anna --ntfy",
            ]),
        CommandSyntax(
            name: "phones allow", purpose: .phones, brief: "what a store app or account may ask",
            summary:
                "Says what a store app or an account may ask for: any of seen, status, log, arm, disarm, bypass as "
                + "its way permits, joined by commas, or the word nothing. What it sends is not signed: it is worth no "
                + "more than the service that carries it. With --tell-arming it is told arming and disarming as well, "
                + "in clear, so that the service learns who is away. Needs the daemon.",
            operands: [Operand(name: "CONTACT"), Operand(name: "VERBS")],
            options: [Option(name: "--tell-arming", value: nil, summary: "tell it arming and disarming, in clear")],
            examples: ["howalarming phones allow ntfy seen,status,arm"]),
        CommandSyntax(
            name: "phones codes", purpose: .phones, brief: "one-time codes for chat",
            summary:
                "Sets up a person's one-time codes, with which an account may disarm and bypass where 'phones allow' "
                + "lets it. Shows a picture for an authenticator app, once; the codes count when the first one is "
                + "typed here. NAME is a person's or an account's. Needs the daemon and a clock that is set; --off, "
                + "which removes the codes, works while the daemon is stopped, too.",
            operands: [Operand(name: "NAME")], options: [Option(name: "--off", value: nil, summary: "remove them")],
            examples: ["howalarming phones codes Anna"]),
        CommandSyntax(
            name: "phones confirm", purpose: .phones, brief: "the six digits of the phone",
            summary: "Confirms the pairing under way, or new one-time codes, with the six digits that the phone shows; "
                + "without them it asks. Needs the daemon.", operands: [Operand(name: "CODE", isOptional: true)],
            examples: ["howalarming phones confirm 123456"]),
        CommandSyntax(
            name: "phones cancel", purpose: .phones, brief: "end the pairing under way",
            summary: "Ends the pairing under way; its code is worth nothing then. Needs the daemon.",
            examples: ["howalarming phones cancel"]),
        CommandSyntax(
            name: "phones rename", purpose: .phones, brief: "another name",
            summary: "Gives a phone another name." + whileStopped, operands: [phone, Operand(name: "NAME")],
            examples: ["howalarming phones rename 01ab Kitchen"]),
        CommandSyntax(
            name: "phones role", purpose: .phones, brief: "what a phone may do",
            summary:
                "Says what a phone may do: any of arm, disarm, bypass, panic, admin, joined by commas. Every phone "
                + "may view; 'view' alone takes all else away." + whileStopped,
            operands: [phone, Operand(name: "ROLES")], examples: ["howalarming phones role 01ab arm,bypass"]),
        CommandSyntax(
            name: "phones revoke", purpose: .phones, brief: "a phone that is lost",
            summary: "Takes a phone's keys away for ever: it gets nothing and may do nothing until it is paired anew."
                + whileStopped, operands: [phone], examples: ["howalarming phones revoke 01ab"]),
        CommandSyntax(
            name: "phones lift", purpose: .phones, brief: "let a suspended phone act",
            summary: "Lets a phone act again that was suspended or locked." + whileStopped, operands: [phone],
            examples: ["howalarming phones lift 01ab"]),
        CommandSyntax(
            name: "phones test", purpose: .phones, brief: "a test notice",
            summary:
                "Sends a test notice to one phone or to all; 'phones list' shows whether it came. Needs the daemon.",
            operands: [Operand(name: "PHONE", isOptional: true)], examples: ["howalarming phones test"]),
        CommandSyntax(
            name: "phones approve", purpose: .phones, brief: "an original app (legacy)",
            summary:
                "Lets an original HowAlarming app in, named by its whole token as 'phones list' shows it. It may do "
                + "ping, status and arm unless said otherwise. Everything to and from it is in clear: whoever holds the "
                + "push account can read it and act in its name, so think twice before 'disarm'." + whileStopped,
            operands: [Operand(name: "TOKEN")],
            options: [
                Option(name: "--allow", value: "VERB,…", summary: "ping, status, arm, disarm, fire, medical, police")
            ], examples: ["howalarming phones approve fV1x:APA91bF --allow ping,status"]),
        CommandSyntax(
            name: "phones disapprove", purpose: .phones, brief: "shut an original app out",
            summary: "Shuts an original app out again." + whileStopped, operands: [Operand(name: "TOKEN")],
            examples: ["howalarming phones disapprove fV1x:APA91bF"]),
        CommandSyntax(
            name: "phones dead", purpose: .phones, brief: "messages given up",
            summary: "Lists messages that nobody got, newest first, and why. Needs the daemon.",
            options: [Option(name: "--limit", value: "N", summary: "the newest N, 1 to 1000 (20)"), json],
            examples: ["howalarming phones dead"]),
        CommandSyntax(
            name: "phones seen", purpose: .phones, brief: "stop repeating the alarm",
            summary:
                "Says that somebody at the box has seen the alarm: it is not repeated to phones any more. Needs the "
                + "daemon.", examples: ["howalarming phones seen"]),
    ]
}
