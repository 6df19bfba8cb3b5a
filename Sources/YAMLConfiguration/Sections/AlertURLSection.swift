import AlarmModel
import ApplianceCore
import PhoneLink

/// `alert_url`, as in a HowAlarming file, whose list may hold maps beside texts.
struct AlertURLSection: SettingsSection {
    private var urls: [Target<AlertURLEntry>] = []
    private var triggers: [EventType] = .usual
    private var secret: Secret?

    static let table: [Setting<Self>] = [
        .init("urls", .someList(of: .target(.entry), "addresses, such as https://example.org/hook?type="), \.urls)
            .required("% has no urls", ": a list of addresses, such as https://example.org/hook?type="),
        .init("triggers", .triggers, \.triggers),
        .init("secret", .signingSecret, \.secret).secret,
    ]

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        var targets: [URLTarget] = []
        for (entry, field) in urls {
            guard let text = entry.text, let method = entry.method,
                let target = try? URLTarget(
                    text, method: method, secret: entry.hasSecret ? entry.secret : secret, authorityFile: entry.caFile),
                reading.addTarget(
                    .url, target.text, entry.triggers ?? triggers, called: "an address of 'alert_url.urls'", by: field)
            else { continue }
            targets.append(target)
        }
        guard !targets.isEmpty else { return }
        reading.draft.phones.settings.channels.append(.url(URLSettings(targets: targets)))
    }
}

/// An entry of `alert_url.urls`.
private struct AlertURLEntry: SettingsSection {
    var text: String?
    var method: URLTarget.Method? = .get
    var secret: Secret?
    /// Its own, even if it is wrong.
    var hasSecret = false
    var caFile: String?
    var triggers: [EventType]?

    static let table: [Setting<Self>] = [
        .later("url").required("an entry of % has no url"),
        .init("method", .word([("get", .get), ("post", .post)]), \.method),
        .init("secret", .signingSecret, \.secret),
        .init("ca_file", .authorityFile, \.caFile),
        .init("triggers", .triggers, \.triggers),
    ]

    mutating func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        hasSecret = section["secret"] != nil
        if method != nil, let field = section["url"] { text = ValueKind.address.read(&reading, field) }
    }
}

extension ValueKind where Value == AlertURLEntry {
    /// A text is fetched; a section may post.
    fileprivate static var entry: Self {
        Self { reading, field in
            var entry = AlertURLEntry()
            if case .mapping = field.value.content { return reading.read(field, into: &entry) ? entry : nil }
            entry.text = ValueKind<String>.address.read(&reading, field)
            return entry
        }
    }
}

extension ValueKind where Value == String {
    fileprivate static var address: Self {
        let url = ValueKind<HTTPURL>.url("an address such as https://example.org/hook?type=")
        return Self { reading, field in
            guard let url = url.read(&reading, field) else { return nil }
            if !url.isEncrypted, !HostName.isNearby(url.host) {
                reading.valueWarning(
                    field,
                    "an address of '\(field.path)' begins with http://, so everybody on the way can read what is told "
                        + "there", expected: "https:// unless it is a device in the house")
            }
            return reading.written(field)
        }
    }
}

extension ValueKind where Value == Secret {
    /// For an HMAC: short ones can be tried out.
    fileprivate static var signingSecret: Self {
        .printable("16 to 256 characters of printable ASCII without spaces", 16...256)
    }
}
