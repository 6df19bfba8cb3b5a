import AlarmModel
import Glibc
import Platform
import Synchronization
import Testing

@Suite struct UnixClientTests {
    @Test("a client asks in a line and reads lines, over a path of any length")
    func aClientAsksInALineAndReadsLines() throws {
        let directory = try TemporaryDirectory()
        let deep = try directory.deep()
        let loop = try EventLoop()
        let listener = try Listener(directory: deep, name: "control", on: loop) { client in
            client.onReceived = { bytes in
                client.send(Array("first\n".utf8) + bytes + Array("cut off".utf8))
                client.close()
            }
        }
        var lines: [String] = []
        var count = 0
        let asker = try WorkerThread<Int>("asker", on: loop) { 0 }
        asker.submit(
            { _ -> [String] in
                guard let client = try? UnixClient(directory: deep, name: "control") else { return ["no connection"] }
                try? client.writeLine(Array("question".utf8))
                var lines: [String] = []
                while let line = try? client.readLine() { lines.append(String(decoding: line, as: UTF8.self)) }
                return lines
            },
            then: {
                lines = $0
                count += 1
                loop.stop()
            })
        #expect(loop.runBounded())
        #expect(lines == ["first", "question"])
        listener.close()
        #expect(asker.stop(within: .patience))
        rmdir(deep)
    }

    @Test("no socket and a dead one are both nobody")
    func noSocketAndADeadOneAreBothNobody() throws {
        let directory = try TemporaryDirectory()
        let error = thrown(UnixClientError.self) {
            try UnixClient(directory: directory.path, name: "control")
        }
        guard case .nobodyAnswers(let cause) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(cause.number == ENOENT)
        let missing = thrown(UnixClientError.self) {
            try UnixClient(directory: "\(directory.path)/none", name: "control")
        }
        guard case .nobodyAnswers = missing else { return #expect(Bool(false), "\(String(describing: missing))") }
    }

    @Test("a server that says nothing is a time-out")
    func aServerThatSaysNothingIsATimeOut() throws {
        let directory = try TemporaryDirectory()
        let loop = try EventLoop()
        let listener = try Listener(directory: directory.path, name: "control", on: loop) { _ in }
        let client = try UnixClient(directory: directory.path, name: "control")
        #expect(throws: UnixClientError.timedOut) { try client.readLine(within: .milliseconds(50)) }
        listener.close()
    }

    @Test("where too many wait, a client waits for room as long as it was told, and gets in when there is some")
    func whereTooManyWait() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let loop = try EventLoop()
        // Nobody is let in before the loop runs.
        let listener = try Listener(directory: path, name: "control", on: loop) { _ in }
        var waiting: [UnixClient] = []
        var refusal: UnixClientError?
        while refusal == nil, waiting.count < 5000 {
            do throws(UnixClientError) {
                waiting.append(try UnixClient(directory: path, name: "control", within: .milliseconds(100)))
            } catch {
                refusal = error
            }
        }
        #expect(refusal == .timedOut)
        var isIn = false
        let late = try WorkerThread<Int>("late", on: loop) { 0 }
        late.submit(
            { _ in (try? UnixClient(directory: path, name: "control")) != nil },
            then: {
                isIn = $0
                loop.stop()
            })
        #expect(loop.runBounded())
        #expect(isIn)
        listener.close()
        #expect(late.stop(within: .patience))
    }
}
