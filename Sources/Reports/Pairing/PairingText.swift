package import AlarmModel
package import ApplianceCore
import CommandKit
package import PhoneProtocol

/// A pairing in words.
package enum PairingText {
    /// For output that is no terminal, and for the end.
    package static func line(_ progress: PairingProgress, isCodes: Bool = false) -> String {
        switch progress {
        case .ready(let span, let app, let roles):
            "waiting for the phone"
                + (app.map { ": open \(Text.printable($0)) there and type the code, which is " } ?? "; the code is ")
                + validity(span) + (roles.map { ". \(may($0))" } ?? "")
        case .subscribe(let topic): subscription(topic).joined(separator: " ")
        case .codeSent(let account):
            "six digits were sent to \(Text.printable(account)): type them here, or with \(Hint.confirm)"
        case .heard(let phone, nil):
            "the phone \(name(phone)) has used the code: type the six digits that it shows, here or with \(Hint.confirm)"
        case .heard(let phone, let passkey?):
            "the phone \(name(phone)) has used the code, with a passkey of \(Text.printable(passkey.words)): if that is "
                + "the page that you opened, type the six digits that it shows, here or with \(Hint.confirm)"
        case .wrongCode(let left):
            "these are not the digits that the phone shows; \(Text.count(left, "try").replacing(text: "trys", with: "tries"))"
                + " left"
        case .codesReady(let span):
            "scan this with an authenticator app, or type the key there, then type the six digits that the app shows, "
                + "here or with \(Hint.confirm); \(time(span)) for it"
        case .codesOn(let person):
            "\(name(person)) has one-time codes now; say what an account may do with them: \(Hint.allow)"
        case .ended(let why) where isCodes: "no codes were set up: \(Text.printable(why))"
        case .paired(let id, let name):
            "paired: \(self.name(name)), \(Text.printable(id)); try it with \(Hint.test.with(Text.printable(id)))"
        case .ended(let why):
            "no phone was paired: \(Text.printable(why)); begin again with \(Hint.pair)"
        }
    }

    /// What opens the web app with the code in it. Secret as the code is; behind a `#`, so that no server is told of it.
    package static func link(to app: String, with code: Secret) -> Secret { Secret("\(app)#\(code.revealed)") }

    /// Roles that the core grants.
    static func may(_ roles: Roles) -> String { "It may \(roles.names.joined(separator: ", "))." }

    static func validity(_ span: Duration) -> String {
        "valid \(time(span)), for one phone"
    }

    static func time(_ span: Duration) -> String {
        let seconds = max(0, span.components.seconds)
        return seconds > 0 && seconds % 60 == 0 ? Text.count(seconds / 60, "minute") : Text.span(span)
    }

    /// The secret of one-time codes in groups of four, for people who type it.
    package static func key(of uri: Secret?) -> String {
        let text = uri?.revealed ?? ""
        let rest = text.range(ofText: "secret=").map { text[$0.upperBound...] } ?? ""
        return groups(String(rest.prefix { $0 != "&" }), of: 4).joined(separator: " ")
    }

    private static func groups(_ text: String, of size: Int) -> [String] {
        let characters = Array(Text.printable(text))
        return stride(from: 0, to: characters.count, by: size).map {
            String(characters[$0..<min($0 + size, characters.count)])
        }
    }

    package static func status(_ progress: PairingProgress) -> Int32 {
        switch progress {
        case .ready, .subscribe, .codeSent, .heard, .paired, .codesReady, .codesOn: ExitStatus.done
        case .wrongCode, .ended: ExitStatus.failed
        }
    }

    private static let plainScheme = "http://"

    /// What the store app on Android reads from the picture.
    package static func subscriptionLink(_ topic: String) -> Secret {
        guard topic.hasPrefix(plainScheme) else { return Secret("ntfy://\(topic)") }
        return Secret("ntfy://\(topic.dropFirst(plainScheme.count))?secure=false")
    }

    /// What to do with the topic of a store app.
    package static func subscription(
        _ topic: String,
        endsWith end: String = "Six digits arrive there at once. Type them here, or with \(Hint.confirm):"
    ) -> [String] {
        let isPlain = topic.hasPrefix(plainScheme)
        let parts = topic.dropFirst(isPlain ? plainScheme.count : 0).split(separator: "/").map {
            Text.printable(String($0))
        }
        return [
            "On the phone: install the app ntfy from its store and open it.",
            "  Android: scan the picture with the camera, or press + and type the topic.",
            "  iPhone: press + and type the topic.",
            "  topic   \(parts.last ?? "")",
            "  server  \(isPlain ? plainScheme : "https://")\(parts.dropLast().joined(separator: "/"))",
            "Whoever knows the topic can read what is sent there: keep it to yourself.",
            end,
        ]
    }

    /// Why no digits arrive in a topic; nil while its server answers.
    package static func unreachable(_ report: PhonesReport) -> String? {
        report.channels.first { $0.kind == "ntfy" }?.problem.map {
            "the topic server does not answer the box now, and no digits arrive until it does: \(Text.printable($0))"
        }
    }

    static func name(_ name: String) -> String { "'\(Text.printable(name))'" }

    /// The code in groups of five with "-" between them, as many on a line as fit. Readers pass over "-".
    package static func groups(_ code: String, width: Int) -> [String] {
        let groups = groups(code, of: 5)
        let perLine = max(1, (width + 1) / 6)
        return stride(from: 0, to: groups.count, by: perLine).map { start in
            let end = min(start + perLine, groups.count)
            return groups[start..<end].joined(separator: "-") + (end < groups.count ? "-" : "")
        }
    }

    /// Takes the code out of the reply's line: member `code` beside the reply.
    package static func split(_ document: JSON) -> (reply: JSON, code: Secret?) {
        guard case .object(let members) = document else { return (document, nil) }
        let code = members.last { $0.key == "code" }?.value.stringValue
        return (.object(members.filter { $0.key != "code" }), code.map { Secret($0) })
    }
}
