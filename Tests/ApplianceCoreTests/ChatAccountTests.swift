import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@Suite("The account that people chat with")
struct ChatAccountTests {
    @Test("messages without an id are heard each time, also after a reload has made another account of it")
    func messagesWithoutAnIdAreHeardEachTime() {
        var bench = Bench.withChat()
        var count = bench.chat.heard.count
        bench.say("help", hasID: false)
        bench.say("help", hasID: false)
        #expect(bench.chat.heard.count == count + 2)
        var changed = bench.configuration
        guard case .xmpp(var settings)? = changed.phones.channels.first else {
            Issue.record("no account in the configuration")
            return
        }
        settings.showsArming = true
        changed.phones.channels = [.xmpp(settings)]
        bench.feed(.reload(.configuration(changed)))
        bench.advance(.seconds(10))
        count = bench.chat.heard.count
        bench.say("help", hasID: false)
        #expect(bench.chat.heard.count == count + 1)
    }
}
