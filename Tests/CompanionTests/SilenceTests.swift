import Companion
import PhoneProtocol
import Testing

@Suite("A box that falls silent")
struct SilenceTests {
    /// Met once, with a heartbeat promised each 15 min.
    private func house() throws -> PairedHouse {
        var house = try PairedHouse()
        house.box.interval = 900
        house.meet()
        #expect(house.phone.memory.view.lastContact == house.time.wall)
        return house
    }

    private func alerts(_ house: PairedHouse) -> [PhoneAction] {
        house.actions.filter { action in
            switch action {
            case .overdue, .heardAgain: true
            case .store, .send, .sign, .arrived, .numbered, .changed, .listed, .picture, .answered, .command,
                .welcomed, .left:
                false
            }
        }
    }

    @Test("after two intervals and a minute the box is asked, and without an answer the alert comes once")
    func afterTwoIntervalsAndAMinuteTheBoxIsAsked() throws {
        var house = try house()
        let since = house.time.wall
        house.pass(seconds: 1859)
        #expect(house.sent().isEmpty)
        #expect(house.phone.nextDeadline == house.time.uptime + 1000)
        house.pass(seconds: 1)
        #expect(alerts(house).isEmpty)
        #expect(house.sent().count == 1)
        house.pass(seconds: 10)
        #expect(alerts(house) == [.overdue(since: since)])
        #expect(house.phone.memory.view.overdueSince == since)
        house.actions = []
        for _ in 0..<50 { house.pass(seconds: 600) }
        #expect(alerts(house).isEmpty)
    }

    @Test("a box that answers when it is asked is not overdue: its heartbeats were lost on the way")
    func aBoxThatAnswersWhenItIsAskedIsNotOverdue() throws {
        var house = try house()
        for _ in 0..<10 {
            house.pass(seconds: 1860)
            house.talk()
            house.pass(seconds: 10)
            #expect(alerts(house).isEmpty)
        }
    }

    @Test("heartbeats keep the alert away, whatever the clock of the box says", arguments: [0, -1_000_000, 1_000_000])
    func heartbeatsKeepTheAlertAway(offset: Int64) throws {
        var house = try house()
        house.box.now += offset
        for _ in 0..<100 {
            house.pass(seconds: 900)
            house.phoneHears(house.box.heartbeat())
            #expect(house.phone.memory.view.lastContact == house.time.wall)
        }
        #expect(alerts(house).isEmpty)
        #expect(house.sent().isEmpty)
    }

    @Test("a replayed heartbeat, and one that was held back since before the silence, is no contact")
    func aReplayedHeartbeat() throws {
        var house = try house()
        house.pass(seconds: 800)
        let old = house.box.heartbeat()
        house.phoneHears(old)
        let contact = house.phone.memory.view.lastContact
        let held = (1...20).map { step in
            var later = house.box
            later.up += Int64(step) * 10
            later.now += Int64(step) * 10
            return later.heartbeat()
        }
        // The box is dead now.
        for envelope in held {
            house.pass(seconds: 120)
            house.phoneHears(old)
            house.phoneHears(envelope)
        }
        #expect(house.phone.memory.view.lastContact.map { $0 - (contact ?? 0) <= 201 } == true)
        #expect(alerts(house).count == 1)
    }

    @Test("any word of the box ends it, and the end is told once")
    func anyWordOfTheBoxEndsIt() throws {
        var house = try house()
        let since = house.time.wall
        house.pass(seconds: 1860)
        house.pass(seconds: 10)
        house.actions = []
        house.phoneHears(house.box.store(house.row(1)))
        #expect(alerts(house) == [.heardAgain(since: since)])
        #expect(house.phone.memory.view.overdueSince == nil)
        house.actions = []
        house.phoneHears(house.box.heartbeat())
        #expect(alerts(house).isEmpty)
    }

    @Test("an app that is started anew knows how long it was, and does not tell twice")
    func anAppThatIsStartedAnewKnowsHowLongItWas() throws {
        var house = try house()
        let since = house.time.wall
        func again(_ house: inout PairedHouse) throws {
            let secrets = try #require(house.phone.secrets)
            house.phone = PairedPhone(
                secrets: secrets, memory: house.phone.memory, crypto: SeededCrypto(seed: 9),
                signers: try PairedHouse.signers())
            house.actions = []
        }
        try again(&house)
        // Another clock of a phone that was switched off for an hour.
        house.time = PhoneTime(uptime: 10_000, wall: house.time.wall + 3600)
        #expect(house.phone.nextDeadline == 0)
        house.pass(seconds: 1)
        #expect(house.sent().count == 1)
        house.pass(seconds: 10)
        #expect(alerts(house) == [.overdue(since: since)])
        try again(&house)
        house.pass(seconds: 3600)
        #expect(alerts(house).isEmpty)
    }

    @Test("a box that promises no heartbeat is never overdue, also when it promised one before")
    func aBoxThatPromisesNoHeartbeatIsNeverOverdue() throws {
        var house = try house()
        house.box.interval = nil
        house.pass(seconds: 60)
        house.phoneHears(house.box.heartbeat())
        house.actions = []
        for _ in 0..<100 { house.pass(seconds: 3600) }
        #expect(alerts(house).isEmpty)
        #expect(house.sent().isEmpty)
    }

    @Test("a step of the phone's own clock makes no alert while the box answers", arguments: [7200, -7200])
    func aStepOfThePhonesOwnClockMakesNoAlertWhileTheBoxAnswers(step: Int64) throws {
        var house = try house()
        house.pass(seconds: 60)
        house.time.wall += step
        for _ in 0..<12 {
            house.pass(seconds: 900)
            house.phoneHears(house.box.heartbeat())
            house.talk()
            #expect(alerts(house).isEmpty)
        }
    }
}
