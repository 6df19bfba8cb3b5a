import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

/// Messages that only the store holds, through the whole core.
@Suite("Messages that are read from the store")
struct OutboxReadTests {
    @Test("a read that fails is made again, second by second: what lies only in the store leaves", arguments: [1, 3])
    func aReadThatFailsIsMadeAgain(count: Int) throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.isUp = false
        for input in bench.push.server.end(gracefully: false) { bench.feed(input) }
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.push.messages.last { $0.event.code == "601" }?.state == .waiting)
        bench.push.server.isUp = true
        bench.failingOutboxReads = count
        let mark = bench.push.server.pushes.count
        var next = bench.restarted()
        #expect(next.failingOutboxReads < count)
        next.logIn()
        next.advance(.seconds(20))
        #expect(next.failingOutboxReads == 0)
        let told = next.eventsHeard(phone, since: mark).filter { $0["type"]?.stringValue == "alarm" }
        #expect(told.count == 1)
        let seq = try #require(told.first?["seq"]?.stringValue)
        next.request(phone, "got", ["log": "00000000", "seq": seq])
        next.advance(.seconds(5))
        #expect(next.push.messages.last { $0.event.code == "601" }?.state == .received)
    }
}
