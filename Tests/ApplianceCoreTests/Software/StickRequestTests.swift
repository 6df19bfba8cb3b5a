import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

@Suite("A USB stick is asked for") struct StickRequestTests {
    private static let tasks: [StickRequest.Task] = [
        .look, .journal, .support, .pictures, .history, .backup(passphrase: Secret("horse battery")),
        .restore(file: "a.backup", passphrase: Secret("horse battery")),
    ]

    private func orders(_ bench: Bench) -> [StickRequest] {
        bench.history.compactMap { if case .stick(let request) = $0 { request } else { nil } }
    }

    @Test("each task is ordered once, and what leaves the box or changes it is in the journal without the passphrase")
    func eachTaskIsOrderedOnce() {
        for task in Self.tasks {
            var bench = Bench()
            bench.start { $0.mayUpdate = true }
            bench.ask(.stick(StickRequest(id: 7, task: task)))
            bench.advance(.seconds(1))
            #expect(orders(bench) == [StickRequest(id: 7, task: task)])
            #expect(bench.events(.stick).count == (task == .look ? 0 : 1))
            #expect(!bench.events(.stick).contains { $0.message.contains("horse") })
        }
    }

    @Test("a locked console orders nothing, and a machine that is no box neither")
    func aLockedConsoleOrdersNothing() {
        for task in Self.tasks {
            var bench = Bench()
            bench.start { $0.mayUpdate = true }
            bench.ask(.console(.begin))
            bench.ask(.stick(StickRequest(id: 7, task: task)))
            bench.advance(.seconds(1))
            #expect(orders(bench).isEmpty)
            var other = Bench()
            other.start()
            other.ask(.stick(StickRequest(id: 7, task: task)))
            other.advance(.seconds(1))
            #expect(orders(other).isEmpty)
        }
    }

    @Test("a request is the same when its line is read again, and a file is a name without a directory")
    func aRequestIsTheSameWhenItsLineIsReadAgain() throws {
        for task in Self.tasks {
            let request = ControlRequest.stick(StickRequest(id: 7, task: task))
            #expect(try ControlRequest(line: Array(request.json.text.utf8)) == request)
        }
        for file in ["../x", "a/b", ".hidden", ""] {
            let line = #"{"request":"stick","id":1,"do":"restore","file":"\#(file)","passphrase":"long enough"}"#
            #expect(throws: ControlRequestError.self) { try ControlRequest(line: Array(line.utf8)) }
        }
        let short = #"{"request":"stick","id":1,"do":"backup","passphrase":"short"}"#
        #expect(throws: ControlRequestError.self) { try ControlRequest(line: Array(short.utf8)) }
    }
}
