import AlarmModel
import ApplianceCore
import Glibc
import Platform
import Testing

@testable import Daemon

/// A client of the control socket that holds one of its few places and gives nothing for it.
@Suite struct ControlClientTests {
    private final class Rig {
        let loop: EventLoop
        let peer: Int32
        var inputs: [String] = []
        var isClosed = false
        var client: ControlClient?

        init(lineSpan: Duration) throws {
            loop = try EventLoop()
            var ends: [Int32] = [0, 0]
            try #require(
                socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
            peer = ends[0]
            let stream = try Stream(adopting: Descriptor(owning: ends[1]), on: loop)
            client = ControlClient(
                stream, on: loop, lineSpan: lineSpan,
                onInput: { [unowned self] input in
                    switch input {
                    case .success: inputs.append("a request")
                    case .failure(let error): inputs.append(error.description)
                    }
                }, onSent: { _ in },
                onClosed: { [unowned self] _ in
                    isClosed = true
                    loop.stop()
                })
        }

        deinit { Glibc.close(peer) }

        func say(_ text: String) { _ = write(peer, text, text.utf8.count) }

        /// False: nobody closed it within the span.
        func runsUntilClosed(_ span: Duration) -> Bool {
            let token = loop.setTimer(after: span) { [loop] in loop.stop() }
            loop.run()
            loop.cancel(token)
            return isClosed
        }
    }

    @Test("who asks nothing is sent away", arguments: ["", "{\"status\":"])
    func whoAsksNothingIsSentAway(_ said: String) throws {
        let rig = try Rig(lineSpan: .milliseconds(50))
        rig.say(said)
        #expect(rig.runsUntilClosed(.seconds(10)))
        #expect(rig.inputs.count == 1 && rig.inputs[0].contains("within"), "\(rig.inputs)")
    }

    @Test("after its first request a client may wait for answers as long as it likes; a half line may not")
    func aClientMayWaitForAnswers() throws {
        let rig = try Rig(lineSpan: .milliseconds(50))
        rig.say("nonsense\n")
        #expect(!rig.runsUntilClosed(.milliseconds(300)))
        #expect(rig.inputs.count == 1)
        rig.say("{")
        #expect(rig.runsUntilClosed(.seconds(10)))
        #expect(rig.inputs.last?.contains("the line did not end") == true)
    }

    @Test("who reads no answer is sent away after 8 MiB")
    func whoReadsNoAnswerIsSentAway() throws {
        let rig = try Rig(lineSpan: .seconds(10))
        let reply = ControlReply.error(String(repeating: "x", count: 100_000))
        var count = 0
        while !rig.isClosed, count < 1000 {
            rig.client?.send(reply)
            _ = rig.runsUntilClosed(.milliseconds(1))
            count += 1
        }
        #expect(rig.isClosed)
        #expect((80...90).contains(count), "\(count)")
    }
}
