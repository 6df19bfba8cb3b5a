import AlarmModel
import ApplianceCore
import PhoneLink

/// `web_push`: the push services of the browsers, for phones that run the web app.
struct WebPushSection: SettingsSection {
    private var contact: String?
    private var hosts: [WebPushSettings.Laboratory] = []
    private var caFile: String?

    static let table: [Setting<Self>] = [
        .init("contact", .contact, \.contact),
        .init("hosts", .laboratory, \.hosts),
        .init("ca_file", .authorityFile, \.caFile),
        .later("timing"),
    ]

    private static let timings: [TimingSetting<WebPushSettings>] = [
        .init("answer_patience", \.answerPatience, upTo: .minutes(10)),
        .init("sign_patience", \.signPatience, upTo: .minutes(5)),
    ]

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        let app = reading.draft.app?.app?.url
        if app == nil { reading.missingApp(section, hasContact: section["contact"] != nil) }
        guard let contact = contact ?? app?.description else { return }
        var settings = WebPushSettings(contact: contact, appURL: app, caFile: caFile)
        settings.laboratory = hosts
        reading.readTiming(section["timing"], Self.timings, into: &settings)
        reading.draft.phones.settings.channels.append(.webPush(settings))
    }
}

extension SettingsReading {
    /// Without `app.url` a tap on a notice opens nothing, and nobody is named whom a push service can turn to.
    fileprivate mutating func missingApp(_ section: Mapping, hasContact: Bool) {
        // An address that is wrong was reported already.
        guard place(of: "app.url") == nil else { return }
        guard hasContact else {
            return error(
                section, "'web_push' has no contact and the web app has no address, which stands for it otherwise",
                expected: "'url' in 'app', or 'contact' in 'web_push': \(ValueKind<String>.contactWords)")
        }
        warning(
            section, "'web_push' is set and the web app has no address, so a tap on a notice opens nothing on iPhones",
            expected: "'url' in 'app': the https address of the folder with the web app")
    }
}

extension ValueKind where Value == String {
    fileprivate static var contactWords: String {
        "whom a push service can turn to, such as mailto:anna@example.org or https://example.org/"
    }

    /// Apple's service refuses what is no real address.
    fileprivate static var contact: Self {
        .text(contactWords, otherwise: "is neither mailto: with a mail address nor https: with a name") { text in
            if text.hasPrefix("mailto:") {
                let address = String(text.dropFirst("mailto:".count))
                let domain = address.split(separator: "@").last.map(String.init) ?? ""
                return MailAddress.isValid(address) && isPublic(domain)
            }
            guard text.utf8.count <= 200, let url = try? HTTPURL(text) else { return false }
            return url.isEncrypted && isPublic(url.host)
        }
    }

    /// A name of the internet: no address, and not the name of a machine alone.
    private static func isPublic(_ host: String) -> Bool {
        IPAddress(host) == nil && HostName.isValid(host) && host.dropLast().contains(".")
    }
}

extension ValueKind where Value == [WebPushSettings.Laboratory] {
    /// Every phone that is paired can have the box post to these.
    fileprivate static var laboratory: Self {
        let expected = "hosts of a laboratory's push service, such as localhost:8443"
        let host = ValueKind<WebPushSettings.Laboratory>(expected, otherwise: "holds something that is no host") {
            text in
            guard let url = try? HTTPURL("https://\(text)"), url.target == "/", !text.hasSuffix("/"),
                IPAddress(url.host) != nil || HostName.isValid(url.host)
            else { return nil }
            return WebPushSettings.Laboratory(host: url.host, port: url.port)
        }
        return .someList(of: host, expected).checked { reading, field, hosts in
            reading.valueWarning(
                field, "'\(field.path)' lets every paired phone make this box post to other places than push services",
                expected: "no 'hosts' outside a laboratory")
            return hosts
        }
    }
}
