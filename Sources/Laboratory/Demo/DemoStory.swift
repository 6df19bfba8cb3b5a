import AlarmModel

/// What the demo tells. Users are 1 Anna and 2 Ben; zones as in `ExampleHouse`.
enum DemoStory {
    /// What matters, in twenty seconds.
    static let night: [DemoAct] = [
        DemoAct(
            hour: 22, minute: 40, title: "Two phones are paired", showsSentencesOnly: true,
            steps: [
                .say("Anna's can arm and disarm, with keys that nobody else has. Ben has the app ntfy from a store."),
                .pair(person: "Anna", roles: "arm,disarm"), .phoneTells("paired with"),
                .pairStoreApp(person: "Ben", name: "Ben's phone"), .expect(.init("PHONES", words: "Ben (")), .rest,
                .rest,
            ]),
        DemoAct(
            hour: 22, minute: 50, title: "Anna arms from her phone",
            steps: [
                .say("A signed command; it is done when the panel confirms it, and the phone is told so."),
                .phoneOpens, .phone("arm"), .expect(.init("656")), .phoneTells("arm ok"), .expect(.init("652")),
                .phoneTells(" armed 652 "),
            ]),
        DemoAct(
            hour: 3, minute: 10, title: "Somebody forces the kitchen window",
            steps: [
                .say("The alarm is written to the journal and leaves by both channels at once."),
                .house("open 3"), .expect(.init("601", zone: 3)), .topicTells("ALARM, Kitchen window"),
                .phoneTells(" alarm 601 Alarm: zone 3 "), .rest,
                .house("trip 4 300ms"), .expect(.init("601", zone: 4)), .topicTells("ALARM, Living room motion"),
                .phoneTells(" alarm 601 Alarm: zone 4 "), .expect(.init("602", zone: 4)),
            ]),
        DemoAct(
            hour: 3, minute: 12, title: "Anna disarms from her phone",
            steps: [
                .phoneOpens, .phone("disarm"), .expect(.init("655")),
                .expect(.init("750", words: "Disarmed by Anna (Anna's phone)")), .phoneTells("disarm ok"),
                .topicTells("Anna"), .house("close 3"), .expect(.init("610", zone: 3)), .compare,
            ]),
    ]

    /// The same with a browser, whose owner takes part: so nothing of it may depend on when he does what.
    static let nightWithBrowser = [night[0], pairing(then: []), armingInBrowser, burglary(before: [], after: [])]

    /// In a Firefox of the demo's own, whose page is closed when the alarm comes.
    static let nightWithFirefox = [
        night[0], pairing(then: [.browserTakesNotices]), armingInBrowser,
        burglary(before: [.pageIsClosed], after: [.noticeArrives]),
    ]

    private static func pairing(then more: [DemoStep]) -> DemoAct {
        DemoAct(
            hour: 22, minute: 45, title: "Your browser is paired",
            steps: [
                .say("Then it has keys of its own, as Anna's phone has; the topic server cannot read along."),
                .pairBrowser(person: "You", roles: [.view, .arm, .disarm]),
                .expect(.init("PHONES", words: "You (")),
            ] + more)
    }

    private static let armingInBrowser = DemoAct(
        hour: 22, minute: 50, title: "You arm in your browser",
        steps: [.say("A signed command; it is done when the panel confirms it."), .browserArms])

    private static func burglary(before: [DemoStep], after: [DemoStep]) -> DemoAct {
        DemoAct(
            hour: 3, minute: 10, title: "Somebody forces the kitchen window",
            steps: [.browserArms] + before + [
                .house("open 3"), .expect(.init("601", zone: 3)),
                .topicTells("ALARM, Kitchen window"), .phoneTells(" alarm 601 Alarm: zone 3 "),
            ] + after + [
                .browserDisarms, .expect(.init("655")), .expect(.init("750", words: "Disarmed by")),
                .house("close 3"), .expect(.init("610", zone: 3)), .compare,
            ])
    }

    /// A whole day, with what goes wrong in it.
    static let day: [DemoAct] = [
        morning, pairing, storeApp, everybodyLeaves, lunch, leavingAgain, burglary, pushAway, disarming, forgeries,
        powerCut,
        silence, goodNight,
    ]

    private static let morning = DemoAct(
        hour: 7, minute: 5, title: "Morning",
        steps: [
            .say("The daemon has logged in to the panel and knows the house."),
            .house("open 3"), .expect(.init("609", zone: 3)), .rest, .clock(7, 20),
            .house("close 3"), .expect(.init("610", zone: 3)),
        ])

    private static let pairing = DemoAct(
        hour: 7, minute: 30, title: "Anna's phone is paired",
        steps: [
            .say("At the box, 'howalarming phones pair' shows a code; Anna's phone scans it and shows six digits."),
            .pair(person: "Anna", roles: "arm,disarm"), .expect(.init("PHONES", words: "Anna (")),
            .phoneTells("paired with"),
            .say("Box and phone have keys now that nobody else has, the push service neither."),
        ])

    private static let storeApp = DemoAct(
        hour: 7, minute: 40, title: "Ben has the app ntfy from a store",
        steps: [
            .say("It needs no account: 'howalarming phones pair --ntfy' shows a topic, and a code arrives there."),
            .pairStoreApp(person: "Ben", name: "Ben's phone"), .expect(.init("PHONES", words: "Ben (")),
        ])

    private static let everybodyLeaves = DemoAct(
        hour: 7, minute: 48, title: "Everybody leaves",
        steps: [
            .say("Ben arms at the keypad; there is time to leave by the front door."),
            .house("keypad 1 arm away user 2"), .expect(.init("656")), .rest,
            .house("open 1"), .expect(.init("609", zone: 1)), .house("close 1"), .expect(.init("610", zone: 1)),
            .state, .expect(.init("700", user: 2)), .expect(.init("652")), .phoneTells(" armed 652 "), .rest,
        ])

    private static let lunch = DemoAct(
        hour: 12, minute: 20, title: "Anna comes home for lunch",
        steps: [
            .say("The front door starts the entry delay; motion in the hall is no alarm within it."),
            .house("open 1"), .expect(.init("657")), .state,
            .house("close 1"), .house("trip 6 300ms"), .expect(.init("609", zone: 6)), .rest,
            .say("Anna disarms in time, at the keypad."),
            .house("keypad 1 disarm user 1"), .expect(.init("655")), .expect(.init("750", user: 1)),
        ])

    private static let leavingAgain = DemoAct(
        hour: 13, minute: 5, title: "Anna arms from her phone",
        steps: [
            .say("A signed command; it is done when the panel confirms it, and the phone is told so."),
            .phoneOpens, .phone("arm"), .expect(.init(.command)), .expect(.init("656")), .phoneTells("arm ok"), .rest,
            .expect(.init("701")), .expect(.init("652")), .phoneTells(" armed 652 "), .rest,
        ])

    private static let burglary = DemoAct(
        hour: 16, minute: 40, title: "Somebody forces the kitchen window",
        steps: [
            .house("open 3"), .expect(.init("601", zone: 3)), .expect(.init("654")),
            .phoneTells(" alarm 601 Alarm: zone 3 "), .topicTells("ALARM, Kitchen window"), .rest,
        ])

    private static let pushAway = DemoAct(
        hour: 16, minute: 42, title: "In the middle of the alarm the push service goes away",
        steps: [
            .say("It drains: the connection will end, new messages go over another one. The burglar is inside."),
            .push("drain 1s"), .house("trip 4 300ms"), .expect(.init("601", zone: 4)),
            .phoneTells(" alarm 601 Alarm: zone 4 "), .topicTells("ALARM, Living room motion"), .rest,
            .say("Now Anna drives through a tunnel, and it closes in good order before it has acknowledged the alarm."),
            .phone("offline"), .push("delay-acks 1m"), .house("trip 5 300ms"), .expect(.init("601", zone: 5)),
            .messageSent,
            .say("But Ben has it: an alarm goes out by every channel at once, and his does not know of the trouble."),
            .topicTells("ALARM, Study motion"), .push("delay-acks off"), .push("close-graceful"), .sameMessageAgain,
            .rest,
            .phone("online"), .phoneTells(" alarm 601 Alarm: zone 5 "), .rest,
            .say("And it delivers out of order and twice."),
            .push("reorder down 3"), .push("duplicate down 3"),
            .house("trip 6 300ms"), .expect(.init("601", zone: 6)), .expect(.init("602", zone: 6)),
            .phoneTells(" alarm 601 Alarm: zone 6 "), .phoneTells(" recovery 602 Alarm restored: zone 6 "),
            .topicTells("ALARM, Hall motion"), .compare,
        ])

    private static let disarming = DemoAct(
        hour: 16, minute: 58, title: "Anna disarms from her phone",
        steps: [
            .say("Her command reaches the box twice, and is carried out once."),
            .phoneOpens, .push("duplicate up 1"), .phone("disarm"), .expect(.init("655")),
            .expect(.init("750", words: "Disarmed by Anna (Anna's phone)")), .phoneTells("disarm ok"),
            .topicTells("Anna"),
            .once(.init("750")), .once(.init("COMMAND", words: "asked for")),
            .house("close 3"), .expect(.init("602", zone: 3)), .rest,
        ])

    private static let forgeries = DemoAct(
        hour: 17, minute: 30, title: "Somebody at the push service tries his luck",
        steps: [
            .say("He sends again what he recorded when Anna armed, and commands that he made up, in her name."),
            .forgeries, .state, .rest,
        ])

    private static let powerCut = DemoAct(
        hour: 18, minute: 30, title: "The mains fail",
        steps: [
            .say("Anna's phone is off for the evening; the push service keeps what is for it."), .phone("offline"),
            .house("ac off"), .expect(.init("802")), .expect(.init("840")), .state, .rest, .clock(18, 55),
            .house("ac on"), .expect(.init("803")), .expect(.init("841")),
        ])

    private static let silence = DemoAct(
        hour: 21, minute: 15, title: "The module falls silent",
        steps: [
            .say("The connection stands and nothing comes: half open. The daemon's polls find that out."),
            .house("fault silent on"),
            .say("Meanwhile the kitchen window is opened, and nobody can tell."),
            .house("open 3"), .expect(.init(.panelOffline)), .state, .rest,
            .say("The module works again: what changed while away is found and said to be so."),
            .house("fault silent off"), .expect(.init("609", zone: 3, isWhileAway: true)),
            .expect(.init(.panelOnline)), .state, .rest, .clock(21, 40),
            .house("close 3"), .expect(.init("610", zone: 3)),
        ])

    private static let goodNight = DemoAct(
        hour: 22, minute: 50, title: "Good night",
        steps: [
            .say("What 'howalarming arm stay' at the box does. Armed stay, motion indoors is recorded and no alarm."),
            .order(.arm(partition: 1, mode: .stay, force: false), says: "arm stay"), .expect(.init("656")),
            .expect(.init("652")), .house("trip 6 200ms"), .expect(.init("609", zone: 6)), .rest,
            .say(
                "Anna's phone is on again: it gets what was kept for it, fetches the rest, and its log is the journal."),
            .phone("online"), .phoneTells("Mains power lost"),
            .compare,
        ])
}
