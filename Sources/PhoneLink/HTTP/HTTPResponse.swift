package import AlarmModel

/// Status line and fields of an answer.
package struct HTTPResponseHead: Codable, Equatable, Sendable {
    /// 200…599; what is below is never shown.
    package var status: Int
    /// As it came; not for people.
    package var reason: String
    package var fields: [HTTPField]
    /// The last digit of the version: 0 or 1, larger ones are read like 1.
    package var minorVersion: Int

    package init(status: Int, reason: String = "", fields: [HTTPField] = [], minorVersion: Int = 1) {
        self.status = status
        self.reason = reason
        self.fields = fields
        self.minorVersion = minorVersion
    }

    /// Of the first field of this name.
    package func value(_ name: String) -> String? { fields.first { $0.isNamed(name) }?.value }

    /// The elements of a field that is a list, those of all fields of this name in their order (RFC 9110 5.6.1).
    package func list(_ name: String) -> [String] {
        fields.filter { $0.isNamed(name) }.flatMap { $0.value.split(separator: ",") }.compactMap { part in
            let bytes = HTTPText.trimmed(Array(part.utf8)[...])
            return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
        }
    }

    package var isSuccess: Bool { (200...299).contains(status) }
    package var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// When the server made the answer, by its clock.
    package var date: WallTime? { value("Date").flatMap(HTTPDate.init)?.time }

    /// What the answer's `Date` is worth as a witness of the time: nothing without encryption, and nothing from a store
    /// on the way, whose answers are of another time (`Age`, RFC 9111 5.1).
    func serverTime(of origin: HTTPOrigin) -> TransportAction? {
        guard origin.isEncrypted, let date, value("Age").map({ $0 == "0" }) ?? true else { return nil }
        return .serverTime(date, server: origin.host)
    }

    /// How long to wait before the next request (RFC 9110 10.2.3): seconds, or a date that is taken relative to the
    /// server's own `Date`, without that to our clock. Zero to 24 hours; nil when it is missing or makes no sense.
    package func retryAfter(at now: Moment) -> Duration? {
        guard let text = value("Retry-After") else { return nil }
        let limit = Duration.hours(24)
        let bytes = HTTPText.trimmed(Array(text.utf8)[...])
        if let seconds = HTTPText.number(bytes) { return min(.seconds(seconds), limit) }
        if !bytes.isEmpty, bytes.allSatisfy(HTTPText.isDigit) { return limit }
        guard let until = HTTPDate(text)?.time else { return nil }
        guard date != nil || now.isWallTrusted else { return nil }
        return max(.zero, min(until - (date ?? now.wall), limit))
    }

    /// Where a redirect leads, seen from the request's URL.
    package func location(from url: HTTPURL) -> HTTPURL? {
        guard let reference = value("Location") else { return nil }
        return try? url.resolving(reference)
    }

    /// The connection may carry another request.
    var keepsAlive: Bool {
        let options = list("Connection").map { $0.lowercased() }
        if options.contains("close") { return false }
        return minorVersion >= 1 || options.contains("keep-alive")
    }
}

/// A whole answer.
package struct HTTPResponse: Codable, Equatable, Sendable {
    package var head: HTTPResponseHead
    package var body: [UInt8]

    package init(head: HTTPResponseHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    package var status: Int { head.status }
    package var isSuccess: Bool { head.isSuccess }
    package func value(_ name: String) -> String? { head.value(name) }
    package var date: WallTime? { head.date }
    package func retryAfter(at now: Moment) -> Duration? { head.retryAfter(at: now) }

    /// What the server says, for people: the body's beginning in printable ASCII.
    package var words: String {
        let text = String(decoding: body.prefix(400), as: UTF8.self)
        return PeerText.printable(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    /// `status 403, it says: Permission denied`
    var statusWords: String { "status \(status)" + (words.isEmpty ? "" : ", it says: \(words)") }
}
