import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Testing

/// Who can reach the module, a broker or a service makes faults come and go all day: the service must still have room
/// for the alarm (docs/ATTACKS.md).
@Suite("A day's storm of faults")
struct StormTests {
    /// The session with the panel is cut, and comes back.
    private static func cut(_ bench: inout Bench) {
        if let connection = bench.connection { bench.feed(.closed(connection, .reset)) }
        bench.connection = nil
        for _ in 0..<60 where bench.connection == nil { bench.advance(.seconds(1)) }
        bench.logIn()
    }

    @Test("costs at most 60 messages for each address, and the alarm in its middle leaves as on a quiet day")
    func costsAtMost60MessagesForEachAddress() {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        #expect(paired != nil)
        bench.advance(.hours(5))
        let before = bench.topics.published.count
        let begin = bench.now.boot
        var cuts = 0
        while bench.now.boot - begin < .hours(24) {
            Self.cut(&bench)
            cuts += 1
            bench.panel("80200", "80300", "605003", "606003")
            if cuts == 500 {
                let quiet = bench.topics.published.count
                bench.panel("6011003")
                bench.advance(.milliseconds(50))
                let alarms = bench.topics.published[quiet...].filter { $0.title.contains("ALARM") }
                #expect(alarms.count == 1)
                bench.panel("6021003", "6501")
            }
            bench.advance(.seconds(61))
        }
        #expect(cuts > 1000)
        let told = bench.topics.published.count - before
        #expect(told <= 61, "60 and the alarm")
        #expect(told > 20)
        #expect(bench.events(.panelOffline).count >= cuts, "the journal has each")
        #expect(bench.topics.published.last?.message.contains("not each is sent") == true)
        // The box's own words: nobody takes them for a line of the panel.
        let summaries = bench.stored.map(\.event).filter { $0.message.contains("not each is sent") }
        #expect(!summaries.isEmpty && summaries.allSatisfy { $0.flags.contains(.stormSummary) })
        bench.advance(.hours(3))
        #expect(bench.topics.published.count - before - told <= 6, "the last of each is told, and then it is quiet")
    }
}
