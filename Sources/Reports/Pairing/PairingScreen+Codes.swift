import AlarmModel
import ApplianceCore
import CommandKit

/// The screen of `phones codes`: what an authenticator app is to be told, and the first code that it shows.
extension PairingScreen {
    func codesWords(_ span: Duration, width: Int, problem: String?) -> [String] {
        var lines = Text.wrapped("One-time codes for \(Text.printable(person))", width: width)
        lines.append("")
        lines += Text.wrapped(
            problem == nil
                ? "Scan this with an authenticator app, or type this key there:"
                : "Type this key into an authenticator app:", width: width)
        lines += Text.wrapped(PairingText.key(of: code), width: width)
        lines.append("")
        lines += Text.wrapped("Then type the six digits that it shows, and Enter.", width: width)
        lines += ["", "Digits: " + Text.padded(typed, to: 6).replacing(text: " ", with: "_"), ""]
        if let remark { lines += Text.wrapped(Text.printable(remark), width: width) + [""] }
        lines += Text.wrapped("There are \(PairingText.time(span)) for it. \(endKey) ends this.", width: width)
        if let problem {
            lines += [""] + Text.wrapped(problem, width: width) + Text.chunks(code?.revealed ?? "", width: width)
        }
        return lines
    }
}

extension Text {
    /// In pieces of that many characters, for what has no blanks.
    static func chunks(_ text: String, width: Int) -> [String] {
        let characters = Array(printable(text))
        return stride(from: 0, to: characters.count, by: max(1, width)).map {
            String(characters[$0..<min($0 + max(1, width), characters.count)])
        }
    }
}
