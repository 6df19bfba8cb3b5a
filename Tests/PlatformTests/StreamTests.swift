import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct StreamTests {
    @Test("much data arrives whole and in order while the reader pauses again and again")
    func muchDataArrivesWholeAndInOrderWhileTheReaderPausesAgain() throws {
        let loop = try EventLoop()
        let pair = try Pair.make(on: loop)
        let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var received: [UInt8] = []
        var largest = 0
        var pauses = 0
        pair.accepted.onReceived = { chunk in
            largest = max(largest, chunk.count)
            received += chunk
            if received.count / 500_000 > pauses {
                pauses += 1
                pair.accepted.pauseReading()
                loop.setTimer(after: .milliseconds(2)) { pair.accepted.resumeReading() }
            }
            if received.count == bytes.count { loop.stop() }
        }
        var totals: [UInt64] = []
        pair.dialed.onSent = { totals.append($0) }
        for start in stride(from: 0, to: bytes.count, by: 100_000) {
            pair.dialed.send(Array(bytes[start..<start + 100_000]))
        }
        #expect(pair.dialed.unsentCount == bytes.count)
        #expect(loop.runBounded())
        #expect(received == bytes)
        #expect(largest <= 64 * 1024)
        #expect(pauses == 10)
        #expect(totals.last == UInt64(bytes.count) && totals == totals.sorted())
        #expect(pair.dialed.unsentCount == 0)
    }

    @Test("a peer that does not read leaves the rest unsent")
    func aPeerThatDoesNotReadLeavesTheRestUnsent() throws {
        let loop = try EventLoop()
        let pair = try Pair.make(on: loop)
        pair.accepted.pauseReading()
        pair.dialed.send([UInt8](repeating: 7, count: 20_000_000))
        loop.setTimer(after: .milliseconds(200)) { loop.stop() }
        #expect(loop.runBounded())
        #expect(pair.dialed.unsentCount > 1_000_000)
        #expect(pair.dialed.sentTotal + UInt64(pair.dialed.unsentCount) == 20_000_000)
    }

    @Test("what was sent before close arrives, then the end; both ends report theirs once")
    func whatWasSentBeforeCloseArrives() throws {
        let loop = try EventLoop()
        let pair = try Pair.make(on: loop)
        var received = 0
        var ends: [String] = []
        pair.accepted.onReceived = { received += $0.count }
        pair.accepted.onClosed = { ends.append("accepted \($0)") }
        pair.dialed.onClosed = {
            ends.append("dialed \($0)")
            loop.setTimer(after: .milliseconds(20)) { loop.stop() }
        }
        pair.dialed.send([UInt8](repeating: 1, count: 300_000))
        // Unread bytes on our side must not turn the end into a reset.
        pair.accepted.send([2, 2, 2])
        pair.dialed.close()
        pair.dialed.close()
        pair.dialed.send([9])
        #expect(loop.runBounded())
        #expect(received == 300_000)
        #expect(ends == ["accepted closed by the peer", "dialed closed by us"])
    }

    @Test("closing against a peer that never reads ends in bounded time")
    func closingAgainstAPeerThatNeverReadsEndsInBoundedTime() throws {
        let loop = try EventLoop()
        let pair = try Pair.make(on: loop)
        pair.accepted.pauseReading()
        pair.dialed.send([UInt8](repeating: 7, count: 20_000_000))
        let start = SystemClock.bootTime()
        pair.dialed.close(within: .milliseconds(100))
        var end: ConnectionEnd?
        pair.dialed.onClosed = {
            end = $0
            loop.stop()
        }
        #expect(loop.runBounded())
        #expect(end == .local)
        #expect(SystemClock.bootTime() - start < .seconds(2))
    }

    @Test("a reset is told from an orderly end")
    func aResetIsToldFromAnOrderlyEnd() throws {
        let loop = try EventLoop()
        let pair = try Pair.make(on: loop)
        var ends: [ConnectionEnd] = []
        var isInCall = true
        pair.accepted.onClosed = {
            ends.append($0)
            loop.stop()
        }
        pair.dialed.onClosed = {
            #expect(!isInCall)
            ends.append($0)
        }
        pair.dialed.reset()
        isInCall = false
        #expect(loop.runBounded())
        #expect(ends == [.local, .reset])
    }

    @Test("what a peer said before it reset the connection is read, even when our sending fails first")
    func whatAPeerSaidBeforeItResetTheConnectionIsRead() throws {
        let loop = try EventLoop()
        let pair = try Pair.make(on: loop)
        var received: [UInt8] = []
        var end: ConnectionEnd?
        pair.dialed.onReceived = { received += $0 }
        pair.dialed.onClosed = {
            end = $0
            loop.stop()
        }
        pair.dialed.pauseReading()
        pair.accepted.send([5, 0, 5])
        loop.setTimer(after: .milliseconds(20)) { pair.accepted.reset() }
        loop.setTimer(after: .milliseconds(40)) { pair.dialed.send([1, 2, 3]) }
        loop.setTimer(after: .milliseconds(60)) {
            #expect(end == nil)
            pair.dialed.resumeReading()
        }
        #expect(loop.runBounded())
        #expect(received == [5, 0, 5])
        #expect(end == .reset)
    }

    @Test("a port on which nobody listens refuses")
    func aPortOnWhichNobodyListensRefuses() throws {
        let loop = try EventLoop()
        let listener = try Listener(loopback: loopback, on: loop) { _ in }
        let port = listener.port
        listener.close()
        var failure: ConnectFailure?
        var isInCall = true
        let attempt = Connector(on: loop).open(Endpoint(address: localhost, port: port)) { result in
            #expect(!isInCall)
            if case .failure(let why) = result { failure = why }
            loop.stop()
        }
        isInCall = false
        #expect(loop.runBounded())
        attempt.cancel()
        #expect(failure?.end == .refused)
        #expect(failure?.description == "127.0.0.1:\(port): Connection refused (connect)")
    }

    @Test("an interface that is not there fails as unreachable and names it")
    func anInterfaceThatIsNotThereFailsAsUnreachableAndNamesIt() throws {
        let loop = try EventLoop()
        var failure: ConnectFailure?
        _ = Connector(on: loop).open(
            Endpoint(address: localhost, port: 9), link: .interface("nowhere0")
        ) { result in
            if case .failure(let why) = result { failure = why }
            loop.stop()
        }
        #expect(loop.runBounded())
        #expect(failure?.end == .unreachable)
        #expect(failure?.cause?.subject == "nowhere0")
    }

    @Test("a socket bound to the loopback interface reaches loopback")
    func aSocketBoundToTheLoopbackInterfaceReachesLoopback() throws {
        let loop = try EventLoop()
        var isConnected = false
        let listener = try Listener(loopback: loopback, on: loop) { _ in }
        _ = Connector(on: loop).open(
            Endpoint(address: localhost, port: listener.port), link: .interface("lo")
        ) { result in
            isConnected = (try? result.get()) != nil
            loop.stop()
        }
        #expect(loop.runBounded())
        #expect(isConnected)
    }

    @Test("a connect without an answer ends at its deadline; a cancelled one reports nothing")
    func aConnectWithoutAnAnswerEndsAtItsDeadline() throws {
        let loop = try EventLoop()
        // A backlog that is full does not answer: the kernel drops the handshakes.
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length)
                listen(socket, 0)
                getsockname(socket, $0, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        var ends: [ConnectionEnd] = []
        var streams: [Stream] = []
        let connector = Connector(on: loop)
        let attempts = (0..<6).map { index in
            connector.open(Endpoint(address: localhost, port: port), within: .milliseconds(150)) { result in
                switch result {
                case .success(let stream): streams.append(stream)
                case .failure(let why): ends.append(why.end)
                }
                #expect(index != 5)
            }
        }
        attempts[5].cancel()
        loop.setTimer(after: .milliseconds(300)) { loop.stop() }
        #expect(loop.runBounded())
        #expect(ends.count >= 2 && ends.allSatisfy { $0 == .timedOut })
        #expect(ends.count + streams.count == 5)
        for stream in streams { stream.reset() }
    }
}
