import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Trouble with push services of browsers")
struct WebPushTroubleTests {
    @Test("nothing is taken before the box has its key; a key that cannot be had is told and asked for again")
    func nothingIsTakenBeforeTheBoxHasItsKey() {
        let rig = WebPushBench(isReady: false)
        #expect(rig.bench.take() == [.compute(TransportJobID(1), .pushKey)])
        #expect(!rig.bench.deliver(WebPushBench.delivery("m1")) && rig.bench.channel.room.alarm == 0)
        rig.computed(1, .failed("the card is full"))
        #expect(rig.bench.take().lastProblem?.description.contains("the card is full") == true)
        #expect(rig.bench.channel.health.phase == .waiting)
        rig.bench.wait(.seconds(61))
        #expect(rig.bench.take().contains(.compute(TransportJobID(2), .pushKey)))
        rig.computed(2, .bytes(WebPushBench.key))
        let told = rig.bench.take()
        #expect(told.contains(.ready) && told.contains(.problem(nil)))
        #expect(rig.bench.channel.health.isHealthy && rig.bench.channel.publicKey == WebPushBench.key)
    }

    @Test("a shell that never answers holds nothing for ever: neither the key, nor a sealing, nor a signature")
    func aShellThatNeverAnswersHoldsNothingForEver() {
        let silent = WebPushBench(isReady: false)
        silent.bench.wait(.minutes(2))
        #expect(silent.bench.actions.count { if case .compute(_, .pushKey) = $0 { true } else { false } } >= 2)
        let rig = WebPushBench()
        #expect(rig.bench.deliver(WebPushBench.delivery("m1")))
        rig.bench.wait(.seconds(16))
        #expect(rig.bench.take().lastRefusal?.reaction == .retry(first: .seconds(5), attempts: 5))
        #expect(rig.bench.deliver(WebPushBench.delivery("m2")))
        guard case .compute(let seal, .sealPush)? = rig.bench.take().first else {
            Issue.record("nothing was sealed")
            return
        }
        rig.computed(seal.number, .bytes([UInt8](repeating: 1, count: 2700)))
        rig.bench.wait(.seconds(16))
        #expect(rig.bench.take().lastRefusal?.reaction == .retry(first: .seconds(5), attempts: nil))
        #expect(rig.bench.channel.health.underWay == 0 && rig.bench.channel.nextDeadline == nil)
    }

    @Test("a service that cannot be reached holds up no other, and what was for it is tried again")
    func aServiceThatCannotBeReachedHoldsUpNoOther() {
        let rig = WebPushBench()
        let apple = WebPushBench.subscription("https://web.push.apple.com/x")
        #expect(rig.bench.deliver(WebPushBench.delivery("m1")))
        rig.compute()
        #expect(rig.send(WebPushBench.delivery("m2", to: apple), slot: 1).hasPrefix("POST /x "))
        rig.bench.refuse(slot: 0)
        rig.answer(201)
        let told = rig.bench.take()
        #expect(told.lastRefusal?.reaction == .retry(first: .seconds(1), attempts: nil))
        #expect(told.contains(.accepted(MessageID("m2"), canonical: nil)))
        #expect(rig.bench.channel.health.problem?.place == "https://fcm.googleapis.com")
        #expect(rig.bench.channel.health.phase == .ready)
    }

    @Test("a service that does not answer keeps places for alarms, and each message ends once")
    func aServiceThatDoesNotAnswerKeepsPlacesForAlarms() {
        let rig = WebPushBench()
        for number in 0..<17 {
            #expect(rig.bench.deliver(WebPushBench.delivery("s\(number)", .state)))
            rig.compute()
        }
        // The seventeenth has no place among those that are no alarms.
        #expect(rig.bench.take().lastRefusal != nil)
        for number in 0..<8 {
            #expect(rig.bench.deliver(WebPushBench.delivery("a\(number)")))
            rig.compute()
        }
        #expect(rig.bench.take().lastRefusal == nil)
        rig.bench.connect()
        // The first of the alarms goes before all others.
        rig.answer(201)
        rig.bench.wait(.minutes(2))
        let ends = rig.bench.take().compactMap { action -> MessageID? in
            switch action {
            case .accepted(let id, _), .refused(let id, _): id
            default: nil
            }
        }
        #expect(Set(ends).count == ends.count && ends.first == MessageID("a0"))
        rig.bench.stop()
        let back = rig.bench.take().compactMap { if case .returned(let ids) = $0 { ids } else { nil } }.flatMap { $0 }
        #expect(Set(ends).isDisjoint(with: back) && ends.count + back.count == 24)
    }

    @Test("stopped in the middle of everything, it gives back what it took, hears nothing more, and starts anew")
    func stoppedInTheMiddleOfEverything() {
        let rig = WebPushBench()
        _ = rig.send(WebPushBench.delivery("m1"))
        #expect(rig.bench.deliver(WebPushBench.delivery("m2")))
        let seal = rig.bench.take()
        rig.bench.stop()
        let told = rig.bench.take()
        #expect(told.contains(.notReady) && told.contains(.returned([MessageID("m1"), MessageID("m2")])))
        for case .compute(let id, _) in seal { rig.computed(id.number, .bytes([UInt8](repeating: 1, count: 2700))) }
        rig.answer(201)
        #expect(rig.bench.take().isEmpty && rig.bench.channel.nextDeadline == nil)
        rig.bench.start()
        #expect(rig.bench.take() == [.ready])
        #expect(rig.send(WebPushBench.delivery("m1")).hasPrefix("POST "))
    }

    @Test("a phone that names host after host fills no memory: sixteen services, and a quiet one makes room")
    func aPhoneThatNamesHostAfterHostFillsNoMemory() {
        let rig = WebPushBench()
        for number in 0..<20 {
            let address = WebPushBench.subscription("https://h\(number).notify.windows.com/x")
            #expect(rig.bench.deliver(WebPushBench.delivery("m\(number)", to: address)))
            rig.compute()
        }
        #expect(rig.bench.actions.connects == 16)
        #expect(rig.bench.take().count { if case .refused = $0 { true } else { false } } == 4)
        rig.bench.refuse(slot: 3)
        _ = rig.bench.take()
        let address = WebPushBench.subscription("https://h19.notify.windows.com/x")
        #expect(rig.bench.deliver(WebPushBench.delivery("again", to: address)))
        rig.compute()
        let target = DialTarget(host: "h19.notify.windows.com", port: 443, security: .tls(authorityFile: nil))
        #expect(rig.bench.take().contains(.connect(DialSlot(3), target)))
    }
}
