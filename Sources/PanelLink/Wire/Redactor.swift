package import AlarmModel

/// Masks the secrets that are known, wherever they occur in a text; for input that no rule of `Redaction` fits.
package struct Redactor: Codable, Equatable, Sendable {
    private let secrets: [Secret]

    /// Empty secrets are passed over.
    package init(secrets: [Secret]) {
        self.secrets = secrets.filter { !$0.revealed.isEmpty }
    }

    /// The text with every known secret replaced by the mask, also where it was printed as `\xNN`, and also where the
    /// end of a cut text (`Redaction.bounded`) shows only its beginning.
    package func text(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var isSecret = [Bool](repeating: false, count: bytes.count)
        let end = text.hasSuffix(Redaction.cutMark) ? bytes.count - Redaction.cutMark.utf8.count : bytes.count
        for secret in secrets {
            for form in Self.forms(secret) {
                for start in bytes.indices where bytes[start...].starts(with: form) {
                    for index in start..<start + form.count { isSecret[index] = true }
                }
                guard end < bytes.count else { continue }
                for start in max(0, end - form.count + 1)..<end where form.starts(with: bytes[start..<end]) {
                    for index in start..<end { isSecret[index] = true }
                }
            }
        }
        guard isSecret.contains(true) else { return text }
        var masked: [UInt8] = []
        for index in bytes.indices {
            if !isSecret[index] {
                masked.append(bytes[index])
            } else if index == 0 || !isSecret[index - 1] {
                masked += Array(Redaction.mask.utf8)
            }
        }
        return String(decoding: masked, as: UTF8.self)
    }

    /// A line of either direction as `Redaction.line` shows it, without the known secrets.
    package func line(_ bytes: [UInt8]) -> String { text(Redaction.line(bytes)) }

    private static func forms(_ secret: Secret) -> [[UInt8]] {
        let plain = Array(secret.revealed.utf8)
        let printed = Array(Redaction.printable(plain).utf8)
        return plain == printed ? [plain] : [plain, printed]
    }
}
