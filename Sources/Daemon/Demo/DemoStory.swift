import AlarmModel

/// The demo's day. Users are 1 Anna and 2 Ben; zones as in `ExampleHouse`.
enum DemoStory {
    static let acts: [DemoAct] = [
        morning, everybodyLeaves, lunch, leavingAgain, burglary, powerCut, silence, night,
    ]

    private static let morning = DemoAct(
        hour: 7, minute: 5, title: "Morning",
        steps: [
            .say("The daemon has logged in to the panel and knows the house."),
            .house("open 3"), .expect(.init("609", zone: 3)), .rest, .clock(7, 20),
            .house("close 3"), .expect(.init("610", zone: 3)), .rest,
        ])

    private static let everybodyLeaves = DemoAct(
        hour: 7, minute: 48, title: "Everybody leaves",
        steps: [
            .say("Ben arms at the keypad; there is time to leave by the front door."),
            .house("keypad 1 arm away user 2"), .expect(.init("656")), .rest,
            .house("open 1"), .expect(.init("609", zone: 1)), .rest,
            .house("close 1"), .expect(.init("610", zone: 1)), .state,
            .expect(.init("700", user: 2)), .expect(.init("652")), .rest,
        ])

    private static let lunch = DemoAct(
        hour: 12, minute: 20, title: "Anna comes home for lunch",
        steps: [
            .say("The front door starts the entry delay; motion in the hall is no alarm within it."),
            .house("open 1"), .expect(.init("657")), .state,
            .house("close 1"), .house("trip 6 300ms"), .expect(.init("609", zone: 6)), .rest,
            .say("Anna disarms in time."),
            .house("keypad 1 disarm user 1"), .expect(.init("655")), .expect(.init("750", user: 1)), .rest,
        ])

    private static let leavingAgain = DemoAct(
        hour: 13, minute: 5, title: "Anna leaves and has the box arm",
        steps: [
            .say("What 'howalarming arm away' does: an order, done when the panel confirms it."),
            .order(.arm(partition: 1, mode: .away, force: false), says: "arm away"),
            .expect(.init(.command)), .expect(.init("656")), .rest,
            .expect(.init("701")), .expect(.init("652")), .rest,
        ])

    private static let burglary = DemoAct(
        hour: 16, minute: 40, title: "Somebody forces the kitchen window",
        steps: [
            .house("open 3"), .expect(.init("601", zone: 3)), .expect(.init("654")), .rest,
            .say("Motion while armed:"),
            .house("trip 4 300ms"), .expect(.init("601", zone: 4)), .state, .rest,
            .say("The bell is cut off after its time; the house stays armed."),
            .expect(.init("652")), .clock(16, 58), .rest,
            .say("Ben comes and disarms."),
            .house("keypad 1 disarm user 2"), .expect(.init("655")), .expect(.init("750", user: 2)), .rest,
            .house("close 3"), .expect(.init("602", zone: 3)), .rest,
        ])

    private static let powerCut = DemoAct(
        hour: 18, minute: 30, title: "The mains fail",
        steps: [
            .house("ac off"), .expect(.init("802")), .expect(.init("840")), .state, .rest, .clock(18, 55),
            .house("ac on"), .expect(.init("803")), .expect(.init("841")), .rest,
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
            .house("close 3"), .expect(.init("610", zone: 3)), .rest,
        ])

    private static let night = DemoAct(
        hour: 22, minute: 50, title: "Good night",
        steps: [
            .say("Armed stay: motion indoors is recorded and no alarm."),
            .house("keypad 1 arm stay user 1"), .expect(.init("656")), .expect(.init("700", user: 1)),
            .expect(.init("652")), .house("trip 6 200ms"), .expect(.init("609", zone: 6)), .rest,
        ])
}
