import AlarmModel
import ApplianceCore
import Testing

@testable import Daemon

@Suite("What waits for the recorder counts with what it holds")
struct RecordedCostTests {
    private let event = Event(
        type: .info, code: "609", raw: "609001", message: "zone 1 is open", time: WallTime(milliseconds: 0),
        isTimeTrusted: true, zone: 1)

    @Test("a batch of a thousand events counts a thousand events, and so does a page of them")
    func aBatchOfAThousandEventsCountsAThousandEvents() {
        let memory = 1000 * MemoryLayout<Event>.stride
        let batch = Batch(id: BatchID(1), events: Array(repeating: event, count: 1000))
        #expect(Effect.commit(batch).recordedCost > memory)
        let stored = StoredEvent(seq: SequenceNumber(1), event: event)
        let page = EventPage(
            events: Array(repeating: stored, count: 1000), cursor: SequenceNumber(1), hasMore: false)
        #expect(Input.rows(QueryID(1), .page(page)).recordedCost > memory)
    }

    @Test("bytes count with their number, in and out")
    func bytesCountWithTheirNumber() {
        let bytes = [UInt8](repeating: 0, count: 100_000)
        #expect(Input.received(ConnectionID(1), bytes).recordedCost > 100_000)
        #expect(Effect.send(ConnectionID(1), bytes).recordedCost > 100_000)
        #expect(Effect.close(ConnectionID(1)).recordedCost < 1000)
    }
}
