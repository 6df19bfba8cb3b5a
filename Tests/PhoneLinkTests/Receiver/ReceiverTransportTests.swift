import AlarmModel
import PhoneProtocol
import Testing

@testable import PhoneLink

@Suite("A receiver is told, and polled")
struct ReceiverTransportTests {
    static func settings(_ change: (inout ReceiverSettings) -> Void = { _ in }) -> ReceiverSettings {
        var settings = ReceiverSettings(host: "192.0.2.9", port: 9999, account: "12ab")
        change(&settings)
        return settings
    }

    private func bench(_ change: (inout ReceiverSettings) -> Void = { _ in }) -> ChannelBench<ReceiverTransport> {
        ChannelBench(ReceiverTransport(settings: Self.settings(change), seed: 5))
    }

    /// With its first poll confirmed.
    private func ready(_ change: (inout ReceiverSettings) -> Void = { _ in }) -> ChannelBench<ReceiverTransport> {
        let bench = bench(change)
        bench.start()
        bench.connect()
        bench.confirm()
        _ = bench.take()
        return bench
    }

    private func delivery(
        _ id: String, _ code: Int = 130, isAlarm: Bool = true, at time: WallTime? = nil
    ) -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.receiver), "12AB"),
            content: .report(ContactID(.new, code, partition: 1, number: 5), at: time),
            priority: isAlarm ? .alarm : .state, timeToLive: 3600)
    }

    @Test("it connects, polls, and takes messages once a poll is confirmed; a poll in each pause")
    func itConnectsPollsAndTakesMessages() throws {
        let bench = bench()
        bench.start()
        #expect(bench.take() == [.connect(DialSlot(0), DialTarget(host: "192.0.2.9", port: 9999, security: .plain))])
        bench.connect()
        #expect(bench.take().messages == ["\"NULL\"0000R0L0#12AB[]_12:00:00,11-21-2026"])
        #expect(!bench.deliver(delivery("a")) && bench.channel.room == .none)
        bench.confirm()
        #expect(bench.take().orders == [.ready])
        #expect(bench.channel.health == TransportHealth(phase: .ready))
        for _ in 0..<3 {
            #expect(try #require(bench.waitForTimer()) == .seconds(30))
            #expect(bench.take().messages.allSatisfy { $0.hasPrefix("\"NULL\"0000") })
            bench.confirm()
        }
        #expect(bench.take().orders.isEmpty)
    }

    @Test("messages go one after the other, alarms first, each under the next number, until it is confirmed")
    func messagesGoOneAfterTheOther() {
        let bench = ready()
        #expect(bench.deliver(delivery("a", 401, isAlarm: false)) && !bench.deliver(delivery("b", isAlarm: false)))
        #expect(bench.deliver(delivery("c")) && !bench.deliver(delivery("d")))
        #expect(bench.take().messages == ["\"ADM-CID\"0001R0L0#12AB[#12AB|1401 01 005]_12:00:00,11-21-2026"])
        bench.confirm()
        #expect(bench.actions.orders == [.accepted(MessageID("a"), canonical: nil)])
        #expect(bench.take().messages == ["\"ADM-CID\"0002R0L0#12AB[#12AB|1130 01 005]_12:00:00,11-21-2026"])
        bench.confirm()
        #expect(bench.take().orders == [.accepted(MessageID("c"), canonical: nil)])
        #expect(bench.channel.record == ReceiverRecord(sequence: 2, message: MessageID("c")))
    }

    private static let alarm = "\"ADM-CID\"0001R0L0#12AB[#12AB|1130 01 005]_12:00:00,11-21-2026"

    @Test("a receiver that refuses each poll gets the message that waits, on the same connection, once")
    func aReceiverThatRefusesEachPollGetsTheMessage() throws {
        let bench = bench()
        bench.start()
        bench.connect()
        bench.frame("\"NAK\"0000R0L0A0[]_12:00:00,11-21-2026")
        _ = bench.take()
        bench.frame("\"NAK\"0000R0L0A0[]_12:00:00,11-21-2026")
        #expect(bench.actions.contains(.ready) && !bench.actions.contains(.close(ConnectionID(1))))
        #expect(bench.take().lastProblem?.description.includes("alarms are sent to it all the same") == true)
        bench.deliver(delivery("a"))
        #expect(bench.take().messages == [Self.alarm])
        bench.confirm()
        let orders = bench.take().orders
        #expect(orders.contains(.accepted(MessageID("a"), canonical: nil)))
        // The receiver is known to accept messages now: what is left is a passing remark.
        #expect(bench.channel.health.problem?.isPassing == true && bench.channel.health.phase == .ready)
        #expect(try #require(bench.waitForTimer()) == .seconds(30))
        #expect(bench.take().messages.allSatisfy { $0.hasPrefix("\"NULL\"") })
        bench.confirm()
        #expect(bench.take().lastProblem == nil && bench.channel.health.problem == nil)
    }

    @Test("one that refuses a poll and hangs up is called again for the message")
    func oneThatRefusesAPollAndHangsUpIsCalledAgain() throws {
        for end in [ConnectionEnd.finished, .reset] {
            let bench = bench()
            bench.start()
            bench.connect()
            bench.frame("\"NAK\"0000R0L0A0[]_12:00:00,11-21-2026")
            bench.lose(end)
            #expect(bench.take().contains(.ready) && bench.channel.room.alarm == 2)
            bench.deliver(delivery("a"))
            #expect(bench.take().connects == 1)
            bench.connect()
            #expect(bench.take().messages == [Self.alarm])
            bench.confirm()
            bench.lose(.finished)
            #expect(bench.take().orders.contains(.accepted(MessageID("a"), canonical: nil)))
            #expect(try #require(bench.waitForTimer()) == .seconds(30))
        }
    }

    @Test("a message waits 2 s for the answer to a poll; a late answer confirms and refuses nothing")
    func aMessageWaits2SForTheAnswerToAPoll() throws {
        let bench = bench()
        bench.start()
        bench.connect()
        _ = bench.take()
        #expect(try #require(bench.waitForTimer()) == .seconds(2))
        #expect(bench.take().orders == [.ready])
        bench.deliver(delivery("a"))
        #expect(bench.take().messages == [Self.alarm.replacing("12:00:00", with: "12:00:02")])
        bench.frame("\"ACK\"0000R0L0#12AB[]")
        #expect(bench.take().isEmpty && bench.channel.health.underWay == 1)
        bench.confirm()
        #expect(bench.take().orders.contains(.accepted(MessageID("a"), canonical: nil)))
        // In the midst of a later poll, too.
        #expect(try #require(bench.waitForTimer()) == .seconds(30))
        bench.deliver(delivery("b"))
        #expect(bench.take().messages.count == 1)
        #expect(try #require(bench.waitForTimer()) == .seconds(2))
        #expect(bench.take().messages.first?.hasPrefix("\"ADM-CID\"0002") == true)
        bench.frame("\"NAK\"0000R0L0A0[]_13:00:00,11-21-2026")
        #expect(bench.take().isEmpty)
        bench.confirm()
        #expect(bench.take().orders.contains(.accepted(MessageID("b"), canonical: nil)))
    }

    @Test("one that ignores polls and takes messages is asked at its pace; before it took one, it is a loss")
    func oneThatIgnoresPollsIsAskedAtItsPace() throws {
        let bench = bench()
        bench.start()
        bench.connect()
        bench.wait(.seconds(10))
        #expect(bench.actions.contains(.notReady) && bench.take().lastProblem?.kind == .unanswered())
        _ = bench.waitForTimer()
        bench.connect()
        bench.wait(.seconds(2))
        bench.deliver(delivery("a"))
        bench.confirm()
        _ = bench.take()
        var connects = 0
        for _ in 0..<10 {
            bench.wait(.seconds(40))
            let actions = bench.take()
            #expect(!actions.contains(.notReady))
            connects += actions.connects
            if actions.connects > 0 { bench.connect() }
        }
        #expect((5...12).contains(connects) && bench.channel.room.alarm == 2)
        #expect(bench.channel.health.problem?.isPassing == true)
    }

    @Test("after connections that end during the poll, a message that waits is sent before it; the third loss is told")
    func afterConnectionsThatEndDuringThePoll() {
        let bench = bench()
        bench.start()
        bench.connect()
        bench.lose(.finished)
        #expect(bench.channel.health.problem?.isPassing == true)
        bench.channel.setUrgent(true, at: bench.now)
        _ = bench.waitForTimer()
        _ = bench.take()
        bench.connect()
        #expect(bench.take() == [.ready])
        bench.deliver(delivery("a"))
        #expect(bench.take().messages == [Self.alarm.replacing("12:00:00", with: bench.clock)])
        bench.lose(.reset)
        #expect(bench.take().contains(.returned([MessageID("a")])))
        _ = bench.waitForTimer()
        bench.connect()
        bench.deliver(delivery("a"))
        bench.lose(.reset)
        #expect(bench.channel.health.problem?.isPassing == false)
    }

    @Test("receiver and line are named as they are configured, and what was late says when it happened")
    func receiverAndLineAreNamed() {
        let bench = ready {
            $0.receiver = 0xA1
            $0.line = 0xFF
        }
        bench.deliver(delivery("a", at: bench.now.wall + .seconds(-31)))
        #expect(
            bench.take().messages == [
                "\"ADM-CID\"0001RA1LFF#12AB[#12AB|1130 01 005][H11:59:29,11-21-2026]_12:00:00,11-21-2026"
            ])
    }

    @Test("not confirmed in time, it is given back, and keeps its number for the next try")
    func notConfirmedInTimeItIsGivenBack() throws {
        let bench = ready()
        bench.deliver(delivery("a"))
        let first = bench.take().messages
        #expect(try #require(bench.waitForTimer()) == .seconds(10))
        #expect(
            bench.actions.orders.prefix(3) == [
                .close(ConnectionID(1)), .notReady, .returned([MessageID("a")]),
            ])
        #expect(bench.take().lastProblem?.kind == .unanswered())
        bench.now.wall = WallTime(milliseconds: 1_795_262_400_000)
        #expect(bench.waitForTimer() != nil)
        bench.connect()
        bench.confirm()
        bench.deliver(delivery("a"))
        #expect(bench.take().messages.last?.prefix(13) == first[0].prefix(13))
        bench.confirm()
        #expect(bench.take().orders.contains(.accepted(MessageID("a"), canonical: nil)))
    }

    @Test(
        "only the answer that repeats number, receiver, line and account confirms",
        arguments: [
            "\"ACK\"0002R0L0#12AB[]", "\"ACK\"0000R0L0#12AB[]", "\"ACK\"0001R1L0#12AB[]", "\"ACK\"0001R0L1#12AB[]",
            "\"ACK\"0001R0L0#12AC[]", "\"ACK\"0001R0L0[]", "\"DUH\"0002R0L0#12AB[]",
        ])
    func onlyTheAnswerThatRepeatsConfirms(_ answer: String) {
        let bench = ready()
        bench.deliver(delivery("a"))
        _ = bench.take()
        bench.frame(answer)
        #expect(bench.actions.contains(.returned([MessageID("a")])) && bench.actions.contains(.close(ConnectionID(1))))
        #expect(!bench.actions.contains(.accepted(MessageID("a"), canonical: nil)))
        #expect(bench.channel.health.problem?.kind == .unexpected)
    }

    @Test("zeros in front, small letters and a receiver that is not named are the same")
    func zerosInFrontAreTheSame() {
        for answer in ["\"ACK\"0001R000L000#12ab[]", "\"ACK\"0001L0#0012AB[]", "\"ACK\"0001R0#12AB[]"] {
            let bench = ready()
            bench.deliver(delivery("a"))
            bench.frame(answer)
            #expect(bench.take().orders.contains(.accepted(MessageID("a"), canonical: nil)), "\(answer)")
        }
    }

    @Test("its time holds for what is sent to it, and moves nothing else; refused at its own time it is a problem")
    func itsTimeHoldsForWhatIsSentToIt() {
        let bench = ready()
        bench.deliver(delivery("a"))
        _ = bench.take()
        bench.frame("\"NAK\"0000R0L0A0[]_13:30:00,11-21-2026")
        #expect(bench.take().messages == ["\"ADM-CID\"0001R0L0#12AB[#12AB|1130 01 005]_13:30:00,11-21-2026"])
        bench.confirm()
        #expect(bench.take().orders == [.accepted(MessageID("a"), canonical: nil)])
        bench.deliver(delivery("b"))
        #expect(bench.take().messages == ["\"ADM-CID\"0002R0L0#12AB[#12AB|1130 01 005]_13:30:00,11-21-2026"])
        bench.frame("\"NAK\"0000R0L0A0[]_13:31:00,11-21-2026")
        bench.frame("\"NAK\"0000R0L0A0[]_13:32:00,11-21-2026")
        #expect(bench.take().contains(.returned([MessageID("b")])))
        #expect(bench.channel.health.problem?.kind == .clock && bench.channel.health.problem?.isRefusal == true)
    }

    @Test(
        "a time that is none, or more than a day off, is not taken",
        arguments: [
            "\"NAK\"0000R0L0A0[]", "\"NAK\"0000R0L0A0[]_12:00:01,11-22-2026", "\"NAK\"0000R0L0A0[]_11:59:59,11-20-2026",
        ])
    func aTimeThatIsNoneIsNotTaken(_ answer: String) {
        let bench = ready()
        bench.deliver(delivery("a"))
        bench.frame(answer)
        #expect(bench.take().contains(.returned([MessageID("a")])))
        #expect(bench.channel.health.problem?.kind == .clock && bench.channel.offset == .zero)
    }

    @Test("what it does not understand is not said again; that it does not understand polls is no harm")
    func whatItDoesNotUnderstandIsNotSaidAgain() {
        let bench = bench()
        bench.start()
        bench.connect()
        bench.frame("\"DUH\"0000R0L0#12AB[]")
        #expect(bench.take().contains(.ready))
        bench.deliver(delivery("a", 384))
        _ = bench.take()
        bench.frame("\"DUH\"0001R0L0#12AB[]")
        let refusal = bench.actions.lastRefusal
        #expect(refusal?.reaction == .giveUp && refusal?.why.includes("1384 01 005") == true)
        #expect(bench.take().messages.isEmpty && bench.channel.room.other == 1)
    }

    @Test(
        "garbage, more than an answer, an answer that nobody asked for: the connection ends and nothing is lost",
        arguments: [
            "HTTP/1.1 400\r\n", "\n\r", String(repeating: "\n", count: 2000),
            String(decoding: ReceiverFrame.bytes("\"ACK\"0001R0L0#12AB[]") + [0x0A], as: UTF8.self),
        ])
    func garbageEndsTheConnection(_ text: String) throws {
        let bench = ready()
        bench.say(text)
        #expect(bench.take().contains(.close(ConnectionID(1))))
        let other = ready()
        other.deliver(delivery("a"))
        other.say(text)
        #expect(other.actions.contains(.returned([MessageID("a")])) && other.channel.room == .none)
        #expect(!other.take().contains(.accepted(MessageID("a"), canonical: nil)))
        // However long that lasts, it is tried, and not in a tight loop.
        var spent = Duration.zero
        for _ in 0..<20 {
            spent = spent + (try #require(other.waitForTimer()))
            other.connect()
            other.say(text)
            _ = other.take()
        }
        #expect(spent > .minutes(1))
    }

    @Test("a receiver that hangs up after each answer is called again for the next poll or message")
    func aReceiverThatHangsUpIsCalledAgain() throws {
        let bench = ready()
        bench.lose(.finished)
        #expect(bench.take().isEmpty && bench.channel.room.alarm == 2)
        bench.deliver(delivery("a"))
        #expect(bench.take().connects == 1)
        bench.connect()
        #expect(bench.take().messages.first?.hasPrefix("\"ADM-CID\"0001") == true)
        bench.confirm()
        bench.lose(.finished)
        #expect(bench.take().orders == [.accepted(MessageID("a"), canonical: nil)])
        #expect(try #require(bench.waitForTimer()) == .seconds(30))
        #expect(bench.take().connects == 1)
        bench.connect()
        #expect(bench.take().messages.first?.hasPrefix("\"NULL\"0000") == true)
        // In the middle of an answer it is a loss.
        bench.lose(.finished)
        #expect(bench.take().contains(.notReady))
    }

    @Test("one that lets the box in, confirms a poll and breaks off gets no connection each second")
    func oneThatBreaksOffGetsNoConnectionEachSecond() throws {
        let bench = bench()
        bench.start()
        var spent = Duration.zero
        for _ in 0..<60 {
            bench.connect()
            bench.confirm()
            bench.lose(.reset)
            spent = spent + (try #require(bench.waitForTimer()))
            _ = bench.take()
        }
        #expect(spent > .minutes(15))
    }

    @Test("on another link it is polled at once; an attempt that is not answered has an end")
    func onAnotherLinkItIsPolledAtOnce() throws {
        let bench = ready()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().messages.first?.hasPrefix("\"NULL\"0000") == true)
        bench.confirm()
        bench.lose(.finished)
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().connects == 1)
        #expect(try #require(bench.waitForTimer()) == .seconds(30))
        #expect(bench.take().contains(.cancelConnect(DialSlot(0))))
        bench.stop()
        bench.connect()
        #expect(bench.take().last == .close(ConnectionID(2)))
        #expect(bench.channel.nextDeadline == nil)
    }

    @Test("with TLS the connection is encrypted, and other content than reports is refused")
    func withTLSTheConnectionIsEncrypted() {
        let bench = ready { $0.security = .tls(authorityFile: "ca.pem") }
        #expect(bench.channel.settings.security == .tls(authorityFile: "ca.pem"))
        let words = Notice(title: "t", text: "x", subject: .news, time: bench.now.wall)
        var delivery = delivery("a")
        delivery.content = .words(words)
        #expect(bench.deliver(delivery))
        #expect(bench.take().lastRefusal?.reaction == .giveUp)
        let dialed = self.bench { $0.security = .tls(authorityFile: "ca.pem") }
        dialed.start()
        #expect(
            dialed.take() == [
                .connect(
                    DialSlot(0), DialTarget(host: "192.0.2.9", port: 9999, security: .tls(authorityFile: "ca.pem")))
            ])
    }

    // MARK: Encrypted

    private static let key = Secret("850cba22f7dd4f033405da83e4c5bae9")
    private static let front = Array("ABCDEFGHIJKLMNOP".utf8)

    /// Up to the poll that waits for its answer.
    private func encrypted() throws -> ChannelBench<ReceiverTransport> {
        let bench = bench { $0.key = Self.key }
        bench.start()
        bench.connect()
        #expect(
            bench.take().last
                == .compute(TransportJobID(1), .sealReport(key: Self.key, text: "]_12:00:00,11-21-2026")))
        bench.answer(1, [0xAB, 0xCD])
        #expect(bench.take().messages == ["\"*NULL\"0000R0L0#12AB[ABCD"])
        return bench
    }

    @Test("an encrypted message is confirmed by an answer that was encrypted with the same key, and by no other")
    func anEncryptedMessageIsConfirmedByAnEncryptedAnswer() throws {
        let bench = try encrypted()
        let sealed = String(repeating: "0f", count: 32)
        bench.frame("\"*ACK\"0000R0L0#12AB[\(sealed)")
        #expect(
            bench.take() == [
                .compute(TransportJobID(2), .openReport(key: Self.key, [UInt8](repeating: 0x0F, count: 32)))
            ])
        bench.answer(2, Self.front + "]_12:00:01,11-21-2026".utf8)
        #expect(bench.take().orders == [.ready])
        bench.deliver(delivery("a"))
        let text = "|#12AB|1130 01 005]_12:00:00,11-21-2026"
        #expect(bench.take() == [.compute(TransportJobID(3), .sealReport(key: Self.key, text: text))])
        bench.answer(3, [1])
        #expect(bench.take().messages == ["\"*ADM-CID\"0001R0L0#12AB[01"])
    }

    @Test(
        "an answer in clear, of half a block, or that the key does not open, confirms nothing",
        arguments: [
            ("\"ACK\"0000R0L0#12AB[]", nil), ("\"*ACK\"0000R0L0#12AB[0f0f", nil), ("\"*ACK\"0000R0L0#12AB[xyz", nil),
            ("\"*ACK\"0000R0L0#12AB[\(String(repeating: "0f", count: 16))", "no time at all"),
            ("\"*ACK\"0000R0L0#12AB[\(String(repeating: "0f", count: 16))", "x_12:00:01,11-21-2026]"),
            ("\"*ACK\"0000R0L0#12AB[\(String(repeating: "0f", count: 16))", ""),
        ] as [(String, String?)])
    func anAnswerInClearConfirmsNothing(_ answer: String, _ opened: String?) throws {
        let bench = try encrypted()
        bench.frame(answer)
        if let opened { bench.answer(2, Array(opened.utf8)) }
        #expect(bench.take().contains(.close(ConnectionID(1))) && bench.channel.room == .none)
        #expect(bench.channel.health.problem?.description.includes("not encrypted as it should be") == true)
    }

    /// An encrypted answer and what the key opens it to.
    fileprivate struct Sealed {
        var bytes: [UInt8]
        var opened: [UInt8]

        /// - Parameter salt: what the receiver puts in front, which makes the bytes others
        init(_ time: WallTime, salt: UInt64) {
            bytes = (0..<32).map { UInt8(truncatingIfNeeded: salt &* 31 &+ UInt64($0)) }
            opened = ReceiverTransportTests.front + "]_\(ReceiverFrame.time(time))".utf8
        }
    }

    /// Exchanges that a run with a key has: a poll or a message each, a second or half a minute after the one before.
    private static let gaps: [Duration] = [1, 30, 1, 1, 30, 0, 30, 1, 0, 0, 30, 30].map { .seconds($0) }

    /// Plays a run up to the exchange of this number, every answer before it genuine, and answers it with `last`.
    ///
    /// - Returns: whether that answer was taken, and the genuine answers up to it
    private func run(
        to number: Int, _ last: (_ genuine: Sealed, _ record: [Sealed], Moment) -> Sealed,
        _ change: (inout ReceiverSettings) -> Void = { _ in }
    ) -> (isTaken: Bool, record: [Sealed]) {
        let bench = bench {
            $0.key = Self.key
            change(&$0)
        }
        bench.start()
        bench.connect()
        var record: [Sealed] = []
        for place in 0...number {
            if place > 0 {
                bench.wait(Self.gaps[place % Self.gaps.count])
                if bench.channel.wire?.exchange == nil { bench.deliver(delivery("m\(place)")) }
            }
            bench.seal([1])
            let genuine = Sealed(bench.now.wall, salt: UInt64(place))
            let before = bench.channel.exchanges
            bench.confirm(place == number ? last(genuine, record, bench.now) : genuine)
            record.append(genuine)
            if place == number { return (bench.channel.exchanges == before + 1, record) }
        }
        return (false, record)
    }

    @Test("of a run each recorded answer confirms nothing at any later exchange, and the genuine one confirms each")
    func eachRecordedAnswerConfirmsNothing() {
        for exchange in 0..<Self.gaps.count {
            #expect(run(to: exchange) { genuine, _, _ in genuine }.isTaken, "exchange \(exchange)")
            for recorded in 0..<exchange {
                let replayed = run(to: exchange) { _, record, _ in record[recorded] }
                #expect(!replayed.isTaken, "answer \(recorded) at exchange \(exchange)")
            }
        }
    }

    @Test(
        "an answer of another minute confirms nothing, unless the connection is encrypted or the time is not known",
        arguments: [(-60, true), (60, true), (-61, false), (61, false), (-86_400, false)])
    func anAnswerOfAnotherMinuteConfirmsNothing(off: Int64, isTaken: Bool) {
        let late: (Sealed, [Sealed], Moment) -> Sealed = { _, _, now in
            Sealed(now.wall + .seconds(off), salt: 9)
        }
        #expect(run(to: 0, late).isTaken == isTaken)
        #expect(run(to: 0, late) { $0.security = .tls(authorityFile: nil) }.isTaken)
    }

    @Test("after a restart no answer counts that is older than those before the last message")
    func afterARestartNoOlderAnswerCounts() throws {
        let (_, record) = run(to: 3) { genuine, _, _ in genuine }
        let bench = bench { $0.key = Self.key }
        bench.now.isWallTrusted = false
        bench.channel.resume(
            ReceiverRecord(sequence: 4, message: nil, answered: bench.now.wall + .seconds(20)))
        bench.start()
        bench.connect()
        bench.seal([1])
        bench.confirm(record[0])
        #expect(bench.take().lastProblem?.description.includes("may be a recorded one") == true)
        #expect(bench.waitForTimer() != nil)
        bench.connect()
        bench.seal([1])
        let later = bench.now.wall + .hours(2)
        bench.confirm(Sealed(later, salt: 7))
        #expect(bench.take().contains(.ready))
        bench.deliver(delivery("a"))
        #expect(bench.channel.record.answered?.seconds == later.seconds)
    }

    @Test("what cannot be encrypted is never sent in clear; an answer to an old job is for nobody")
    func whatCannotBeEncryptedIsNeverSentInClear() {
        let bench = bench { $0.key = Self.key }
        bench.start()
        bench.connect()
        _ = bench.take()
        bench.channel.computed(TransportJobID(9), .bytes([1]), at: bench.now, into: &bench.actions)
        #expect(bench.take().isEmpty)
        bench.channel.computed(TransportJobID(1), .failed("no"), at: bench.now, into: &bench.actions)
        #expect(bench.take().messages.isEmpty && bench.channel.health.problem?.kind == .notComputed)
        bench.answer(1, [1])
        #expect(bench.take().isEmpty)
    }
}

extension ChannelBench<ReceiverTransport> {
    /// Time of day that a message of now has.
    fileprivate var clock: String { String(ReceiverFrame.time(now.wall).prefix(8)) }

    /// The receiver confirms what waits for it.
    fileprivate func confirm() {
        guard let exchange = channel.wire?.exchange else { return }
        let settings = channel.settings
        let receiver = String(settings.receiver, radix: 16)
        let line = String(settings.line, radix: 16)
        frame("\"ACK\"\(exchange.sequence.padded(4))R\(receiver)L\(line)#\(settings.account)[]")
    }

    /// The receiver confirms what waits for it by an encrypted answer.
    fileprivate func confirm(_ sealed: ReceiverTransportTests.Sealed) {
        guard let exchange = channel.wire?.exchange else { return }
        frame("\"*ACK\"\(exchange.sequence.padded(4))R0L0#\(channel.settings.account)[\(Hex.encode(sealed.bytes))")
        guard case .decrypting(let job, _) = channel.wire?.exchange?.phase else { return }
        answer(job.number, sealed.opened)
    }

    fileprivate func frame(_ message: String) {
        say(String(decoding: ReceiverFrame.bytes(message), as: UTF8.self))
    }

    /// The message that waits for its encryption gets it.
    fileprivate func seal(_ bytes: [UInt8]) {
        guard case .encrypting(let job) = channel.wire?.exchange?.phase else { return }
        answer(job.number, bytes)
    }

    fileprivate func answer(_ job: UInt64, _ bytes: [UInt8]) {
        channel.computed(TransportJobID(job), .bytes(bytes), at: now, into: &actions)
    }
}

extension [TransportAction] {
    /// What was sent, out of its frames.
    fileprivate var messages: [String] {
        compactMap {
            if case .send(_, let bytes) = $0 {
                String(decoding: bytes.dropFirst(9).dropLast(), as: UTF8.self)
            } else {
                nil
            }
        }
    }
}
