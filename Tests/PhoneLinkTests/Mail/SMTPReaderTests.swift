import AlarmModel
import PhoneLink
import Testing

@Suite("Whatever the mail server sends") struct SMTPReaderTests {
    private let exchange: [String] =
        [MailServer.greeting, "250-mail.test\n250-X\r\n250\r\n"] + MailServer.takes + [
            "250 ok\r\n", "450-4.2.1 wait\r\n450 4.2.1 a bit\r\n", "250 reset\r\n",
        ]

    private func play(_ pieces: [[UInt8]]) -> ChannelBench<MailTransport> {
        let bench = ChannelBench(.plain())
        bench.start()
        let id = bench.connect()
        var isDelivered = false
        for piece in pieces {
            bench.channel.received(id, piece, at: bench.now, into: &bench.actions)
            if !isDelivered, bench.channel.health.phase == .ready {
                isDelivered = true
                for number in 1...3 { bench.deliver(.mail("m\(number)")) }
            }
        }
        return bench
    }

    @Test("a recorded exchange cut anywhere, or in single bytes, has the same effects")
    func aRecordedExchangeCutAnywhere() {
        let steps = exchange.map { Array($0.utf8) }
        let whole = play(steps)
        #expect(whole.actions.contains(.accepted(MessageID("m1"), canonical: nil)))
        #expect(whole.actions.lastRefusal?.why.contains("4.2.1 a bit") == true)
        for (number, step) in steps.enumerated() {
            for place in 1..<step.count {
                var pieces = steps
                pieces.replaceSubrange(number...number, with: [Array(step[..<place]), Array(step[place...])])
                #expect(play(pieces).actions == whole.actions, "\(number), \(place)")
            }
        }
        #expect(play(steps.flatMap { $0.map { [$0] } }).actions == whole.actions)
    }

    @Test("no damaged byte and no missing end makes a trap; each message has at most one end")
    func noDamagedByteAndNoMissingEndMakesATrap() {
        let steps = exchange.map { Array($0.utf8) }
        for (number, step) in steps.enumerated() {
            for place in step.indices {
                for byte: UInt8 in [0, 0x0A, 0x0D, UInt8(ascii: "-"), UInt8(ascii: "9"), 0xFF, step[place] ^ 0x10] {
                    var pieces = steps
                    pieces[number][place] = byte
                    let bench = play(pieces)
                    bench.lose()
                    var ends: [MessageID] = []
                    for action in bench.actions {
                        switch action {
                        case .accepted(let id, _), .refused(let id, _): ends.append(id)
                        case .returned(let ids): ends += ids
                        default: break
                        }
                    }
                    #expect(ends.count == Set(ends).count, "\(number), \(place), \(byte)")
                }
            }
        }
    }

    @Test("answers without end, of several codes, or of something else are told apart")
    func answersWithoutEnd() {
        let cases: [(String, String)] = [
            (String(repeating: "2", count: 5000), "a line without end"),
            (String(repeating: "220-x\r\n", count: 200), "an answer without end"),
            ("HTTP/1.1 400 Bad Request\r\n", "no answer of a mail server"), ("\r\n", "no answer of a mail server"),
            ("220-x\r\n221 y\r\n", "several codes"), ("999 x\r\n", "no answer of a mail server"),
            ("554 5.7.1 your network is blocked\r\n", "use the server of your provider"),
            ("421 too busy\r\n", "cannot serve us now"), ("220 \u{1B}[31m\r\n503 \u{1B}x\r\n", "503 ?x"),
        ]
        for (words, told) in cases {
            let bench = ChannelBench(.plain())
            bench.start()
            bench.connect()
            bench.say(words)
            let text = bench.actions.lastProblem?.description ?? ""
            #expect(text.contains(told), "\(words.prefix(30)): \(text)")
            #expect(text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "…" })
        }
        let silent = ChannelBench(.plain())
        silent.start()
        silent.connect()
        silent.wait(.seconds(10))
        silent.say("220-still\r\n")
        silent.wait(.seconds(5))
        #expect(silent.actions.lastProblem?.description.contains("did not finish its greeting") == true)
    }
}
