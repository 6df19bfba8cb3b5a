import Testing
import YAMLConfiguration

@Suite struct ConfigurationWebPushTests {
    private func complaints(_ contact: String?, app: String? = nil) -> [String] {
        var text = contact.map { "web_push: {contact: '\($0)'}\n" } ?? "web_push: {}\n"
        if let app { text += "app: {url: '\(app)'}\n" }
        return ConfigurationSample.complaints(added: text).filter { !$0.contains("so a tap on a notice opens nothing") }
    }

    @Test("a contact with a domain of the internet passes, as does the address of the app that stands for it")
    func aContactWithADomainOfTheInternetPasses() {
        for contact in ["mailto:anna@example.org", "https://example.org/box", "mailto:box@test.example.org"] {
            #expect(complaints(contact) == [], "\(contact)")
        }
        #expect(complaints(nil, app: "https://alarm.example.org/app/") == [])
    }

    @Test(
        "a contact that Apple refuses is an error",
        arguments: [
            "mailto:security@my-house.invalid", "mailto:box@alarmbox.local", "mailto:box@server.home.arpa",
            "mailto:box@house.test", "mailto:box@Box.LOCAL", "https://alarmbox.local/", "https://box.internal/",
            "https://a.localhost/", "mailto:box@localhost", "mailto:box@alarmbox", "mailto: anna@example.org",
            "mailto:<anna@example.org>", "https://192.168.1.20/", "http://example.org/",
        ])
    func aContactThatAppleRefusesIsAnError(contact: String) {
        let found = complaints(contact)
        #expect(found.count == 1 && found.first?.hasPrefix("c.yaml:3:") == true, "\(found)")
        #expect(found.first?.contains(": error: ") == true, "\(found)")
    }

    @Test("a domain of houses, and an app's address that stands for the contact, are warned of")
    func aDomainOfHousesIsWarnedOf() {
        for contact in ["mailto:box@alarmbox.lan", "https://box.home/"] {
            let found = complaints(contact)
            #expect(
                found.count == 1 && found.first?.contains(": warning: the contact ends with '.") == true, "\(found)")
        }
        let app = complaints(nil, app: "https://alarmbox.local/app/")
        #expect(app.count == 1)
        #expect(
            app.first?.contains(": warning: the address of the web app, which stands for 'contact', ends with") == true)
    }
}
