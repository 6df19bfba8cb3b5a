import AlarmModel
import Foundation
import PhoneLink
import Testing

@Suite("Whatever the push server sends")
struct RobustnessTests {
    /// A whole life: login, answers to two pushes, phones' messages, pings, draining, the end.
    static let recording: [String] =
        Server.login + [
            Server.ack("m1", canonical: "NEW") + Server.inbound("u1&<é>", from: "T😀"),
            "<iq type='get' id='7' from='gcm.googleapis.com'><ping xmlns='urn:xmpp:ping'/></iq> ",
            Server.receipt + Server.errorStanza("zz") + Server.nack("m2", "InvalidJson : x : y"),
            Server.message("{\"message_type\":\"ack\",\n \"message_id\" : \"m3\"}") + Server.draining + Server.end,
        ]

    /// A link that is told the recording; pushes happen as soon as it is ready.
    static func play(_ pieces: [[UInt8]]) -> Bench {
        var bench = Bench()
        bench.start()
        let id = bench.connect()
        var isPushed = false
        for piece in pieces {
            bench.link.received(id, piece, at: bench.now, into: &bench.actions)
            if !isPushed, bench.link.health.phase == .ready {
                isPushed = true
                for number in 1...4 { bench.push("m\(number)") }
            }
        }
        return bench
    }

    @Test("a recorded exchange cut anywhere, or in single bytes, has the same effects")
    func aRecordedExchangeCutAnywhere() {
        let steps = Self.recording.map { Array($0.utf8) }
        let whole = Self.play(steps)
        #expect(whole.actions.returned == ["m4"])
        for (number, step) in steps.enumerated() {
            for place in 1..<step.count {
                var pieces = steps
                pieces.replaceSubrange(number...number, with: [Array(step[..<place]), Array(step[place...])])
                let cut = Self.play(pieces)
                #expect(cut.actions.joined == whole.actions.joined, "\(number), \(place)")
            }
        }
        let bytes = Self.play(steps.flatMap { $0.map { [$0] } })
        #expect(bytes.actions.joined == whole.actions.joined)
        // After the login all at once.
        let joined = Self.play(Array(steps.prefix(5)) + [steps.dropFirst(5).flatMap { $0 }])
        #expect(joined.actions.joined == whole.actions.joined)
    }

    @Test("no single damaged byte and no missing end makes a trap, and the link goes on for ever")
    func noSingleDamagedByteAndNoMissingEndMakesATrap() {
        let steps = Self.recording.map { Array($0.utf8) }
        let odd = Array("\0<>&\"'/=!?".utf8)
        for (number, step) in steps.enumerated() {
            for place in step.indices {
                for byte in [odd[place % odd.count], 0x80, step[place] ^ 0x20] {
                    var pieces = steps
                    pieces[number][place] = byte
                    var bench = Self.play(pieces)
                    bench.wait(.seconds(1))
                    #expect(bench.link.nextDeadline != nil)
                }
                var bench = Self.play(Array(steps[..<number]) + [Array(step[..<place])])
                bench.lost(.reset)
                bench.wait(.seconds(2))
                #expect(bench.actions.connects >= 2)
            }
        }
    }

    @Test("stanzas before the login are not taken for anything")
    func stanzasBeforeTheLoginAreNotTakenForAnything() {
        for steps in 0...3 {
            var bench = Bench()
            bench.start()
            let id = bench.connect()
            for piece in Server.login.prefix(steps) { bench.say(piece, on: id) }
            if steps == 0 { bench.say(Server.header, on: id) }
            if steps == 2 { bench.say(Server.header, on: id) }
            _ = bench.take()
            bench.say(Server.inbound("u1"), on: id)
            let hasInbound = bench.take().contains { if case .inbound = $0 { true } else { false } }
            #expect(hasInbound == (steps == 3), "\(steps)")
        }
    }

    @Test("a link encoded in the middle of anything goes on the same when decoded")
    func aLinkEncodedInTheMiddleOfAnythingGoesOnTheSameWhenDecoded() throws {
        let bytes = Self.recording.flatMap { Array($0.utf8) }
        // An encoded secret is a mask; here it is one from the start.
        let key = "***********"
        var bench = Bench(key: key)
        var copy = bench
        bench.start()
        copy.start()
        let id = bench.connect()
        copy.connect()
        var isPushed = false
        for (place, byte) in bytes.enumerated() {
            if place.isMultiple(of: 7) {
                copy.link = try JSONDecoder().decode(CCSTransport.self, from: JSONEncoder().encode(copy.link))
                #expect(copy.link == bench.link)
            }
            bench.link.received(id, [byte], at: bench.now, into: &bench.actions)
            copy.link.received(id, [byte], at: copy.now, into: &copy.actions)
            if bench.link.health.phase == .ready, !isPushed {
                isPushed = true
                bench.push("m1")
                copy.push("m1")
            }
            bench.wait(.milliseconds(10))
            copy.wait(.milliseconds(10))
        }
        #expect(copy.actions == bench.actions)
        #expect(bench.actions.contains(.accepted(MessageID("m1"), canonical: "NEW")))
    }

    @Test("the words of the peer are printed bounded and without control characters")
    func theWordsOfThePeerArePrintedBoundedAndWithoutControl() {
        var bench = Bench()
        bench.start()
        let id = bench.connect()
        bench.say(Server.header + Server.mechanisms, on: id)
        let text = "\u{1B}[2J" + String(repeating: "é", count: 5000)
        bench.say(Server.failure("not-authorized", text.replacing("\u{1B}", with: "\u{9B}")), on: id)
        for action in bench.take() {
            guard case .log(let entry) = action else { continue }
            #expect(entry.message.utf8.count < 1000)
            #expect(entry.message.unicodeScalars.allSatisfy { (" "..."~").contains($0) || $0 == "…" })
        }
        #expect(bench.link.health.problem != nil)
    }
}
