package import AlarmModel
package import ApplianceCore
import CommandKit
package import Platform

/// The screen of `phones pair`, as a value: what has happened and the size of the terminal give its lines.
package struct PairingScreen: Equatable, Sendable {
    enum Stage: Equatable, Sendable {
        case starting
        case ready(validFor: Duration, app: String?, Roles?)
        case heard(phone: String, PasskeyPlace?)
        /// An app from a store is to listen to this topic; its digits arrive there.
        case topic(String)
        /// Its digits were sent to this account.
        case account(String)
        case codes(validFor: Duration)
    }

    var person: String
    /// One-time codes are set up, no phone is paired.
    package var isCodes = false
    var stage = Stage.starting
    package var code: Secret?
    /// Rows of the QR code in half blocks; empty without one.
    package var picture: [String] = []
    /// It is a link that opens the app, with the code in it.
    package var isLink = false
    /// Why there is none.
    package var pictureProblem: String?
    /// What is typed of the six digits.
    package var typed = ""
    /// What came of the last digits.
    package var remark: String?
    /// The key that ends it here.
    package var endKey = "Ctrl-C"

    package init(person: String) { self.person = person }

    /// Columns that the words beside the picture need.
    private static let besides = 31
    private static let smallest = Terminal.Size(columns: 80, rows: 24)

    package var isAwaitingDigits: Bool {
        switch stage {
        case .starting, .ready: false
        case .heard, .topic, .account, .codes: true
        }
    }

    package mutating func note(_ progress: PairingProgress, code: Secret? = nil) {
        switch progress {
        case .ready(let span, let app, let roles):
            stage = .ready(validFor: span, app: app, roles)
            self.code = code
        case .heard(let phone, let passkey):
            // The code is used up: it need not be on the screen any longer.
            stage = .heard(phone: phone, passkey)
            forgetCode()
        case .subscribe(let topic):
            stage = .topic(topic)
            self.code = PairingText.subscriptionLink(topic)
        case .codeSent(let account): stage = .account(account)
        case .wrongCode: remark = PairingText.line(progress)
        case .codesReady(let span):
            stage = .codes(validFor: span)
            self.code = code
        case .paired, .codesOn, .ended: forgetCode()
        }
    }

    /// What opens the app with this code, where there is an app.
    package var link: Secret? {
        guard case .ready(_, let app?, _) = stage, let code else { return nil }
        return PairingText.link(to: app, with: code)
    }

    package mutating func drawn(_ result: QRPicture.Result) {
        isLink = false
        switch result {
        case .rows(let rows): picture = rows
        case .link(let rows): (picture, isLink) = (rows, true)
        case .none(let why): pictureProblem = why
        }
    }

    private mutating func forgetCode() {
        code = nil
        picture = []
        pictureProblem = nil
    }

    /// At most as many lines as the terminal has, none wider than it. The picture is painted light on dark, whatever
    /// the terminal's colours are.
    package func lines(size: Terminal.Size?, painted: Bool = true) -> [String] {
        let size = size ?? Self.smallest
        switch stage {
        case .starting: return fitted([isCodes ? "Making a secret …" : "Beginning a pairing …"], size)
        case .heard(let phone, let passkey): return fitted(heardLines(phone, passkey, size.columns), size)
        case .account(let account): return fitted(accountLines(account, size.columns), size)
        case .ready, .codes, .topic:
            let width = picture.map(\.count).max() ?? 0
            let hasRoom = width + Self.besides <= size.columns && picture.count < size.rows
            guard width > 0, hasRoom else {
                let problem =
                    width == 0
                    ? pictureProblem
                    : "There is no room for the picture: it needs a window of 80 by 24 characters."
                return fitted(words(width: size.columns, problem: problem), size)
            }
            let words = words(width: size.columns - width - 2, problem: nil)
            return (0..<max(picture.count, words.count)).prefix(size.rows).map { row in
                let dots = Text.padded(row < picture.count ? picture[row] : "", to: width)
                let shown = painted && row < picture.count ? "\u{1B}[97;40m\(dots)\u{1B}[0m" : dots
                return Text.trimmed(shown + "  " + (row < words.count ? words[row] : ""))
            }
        }
    }

    private func words(width: Int, problem: String?) -> [String] {
        switch stage {
        case .ready(let span, let app, let roles):
            readyWords(span, app.map(Text.printable), roles, width: width, problem: problem)
        case .codes(let span): codesWords(span, width: width, problem: problem)
        case .topic(let topic): topicWords(topic, width: width)
        case .starting, .heard, .account: []
        }
    }

    /// A picture of the topic helps only where the app's camera reads it, so nothing is said where there is none.
    private func topicWords(_ topic: String, width: Int) -> [String] {
        PairingText.subscription(topic, endsWith: "Six digits arrive there at once. Type them, and Enter.")
            .flatMap { Text.wrapped($0, width: width) } + digitLines(width)
    }

    private func accountLines(_ account: String, _ width: Int) -> [String] {
        Text.wrapped(
            "Six digits were sent to \(Text.printable(account)), for \(Text.printable(person)). Type them, and Enter.",
            width: width) + digitLines(width)
    }

    private func digitLines(_ width: Int) -> [String] {
        var lines = ["", "Digits: " + Text.padded(typed, to: 6).replacing(text: " ", with: "_")]
        if let remark { lines += Text.wrapped(Text.printable(remark), width: width) }
        return lines + Text.wrapped("\(endKey) ends this.", width: width)
    }

    private func readyWords(
        _ span: Duration, _ app: String?, _ roles: Roles?, width: Int, problem: String?
    ) -> [String] {
        let validity = PairingText.validity(span)
        var lines = Text.wrapped("A new phone for \(Text.printable(person))", width: width)
        if let roles { lines += Text.wrapped(PairingText.may(roles), width: width) }
        lines.append("")
        for line in Self.invitation(app, isLink: isLink, hasPicture: problem == nil) {
            lines += Text.wrapped(line, width: width).flatMap { Text.chunks($0, width: width) }
        }
        lines += PairingText.groups(code?.revealed ?? "", width: width)
        lines.append("")
        lines += Text.wrapped("It is \(validity).", width: width)
        lines.append("")
        lines += Text.wrapped("Waiting for the phone. \(endKey) ends this.", width: width)
        if let problem { lines += [""] + Text.wrapped(problem, width: width) }
        return lines
    }

    private static func invitation(_ app: String?, isLink: Bool, hasPicture: Bool) -> [String] {
        switch (app, hasPicture) {
        case (nil, true): ["Scan this with the app on the phone, or type the code there:"]
        case (nil, false): ["Type this code into the app:"]
        case (let app?, true) where isLink:
            ["Scan this with the phone's camera: it opens the app. Or open", app, "and type the code there:"]
        case (let app?, true):
            ["Scan this in the app, or type the code there; its address is too long for the picture:", app]
        case (let app?, false): ["Open the app on the phone:", app, "and type this code there:"]
        }
    }

    private func heardLines(_ phone: String, _ passkey: PasskeyPlace?, _ width: Int) -> [String] {
        var lines = Text.wrapped(
            "The phone \(PairingText.name(phone)) has used the code, for \(Text.printable(person)).", width: width)
        if let passkey {
            lines += Text.wrapped("It disarms with a passkey of this page:", width: width)
            lines += Text.chunks("  " + passkey.origin, width: width)
            lines += Text.chunks("  RP ID " + passkey.relyingParty, width: width)
            lines += Text.wrapped(
                "Is that exactly the page that you opened there? Else \(endKey) ends this.", width: width)
        }
        lines += Text.wrapped(
            "Is it the phone in your hand? Then type the six digits that it shows, and Enter.", width: width)
        lines += ["", "Digits: " + Text.padded(typed, to: 6).replacing(text: " ", with: "_"), ""]
        if let remark { lines += Text.wrapped(Text.printable(remark), width: width) + [""] }
        lines += Text.wrapped("If it shows none, or is not yours: \(endKey) ends this.", width: width)
        return lines
    }

    private func fitted(_ lines: [String], _ size: Terminal.Size) -> [String] {
        lines.prefix(size.rows).map { Text.fitted($0, to: size.columns) }
    }
}
