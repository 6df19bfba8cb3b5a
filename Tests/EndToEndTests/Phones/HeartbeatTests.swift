import Foundation
import PhoneProtocol
import Testing

@Suite("a box that dies, seen from outside", .serialized, .timeLimit(.minutes(15)))
struct HeartbeatTests {
    @Test("killed, it is missed by its phone, which says since when; started anew, it is heard of again")
    func killedItIsMissedByItsPhoneWhichSaysSinceWhenStartedAnew() throws {
        let house = try PhoneHouse.running { _, phones in phones.heartbeat = "1s" }
        let anna = try house.phone(of: "Anna")
        // Longer than until it is missed, three promised intervals and the asking: alive, nothing is said.
        let quiet = Deadline.wait(.seconds(15)) { anna.count(of: "ALERT") > 0 }
        #expect(!quiet, "\(anna.program.report)")
        try anna.say("state")
        #expect(try anna.waitForLine("last contact").contains(" UTC"))
        let rows = try house.house.records().count
        house.house.kill9()
        let alert = try anna.waitForLine("ALERT")
        #expect(alert.contains("the box has not been heard of since 20"))
        try anna.say("state")
        try anna.waitForLine("ALERT: the box has not been heard of since")
        #expect(rows > 0)
        try house.start()
        try anna.waitForLine("the box is heard of again")
        #expect(anna.count(of: "ALERT") == 2)
        // The signs of life have left no trace in the journal.
        let traces = try house.house.records().filter { $0.text.lowercased().contains("heartbeat") }
        #expect(traces.isEmpty, "\(traces.map(\.text))")
    }

    @Test("the address is asked for again and again; when it fails the house is told once, without its secret")
    func theAddressIsAskedForAgainAndAgain() throws {
        let (socket, port) = try TestSocket.bind()
        let house = try PhoneHouse { configuration, _ in
            configuration.channels = ["heartbeat: {url: 'http://127.0.0.1:\(port)/ping/s3cr3tPath', every: 1s}"]
        }
        try house.house.start()
        let web = Web(socket)
        try eventually("three signs of life") { try web.serve(200) >= 3 ? true : nil }
        #expect(web.lines.allSatisfy { $0 == "GET /ping/s3cr3tPath HTTP/1.1" }, "\(web.lines)")
        try eventually("status") {
            _ = try web.serve(200)
            let output = try house.house.run("status").output
            return output.contains("Heartbeat   http://127.0.0.1:\(port), answered ") ? true : nil
        }
        try eventually("the fault") {
            _ = try web.serve(500)
            return try house.house.records().contains { $0.code == "HEARTBEAT_FAILED" } ? true : nil
        }
        #expect(try house.house.run("status").output.contains("FAILING"))
        try eventually("the recovery") {
            _ = try web.serve(200)
            return try house.house.records().contains { $0.code == "HEARTBEAT_OK" } ? true : nil
        }
        #expect(try house.house.records().count { $0.code == "HEARTBEAT_FAILED" } == 1)
        let said = (house.house.daemon?.output ?? "") + (try house.house.records().map(\.text).joined())
        #expect(!said.contains("s3cr3tPath"))
    }

    /// The smallest server of the web.
    private final class Web {
        private let socket: TestSocket
        private var clients: [TestSocket] = []
        private(set) var lines: [String] = []

        init(_ socket: TestSocket) { self.socket = socket }

        /// Answers what has come; returns how many requests there were in all.
        func serve(_ status: Int) throws -> Int {
            while let client = try socket.accept() { clients.append(client) }
            for client in clients {
                guard let bytes = client.receive() else { continue }
                guard !bytes.isEmpty else {
                    clients.removeAll { $0 === client }
                    continue
                }
                lines.append(String(decoding: bytes.prefix { $0 != 13 }, as: UTF8.self))
                try client.send("HTTP/1.1 \(status) x\r\nContent-Length: 0\r\n\r\n")
            }
            return lines.count
        }
    }
}
