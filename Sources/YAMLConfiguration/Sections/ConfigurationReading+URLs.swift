import AlarmModel
import ApplianceCore
import PhoneLink

extension ConfigurationReading {
    /// `alert_url`, as in a HowAlarming file, whose list may hold maps beside texts.
    mutating func readURLs(_ section: ConfigurationSection) {
        let triggers = triggers(section["triggers"], otherwise: EventType.usualTriggers)
        let secret = section["secret"].flatMap { signingSecret($0) }
        guard let field = section["urls"] else {
            return missing(
                "urls", in: section, "'\(section.path)' has no urls",
                expected: "'urls' in '\(section.path)': a list of addresses, such as https://example.org/hook?type=")
        }
        let fields = values(field)
        if fields.isEmpty {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is an empty list",
                expected: "addresses, such as https://example.org/hook?type=")
        }
        var targets: [URLTarget] = []
        for field in fields {
            guard let (target, triggers) = urlTarget(field, triggers: triggers, secret: secret) else { continue }
            let count = draft.phones.house.count
            addTarget(.url, target.text, triggers, called: "an address of 'alert_url.urls'", by: field)
            if draft.phones.house.count > count { targets.append(target) }
        }
        if !targets.isEmpty { draft.phones.ways.append(.url(URLSettings(targets: targets))) }
    }

    private mutating func urlTarget(
        _ entry: ConfigurationSection.Field, triggers usual: [EventType], secret usualSecret: Secret?
    ) -> (URLTarget, [EventType])? {
        let expected = "an address such as https://example.org/hook?type="
        guard case .mapping = entry.value.content else {
            return target(entry, expected: expected, method: .get, secret: usualSecret, caFile: nil).map { ($0, usual) }
        }
        guard
            let section = section(
                entry.value, path: entry.path, place: entry.place, known: ConfigurationKeys.urlEntry)
        else { return nil }
        let method = section["method"].map { choice($0, [("get", URLTarget.Method.get), ("post", .post)]) } ?? .get
        let caFile = authorityFile(section["ca_file"])
        let secret = section["secret"].map { signingSecret($0) } ?? usualSecret
        let triggers = triggers(section["triggers"], otherwise: usual)
        guard let field = section["url"] else {
            report(
                at: entry.place, section.path(of: "url"), "an entry of '\(entry.path)' has no url",
                expected: "a key 'url'")
            return nil
        }
        guard let method else { return nil }
        return target(field, expected: expected, method: method, secret: secret, caFile: caFile).map { ($0, triggers) }
    }

    private mutating func target(
        _ field: ConfigurationSection.Field, expected: String, method: URLTarget.Method, secret: Secret?,
        caFile: String?
    ) -> URLTarget? {
        guard let url = url(field, expected: expected), let text = text(field, expected: expected) else { return nil }
        if !url.isEncrypted, !Self.isNearby(url.host) {
            report(
                .warning, at: place(ofValue: field), field.path,
                "an address of '\(field.path)' begins with http://, so everybody on the way can read what is told there",
                expected: "https:// unless it is a device in the house")
        }
        return try? URLTarget(text, method: method, secret: secret, authorityFile: caFile)
    }

    /// For an HMAC: short ones can be tried out.
    private mutating func signingSecret(_ field: ConfigurationSection.Field) -> Secret? {
        secret(
            field, expected: "16 to 256 characters of printable ASCII without spaces",
            isValid: { (16...256).contains($0.utf8.count) && $0.utf8.allSatisfy { (33..<127).contains($0) } })
    }
}
