import Testing

@testable import AlarmModel

@Suite("What an event of the box is about") struct EventSubjectTests {
    @Test(
        "it is read as it was written, whatever name an owner has given",
        arguments: [EventSubject.link("wifi"), .link("link 2"), .link("Küche \u{1F525}"), .channel("ntfy")])
    func itIsReadAsItWasWritten(_ subject: EventSubject) {
        #expect(EventSubject(subject.text) == subject)
    }

    @Test(
        "what this version does not know is none",
        arguments: ["", "link", "link ", " wifi", "robot Anna", "LINK wifi", "linkwifi"])
    func whatThisVersionDoesNotKnowIsNone(_ text: String) {
        #expect(EventSubject(text) == nil)
    }

    @Test("its texts are these") func itsTexts() {
        #expect(EventSubject.link("wifi").text == "link wifi")
        #expect(EventSubject.channel("ntfy").text == "channel ntfy")
    }
}
