import AlarmModel
import ApplianceCore
import CommandKit
import Platform
import Reports

/// The browser of whoever looks on: paired at this terminal, then asked to arm and to disarm.
extension DemoDirector {
    /// For all tries together.
    private static let pairingPatience = Duration.minutes(10)
    private static let handPatience = Duration.minutes(5)
    private static let mostCodes = 10

    /// Shows a code as an address, and takes the digits. A code that is worth nothing any more is followed by another one.
    func pairBrowser(_ person: String, _ roles: Roles) throws {
        guard let address = stage.appAddress else {
            throw DemoEnd.failed("there is no web app in this demo; please report this")
        }
        let begun = SystemClock.bootTime()
        for _ in 1...Self.mostCodes {
            let names = roles.subtracting(.view).names.joined(separator: ",")
            screen.show(.box, "> howalarming phones pair --person \(person) --role \(names)")
            let pairing = try stage.beginPairing(person, roles)
            defer { pairing.close() }
            try invite(PairingText.link(to: address, with: pairing.code ?? Secret("")))
            if try follow(pairing, until: begun + Self.pairingPatience) {
                let taken = DemoPace.seconds(SystemClock.bootTime() - begun)
                return screen.story("Paired after \(taken) s. Watch the browser from here on.")
            }
        }
        throw DemoEnd.failed("no browser was paired with \(Self.mostCodes) codes; run the demo again")
    }

    private func invite(_ link: Secret) throws {
        stage.keyboard?.forget()
        if stage.firefox != nil {
            try stage.showInFirefox(link)
            return screen.notice([
                "The app is open in Firefox, with the code in it.", "",
                "Press 'Pair' there, and allow what Firefox asks; the finger is simulated.",
                "Then it shows six digits. If Firefox goes on asking for a security key,",
                "press its 'Cancel': the finger has been there.",
            ])
        }
        screen.notice([
            "Open this address in a browser on this machine:", "", link.revealed, "",
            "Press 'Pair' there; it may ask for your fingerprint or PIN.", "Then it shows six digits.",
        ])
    }

    /// False when this pairing has ended without a browser.
    private func follow(_ pairing: DemoPairing, until end: BootTime) throws -> Bool {
        var isAsking = false
        var hasToldEnd = false
        while true {
            let now = SystemClock.bootTime()
            let isThere = try stage.wait(within: max(.zero, end - now)) {
                pairing.hasNews || isAsking && (stage.keyboard?.hasLine ?? false)
            }
            guard isThere else {
                throw DemoEnd.failed(
                    "no browser was paired within \(Text.span(Self.pairingPatience)); run the demo again")
            }
            if let news = pairing.takeNews() {
                switch news {
                case .ready, .subscribe, .codeSent, .codesReady, .codesOn: break
                case .heard:
                    isAsking = true
                    screen.show(.box, PairingText.line(news))
                    screen.notice(["Type here the six digits that the browser shows, then Enter:"])
                case .wrongCode(let left):
                    screen.notice([
                        "These are not the digits that the browser shows; \(left) \(left == 1 ? "try" : "tries") left.",
                        "Type them again, then Enter:",
                    ])
                case .paired:
                    screen.show(.box, PairingText.line(news))
                    return true
                case .ended(let why):
                    screen.notice([
                        "The pairing has ended: \(Text.printable(why)).", "The next address has a new code.",
                    ])
                    return false
                }
            } else if let line = stage.keyboard?.takeLine() {
                try confirm(line)
            }
            if isAsking, !hasToldEnd, stage.keyboard?.hasEnded ?? true, !(stage.keyboard?.hasLine ?? false) {
                hasToldEnd = true
                screen.notice([
                    "Nothing can be typed here: the input has ended. In another terminal:", "",
                    "\(stage.firmware) phones confirm DIGITS --state \(stage.directory)",
                ])
            }
        }
    }

    /// What comes of it, the pairing tells.
    private func confirm(_ line: String) throws {
        guard line.contains(where: { !$0.isWhitespace }) else { return }
        guard let digits = PairingDigits(line.filter { !$0.isWhitespace }) else {
            return screen.notice(["These are not six digits. Type all that the browser shows, then Enter:"])
        }
        screen.show(.box, "> howalarming phones confirm \(digits.code.revealed)")
        _ = try stage.ask(.phones(.confirm(digits.code)))
    }

    func armInBrowser() throws {
        try awaitHouse("arm", \.isArmed) {
            [
                "Arm the house in the browser: hold 'Arm away' for a second, then let go.", "",
                "Or press Enter here: then Anna's phone does it.",
            ]
        }
    }

    func disarmInBrowser() throws {
        screen.house(try status().panel)
        try awaitHouse("disarm", \.isDisarmed) {
            hasNotices
                ? [
                    "The notice is on the screen. Click on it: the alarm opens.",
                    "Where this desktop shows none, open \(stage.appAddress ?? "the app") in that Firefox.", "",
                    "Disarm there: hold 'Disarm' for a second, then let go.", "",
                    "Or press Enter here: then Anna's phone does it.",
                ]
                : [
                    "The alarm is in the browser, and goes on.",
                    "Disarm there: hold 'Disarm' for a second, then let go.", "",
                    "If it offers no 'Disarm', your browser has no passkey.",
                    "Press Enter here: then Anna's phone does it.",
                ]
        }
    }

    /// Somebody who looks on may have done it already.
    private func awaitHouse(
        _ word: String, _ isDone: (PartitionStatus) -> Bool, _ notice: () -> [String]
    ) throws {
        stage.keyboard?.forget()
        if try house(isDone) { return }
        screen.notice(notice())
        let end = SystemClock.bootTime() + Self.handPatience
        while SystemClock.bootTime() < end, stage.keyboard?.takeLine() == nil {
            if try house(isDone) { return }
            try stage.rest(.milliseconds(100))
        }
        try preparePhone()
        try tellPhone(word)
        let last = SystemClock.bootTime() + Self.patience
        while SystemClock.bootTime() < last {
            if try house(isDone) { return }
            try stage.rest(.milliseconds(100))
        }
        throw DemoEnd.failed("neither the browser nor Anna's phone has done '\(word)'; please report this")
    }

    private func house(_ isDone: (PartitionStatus) -> Bool) throws -> Bool {
        try status().panel.partitions.first { $0.number == 1 }?.status.current.map(isDone) ?? false
    }
}
