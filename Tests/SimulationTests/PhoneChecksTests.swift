import AlarmModel
import Companion
import PanelLink
import PhoneProtocol
import Testing

@testable import Simulation

@Suite("What the world holds against the orders of phones")
struct PhoneChecksTests {
    private static let module = ConnectionID(1)
    private static let standpoint = Standpoint(now: .zero, step: 0)

    /// A phone's order whose counter is on the disk, and that has gone to the panel twice.
    private static func sentTwice() -> (PhoneChecks, PhoneShelf) {
        var checks = PhoneChecks()
        var shelf = PhoneShelf()
        let phone = PhoneID(7)
        var batch = Batch(id: BatchID(1))
        batch.phoneLedger = [
            PhoneLedgerRow(phone: phone, counter: 1, digest: [], time: WallTime(milliseconds: 1))
        ]
        shelf.commit(batch, events: [])
        _ = checks.signs(
            .arm(partition: 1, mode: .zeroEntry, force: true), .init(phone: phone, counter: 1), at: .zero)
        for _ in 0..<2 { checks.sendsToPanel(Frame.bytes(code: "032", data: "1")) }
        return (checks, shelf)
    }

    @Test(
        "what the module turned down may be sent again, however it cut the words of that; what it took may not",
        arguments: [1, 2, 3, 5, 100])
    func whatTheModuleTurnedDownMayBeSentAgain(piece: Int) throws {
        var (checks, shelf) = Self.sentTwice()
        let words = Frame.bytes(code: "500", data: "000") + Frame.bytes(code: "502", data: "010")
        for start in stride(from: 0, to: words.count, by: piece) {
            checks.panelSays(Array(words[start..<min(start + piece, words.count)]), on: Self.module)
        }
        try checks.look(at: shelf, from: Self.standpoint)
        checks.sendsToPanel(Frame.bytes(code: "032", data: "1"))
        #expect { try checks.look(at: shelf, from: Self.standpoint) } throws: { error in
            (error as? Violation)?.promise == .atMostOnce
        }
    }

    @Test("half a refusal is none, also when another connection says the rest")
    func halfARefusalIsNone() {
        var (checks, shelf) = Self.sentTwice()
        checks.panelSays(Array("50".utf8), on: Self.module)
        checks.panelSays(Array("201028\r\n".utf8), on: ConnectionID(2))
        #expect(throws: Violation.self) { try checks.look(at: shelf, from: Self.standpoint) }
    }
}
