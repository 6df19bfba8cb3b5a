import AlarmModel
import Glibc
import Platform
import Testing

@Suite struct SecureStreamEndTests {
    @Test("what was sent before close arrives, then the end; both ends report theirs once")
    func whatWasSentBeforeCloseArrives() throws {
        let rig = try TLSRig()
        let (client, server) = try rig.pair()
        var received: [UInt8] = []
        var ends: [String] = []
        server.onReceived = { received += $0 }
        server.onClosed = { ends.append("server \($0)") }
        var isInCall = true
        client.onClosed = {
            #expect(!isInCall)
            ends.append("client \($0)")
            rig.loop.setTimer(after: .milliseconds(20)) { rig.loop.stop() }
        }
        let bytes = pattern(2_000_000)
        client.send(bytes)
        server.send([2, 2, 2])
        client.close(within: .seconds(5))
        client.close()
        client.send([9])
        isInCall = false
        #expect(rig.loop.runBounded())
        #expect(received == bytes)
        #expect(ends == ["server closed by the peer", "client closed by us"])
    }

    @Test("the end waits for an owner that has paused, and for what came before it")
    func theEndWaitsForAnOwnerThatHasPaused() throws {
        let rig = try TLSRig()
        let (client, server) = try rig.pair()
        var received = 0
        var end: ConnectionEnd?
        client.onReceived = { chunk in
            #expect(end == nil)
            received += chunk.count
            client.pauseReading()
            rig.loop.setTimer(after: .milliseconds(5)) { client.resumeReading() }
        }
        client.onClosed = {
            end = $0
            rig.loop.stop()
        }
        server.send(pattern(300_000))
        server.close(within: .seconds(5))
        #expect(rig.loop.runBounded())
        #expect(received == 300_000)
        #expect(end == .finished)
    }

    @Test("an owner that pauses while data and the end are in hand hears of neither until it resumes")
    func anOwnerThatPausesWhileDataAndTheEndAreInHandHearsOfNeither() throws {
        let rig = try TLSRig()
        // Goes on delivering what it has read, whatever its owner says.
        let (client, server) = try rig.pair { TricklingStream($0) }
        var received = 0
        var isPaused = false
        var end: ConnectionEnd?
        client.onReceived = { chunk in
            #expect(!isPaused)
            received += chunk.count
            isPaused = true
            client.pauseReading()
            rig.loop.setTimer(after: .milliseconds(20)) {
                #expect(end == nil)
                isPaused = false
                client.resumeReading()
            }
        }
        client.onClosed = {
            #expect(!isPaused)
            end = $0
            rig.loop.stop()
        }
        server.send(pattern(40_000))
        server.close(within: .seconds(5))
        #expect(rig.loop.runBounded())
        #expect(received == 40_000)
        #expect(end == .finished)
    }

    @Test("an end in the same piece as the last bytes waits for an owner that pauses at them")
    func anEndInTheSamePieceAsTheLastBytesWaitsForAnOwnerThatPauses() throws {
        let rig = try TLSRig()
        let (client, server) = try rig.pair()
        var isPaused = false
        var end: ConnectionEnd?
        client.onReceived = { chunk in
            #expect(chunk == [1, 2, 3])
            isPaused = true
            client.pauseReading()
            rig.loop.setTimer(after: .milliseconds(20)) {
                isPaused = false
                client.resumeReading()
            }
        }
        client.onClosed = {
            #expect(!isPaused)
            end = $0
            rig.loop.stop()
        }
        server.send([1, 2, 3])
        server.close()
        #expect(rig.loop.runBounded())
        #expect(end == .finished)
    }

    @Test("a server that asks for new keys without end and reads nothing is left before the memory is full")
    func aServerThatAsksForNewKeysWithoutEndIsLeft() throws {
        let rig = try TLSRig()
        let raw = try Pair.make(on: rig.loop)
        let server = TLSSession.server(identity: try rig.goodIdentity())
        let client = try SecureStream(client: raw.dialed, serverName: TLSRig.host, trust: rig.trust, on: rig.loop)
        var end: ConnectionEnd?
        client.onClosed = {
            end = $0
            rig.loop.stop()
        }
        var asked = 0
        func ask() {
            for _ in 0..<200 { server.askForKeyUpdate() }
            asked += 200
            raw.accepted.send(server.takeOutput())
            if end == nil, asked < 400_000 { rig.loop.later { ask() } }
        }
        var isDone = false
        raw.accepted.onReceived = { bytes in
            server.receive(bytes)
            isDone = (try? server.handshake()) == true
            raw.accepted.send(server.takeOutput())
            guard isDone else { return }
            raw.accepted.pauseReading()
            ask()
        }
        client.startHandshake()
        // Under the address sanitizer it takes 90 s.
        #expect(rig.loop.runBounded(.seconds(300)))
        #expect(end == .tls(.protocolError("it asks for more than it takes")))
        #expect(raw.dialed.unsentCount < 2 * 1024 * 1024)
    }

    @Test("closing against a peer that never reads ends in bounded time")
    func closingAgainstAPeerThatNeverReadsEndsInBoundedTime() throws {
        let rig = try TLSRig()
        let (client, server) = try rig.pair()
        server.pauseReading()
        client.send(pattern(20_000_000))
        let start = SystemClock.bootTime()
        var end: ConnectionEnd?
        client.onClosed = {
            end = $0
            rig.loop.stop()
        }
        client.close(within: .milliseconds(100))
        #expect(rig.loop.runBounded())
        #expect(end == .local)
        #expect(SystemClock.bootTime() - start < .seconds(4))
    }

    @Test("a reset is told from an orderly end and from the end without close_notify")
    func aResetIsToldFromAnOrderlyEndAndFromTheEndWithoutClose() throws {
        var raw: (any ByteStream)?
        for (how, expected) in [("reset", ConnectionEnd.reset), ("cut", .finished)] {
            let rig = try TLSRig()
            let (client, server) = try rig.pair {
                raw = $0
                return $0
            }
            var ends: [ConnectionEnd] = []
            server.onClosed = {
                ends.append($0)
                rig.loop.stop()
            }
            if how == "reset" { client.reset() } else { raw?.close() }
            #expect(rig.loop.runBounded())
            #expect(ends == [expected])
        }
    }

    @Test("a peer that says close_notify first still gets what was on its way to it")
    func aPeerThatSaysCloseNotifyFirstStillGetsWhatWasOnItsWayToIt() throws {
        let rig = try TLSRig()
        let engine = TLSSession.server(identity: try rig.goodIdentity())
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 1)
        defer { buffer.deallocate() }
        var received = 0
        var hasFinished = false
        var isOver = false
        var end: ConnectionEnd?
        let port = try rig.listen { stream in
            stream.onReceived = { bytes in
                engine.receive(bytes)
                while case .bytes(let count)? = try? engine.read(into: buffer) { received += count }
                if received > 0, !hasFinished {
                    hasFinished = true
                    engine.finish()
                }
                stream.send(engine.takeOutput())
            }
            stream.onClosed = { how in
                isOver = how == .finished
                if end != nil { rig.loop.stop() }
            }
        }
        rig.dial(port) { stream in
            let client = try? SecureStream(client: stream, serverName: TLSRig.host, trust: rig.trust, on: rig.loop)
            client?.onSecured = { [weak client] in client?.send(pattern(150_000)) }
            client?.onClosed = {
                end = $0
                if isOver { rig.loop.stop() }
            }
            client?.startHandshake()
        }
        #expect(rig.loop.runBounded())
        #expect(received == 150_000)
        #expect(end == .finished && isOver)
    }

    @Test("one changed byte ends the connection, after what came whole before it")
    func oneChangedByteEndsTheConnection() throws {
        let rig = try TLSRig()
        var raw: (any ByteStream)?
        let (client, server) = try rig.pair {
            raw = $0
            return $0
        }
        var received: [UInt8] = []
        var end: ConnectionEnd?
        server.onReceived = { received += $0 }
        server.onClosed = {
            end = $0
            rig.loop.stop()
        }
        client.send([1, 2, 3])
        rig.loop.setTimer(after: .milliseconds(20)) { raw?.send([23, 3, 3, 0, 40] + Array(repeating: 0, count: 40)) }
        #expect(rig.loop.runBounded())
        #expect(received == [1, 2, 3])
        guard case .tls(.protocolError) = end else {
            Issue.record("\(String(describing: end))")
            return
        }
    }

    @Test("bytes queued before the handshake leave after it; the owner may pause before, too")
    func bytesQueuedBeforeTheHandshakeLeaveAfterIt() throws {
        let rig = try TLSRig()
        var received: [UInt8] = []
        var isPaused = true
        let port = try rig.listen(as: try rig.goodIdentity()) { server in
            server.send([7, 7])
            server.onSecured = { server.send([8]) }
        }
        rig.dial(port) { stream in
            guard
                let client = try? SecureStream(
                    client: stream, serverName: TLSRig.host, trust: rig.trust, on: rig.loop)
            else { return }
            client.pauseReading()
            client.onReceived = {
                #expect(!isPaused)
                received += $0
                if received.count == 3 { rig.loop.stop() }
            }
            client.onSecured = {
                rig.loop.setTimer(after: .milliseconds(30)) {
                    isPaused = false
                    client.resumeReading()
                }
            }
            client.startHandshake()
        }
        #expect(rig.loop.runBounded())
        #expect(received.sorted() == [7, 7, 8])
    }

    @Test("closing or resetting in the middle of the handshake reports the end once and never secured")
    func closingOrResettingInTheMiddleOfTheHandshakeReportsTheEnd() throws {
        for isReset in [false, true] {
            let rig = try TLSRig()
            var ends: [ConnectionEnd] = []
            let port = try rig.listen { _ in }
            rig.dial(port) { stream in
                let client = try? SecureStream(
                    client: stream, serverName: TLSRig.host, trust: rig.trust, on: rig.loop)
                client?.onSecured = { Issue.record("secured") }
                client?.onClosed = { ends.append($0) }
                client?.startHandshake(within: .milliseconds(50))
                client?.send([1])
                if isReset { client?.reset() } else { client?.close(within: .milliseconds(20)) }
                client?.reset()
            }
            rig.loop.setTimer(after: .milliseconds(150)) { rig.loop.stop() }
            #expect(rig.loop.runBounded())
            #expect(ends == [.local])
        }
    }

    @Test("a hundred connections, good and bad, leave no descriptor and no object behind")
    func aHundredConnections() throws {
        let rig = try TLSRig()
        struct Remains { weak var stream: Stream?; weak var secure: SecureStream? }
        var remains: [Remains] = []
        var accepted: [Remains] = []
        let identity = try rig.goodIdentity()
        let loop = rig.loop
        let port = try rig.listen { stream in
            // Every fourth server breaks off, every fourth says nothing.
            accepted.append(Remains(stream: stream))
            switch accepted.count % 4 {
            case 0: stream.onReceived = { [unowned stream] _ in stream.reset() }
            case 1: break
            default: SecureStream(server: stream, identity: identity, on: loop).startHandshake()
            }
        }
        let trust = rig.trust
        var ended = 0
        func next() {
            let attempt = Connector(on: loop).open(Endpoint(address: localhost, port: port)) { result in
                guard let stream = try? result.get(),
                    let secure = try? SecureStream(client: stream, serverName: TLSRig.host, trust: trust, on: loop)
                else {
                    Issue.record("not connected")
                    return
                }
                remains.append(Remains(stream: stream, secure: secure))
                secure.onSecured = { [unowned secure] in
                    secure.send([1, 2, 3])
                    secure.close()
                }
                secure.onClosed = { _ in
                    ended += 1
                    if ended == 100 { loop.setTimer(after: .milliseconds(700)) { loop.stop() } } else { next() }
                }
                secure.startHandshake(within: .milliseconds(60))
            }
            withExtendedLifetime(attempt) {}
        }
        next()
        #expect(loop.runBounded(.seconds(20)))
        #expect(ended == 100)
        #expect(accepted.count == 100 && accepted.allSatisfy { $0.stream == nil })
        #expect(remains.allSatisfy { $0.stream == nil && $0.secure == nil })
    }
}
