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
        reading.checkContactDomain(section, contact: contact, app: app)
        if app == nil { reading.missingApp(section, hasContact: section["contact"] != nil) }
        guard let contact = contact ?? app?.description else { return }
        var settings = WebPushSettings(contact: contact, appURL: app, caFile: caFile)
        settings.laboratory = hosts
        reading.readTiming(section["timing"], Self.timings, into: &settings)
        reading.draft.phones.settings.channels.append(.webPush(settings))
    }
}

/// Standing of a contact's domain on the internet (RFC 2606, RFC 6761, RFC 6762, RFC 8375).
private enum ContactDomain {
    /// Reserved: Apple's service refuses each message whose contact is there.
    static let refused = ["invalid", "test", "localhost", "local", "internal", "home.arpa"]
    /// In use in houses, and in no public name server.
    static let doubtful = ["lan", "home"]

    static func ending(of host: String, among domains: [String]) -> String? {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return domains.first { name == $0 || name.hasSuffix("." + $0) }
    }
}

extension SettingsReading {
    /// The contact, or the address of the web app that stands for it, has to be in the internet.
    fileprivate mutating func checkContactDomain(_ section: Mapping, contact: String?, app: HTTPURL?) {
        let host: String
        let field: Field?
        if let contact {
            field = section["contact"]
            host =
                contact.hasPrefix("mailto:")
                ? contact.split(separator: "@").last.map(String.init) ?? "" : (try? HTTPURL(contact))?.host ?? ""
        } else if let app {
            field = nil
            host = app.host
        } else {
            return
        }
        let words = field == nil ? "the address of the web app, which stands for 'contact'," : "the contact"
        let expected = "'contact' in 'web_push' with a domain of the internet, such as mailto:anna@example.org"
        if let ending = ContactDomain.ending(of: host, among: ContactDomain.refused) {
            let what = "\(words) ends with '.\(ending)': Apple's push service refuses each message with it"
            // Phones with other browsers are told all the same; only what was written for Apple's service is an error.
            if let field {
                valueError(field, what, expected: expected)
            } else {
                warning(section, what, expected: expected)
            }
        } else if let ending = ContactDomain.ending(of: host, among: ContactDomain.doubtful) {
            let what =
                "\(words) ends with '.\(ending)', which no name server of the internet knows: a push service may "
                + "refuse each message with it"
            if let field {
                valueWarning(field, what, expected: expected)
            } else {
                warning(section, what, expected: expected)
            }
        }
    }

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
