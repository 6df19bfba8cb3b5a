import AlarmModel

/// Words of a peer, made fit for a log or a screen.
enum PeerText {
    static let limit = 200

    /// Printable ASCII, anything else as `?`, cut at the limit.
    static func printable(_ text: String, limit: Int = Self.limit) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            guard out.utf8.count < limit else { return out + "…" }
            out.unicodeScalars.append((0x20...0x7E).contains(scalar.value) ? scalar : "?")
        }
        return out
    }

    /// The same, without the secret should the peer repeat it.
    static func printable(_ text: String, hiding secret: Secret) -> String {
        printable(hiding(Array(text.utf8), Array(secret.revealed.utf8)))
    }

    /// The same for several, in this order.
    static func printable(_ text: String, hiding secrets: [Secret]) -> String {
        printable(secrets.reduce(text) { hiding(Array($0.utf8), Array($1.revealed.utf8)) })
    }

    private static func hiding(_ text: [UInt8], _ secret: [UInt8]) -> String {
        guard secret.count >= 4 else { return String(decoding: text, as: UTF8.self) }
        var out: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index...].starts(with: secret) {
                out += Array("****".utf8)
                index += secret.count
            } else {
                out.append(text[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
