import ApplianceCore
import Platform
import Testing

@testable import Daemon

@Suite("What the service manager is told")
struct ServiceReportsTests {
    @Test("while its queue is full the newest of each kind waits, and goes out in order once there is room")
    func whileItsQueueIsFullTheNewestOfEachKindWaits() throws {
        let loop = try EventLoop()
        var hasRoom = true
        var told: [ServiceNote] = []
        let reports = ServiceReports(on: loop) { note in
            if hasRoom { told.append(note) }
            return hasRoom
        }
        reports.tell(.status("starting"))
        #expect(told == [.status("starting")])
        hasRoom = false
        for number in 0..<1000 { reports.tell(.status("\(number)")) }
        reports.tell(.ready)
        reports.tell(.reloading)
        reports.tell(.ready)
        #expect(told.count == 1)
        #expect(reports.waiting == [.status("999"), .reloading, .ready])
        hasRoom = true
        // It tries again by itself.
        loop.setTimer(after: .seconds(2)) { loop.stop() }
        loop.run()
        #expect(told.dropFirst() == [.status("999"), .reloading, .ready])
        #expect(reports.waiting.isEmpty)
    }
}
