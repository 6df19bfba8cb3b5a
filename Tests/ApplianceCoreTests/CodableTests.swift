import AlarmModel
import ApplianceCore
import PanelLink
import PhoneProtocol
import Testing

@Suite struct CodableTests {
    private static let event = Event(
        type: .alarm, code: "601", raw: "6011003", message: "an alarm", time: WallTime(milliseconds: -1),
        isTimeTrusted: false, partition: 1, partitionName: "Ü", zone: 3, zoneName: "\"", user: 40, userName: "A\nB",
        flags: [.whileAway, .flapping], flapCount: 7, command: CommandID(.max),
        unstored: UnstoredMark(boot: "0000beef", counter: .max))

    @Test("every answer is the same when it was written and read")
    func everyAnswerIsTheSameWhenItWasWrittenAndRead() throws {
        let report = try #require(try Bench.up().status())
        var bench = Bench.up()
        bench.ask(.panel)
        let outcomes: [Outcome] = [
            .done, .refused(.notReady(openZones: [1, 64])), .refused(.wrongCode), .failed(.panelRefused(error: 24)),
            .failed(.notSupported("x")), .refused(.unknownZone(65)), .notConfirmed, .expired, .refused(.stopping),
        ]
        let replies: [ControlReply] =
            [
                .status(report), .events([]), .events([StoredEvent(seq: SequenceNumber(.max), event: Self.event)]),
                .endOfEvents, .unstored(Self.event), .trace(TraceLine(.toPanel, "005****"), dropped: .max),
                .trace(TraceLine(.fromPanel, "\u{0}\u{7f}"), dropped: 0), .trace(TraceLine(.remark, "é"), dropped: 0),
                .maintenance(true), .error("why"),
            ] + outcomes.flatMap { [.outcome($0, stored: true), .outcome($0, stored: false)] } + bench.answers()
        for reply in replies {
            let text = try JSON.encoding(reply).text
            #expect(!text.contains("\n"))
            #expect(try JSON(parsing: text).decoding(ControlReply.self) == reply)
        }
    }

    @Test("every query is the same when it was written and read")
    func everyQueryIsTheSameWhenItWasWrittenAndRead() throws {
        for after in [SequenceNumber.zero, SequenceNumber(.max)] {
            for before in [nil, SequenceNumber(1), SequenceNumber(.max)] {
                for since in [nil, WallTime(milliseconds: .min), WallTime(milliseconds: 0)] {
                    for types in [[], [EventType.alarm], EventType.allCases] {
                        for number in [nil, 1, 64] {
                            for order in EventQuery.Order.allCases {
                                let query = EventQuery(
                                    after: after, before: before, since: since, types: types, zone: number,
                                    partition: number, order: order, limit: 1000)
                                let text = try JSON.encoding(query).text
                                #expect(try JSON(parsing: text).decoding(EventQuery.self) == query)
                            }
                        }
                    }
                }
            }
        }
    }
}
