import AlarmModel
import Companion
import PhoneProtocol
import Testing

@Suite("What the phone shows of the house")
struct HouseViewTests {
    @Test("a late event changes the log and not the state")
    func aLateEventChangesTheLogAndNotTheState() throws {
        var house = try PairedHouse()
        let first = house.box.store(house.row(1, state: "a=d;r=1;al=0;t=0;z=;x="))
        let second = house.box.store(house.row(2, state: "a=a;r=0;al=0;t=0;z=3;x=4"))
        house.phoneHears(second)
        house.phoneHears(first)
        let shown = try #require(house.phone.memory.view.state?.partition(1))
        #expect(shown.arming == .away)
        #expect(shown.openZones == [3])
        #expect(shown.bypassedZones == [4])
        #expect(house.phone.memory.log.events.count == 2)
    }

    /// Attack 15 of the reference.
    @Test("old statuses and heartbeats, replayed while the box is off, change neither state nor contact")
    func oldStatusesAndHeartbeats() throws {
        var house = try PairedHouse()
        house.phoneHears(house.box.store(house.row(1, state: "a=d;r=1;al=0;t=0;z=;x=")))
        let oldHeartbeat = house.box.heartbeat()
        house.phoneHears(oldHeartbeat)
        house.pass(seconds: 60)
        house.phoneHears(house.box.store(house.row(2, state: "a=a;r=0;al=0;t=0;z=;x=")))
        let newHeartbeat = house.box.heartbeat()
        house.phoneHears(newHeartbeat)
        let view = house.phone.memory.view
        let contact = try #require(view.lastContact)
        house.pass(seconds: 3600)
        for _ in 0..<5 {
            house.phoneHears(oldHeartbeat)
            house.phoneHears(newHeartbeat)
        }
        #expect(house.phone.memory.view == view)
        #expect(house.phone.memory.view.lastContact == contact)
        #expect(house.phone.memory.view.isStale(at: house.time))
        #expect(!house.phone.memory.view.isTwoBoxes)
    }

    /// Attack 16 of the reference.
    @Test("an event of an old journal is ignored, and one sealed with another key too")
    func anEventOfAnOldJournalIsIgnored() throws {
        var house = try PairedHouse()
        let old = house.box.store(house.row(1))
        house.box.renewLog()
        house.phoneHears(house.box.store(house.row(7)))
        let before = house.phone.memory
        house.phoneHears(old)
        #expect(house.phone.memory == before)
        var other = try PairedHouse(seed: 77)
        other.box.log = 0x99
        house.phoneHears(other.box.store(house.row(8)))
        #expect(house.phone.memory == before)
        #expect(house.phone.refused == 1)
    }

    @Test("every bit of an envelope counts")
    func everyBitOfAnEnvelopeCounts() throws {
        var house = try PairedHouse()
        let envelope = house.box.heartbeat()
        let before = house.phone.memory
        for bit in 0..<(envelope.count * 8) {
            var bent = envelope
            bent[bit / 8] ^= 1 << UInt8(bit % 8)
            house.phoneHears(bent)
        }
        #expect(house.phone.memory == before)
        #expect(house.phone.refused == envelope.count * 8)
        #expect(house.actions.isEmpty)
    }

    @Test(
        "the state is stale five minutes after it was true, by an answer's question and not by a wrong clock of the box"
    )
    func theStateIsStaleFiveMinutesAfterItWasTrue() throws {
        var house = try PairedHouse()
        #expect(house.phone.memory.view.isStale(at: house.time))
        house.box.now -= 86_400
        house.meet()
        #expect(!house.phone.memory.view.isStale(at: house.time))
        house.pass(seconds: 300)
        #expect(!house.phone.memory.view.isStale(at: house.time))
        house.pass(seconds: 1)
        #expect(house.phone.memory.view.isStale(at: house.time))
    }

    @Test("a sign of life without the state leaves what is known as it is, and as old")
    func aSignOfLifeWithoutTheStateLeavesWhatIsKnownAsItIs() throws {
        var house = try PairedHouse()
        house.meet()
        let known = house.phone.memory.view.state
        let asOf = house.phone.memory.view.asOf
        try #require(known != nil)
        house.pass(seconds: 60)
        house.box.state = ""
        house.phoneHears(house.box.heartbeat())
        #expect(house.phone.memory.view.state == known)
        #expect(house.phone.memory.view.asOf == asOf)
        #expect(house.phone.memory.view.lastContact == house.time.wall)
    }

    @Test("a heartbeat that was held back does not look fresh")
    func aHeartbeatThatWasHeldBackDoesNotLookFresh() throws {
        var house = try PairedHouse()
        let heartbeat = house.box.heartbeat()
        house.pass(seconds: 3600)
        house.phoneHears(heartbeat)
        #expect(house.phone.memory.view.isStale(at: house.time))
        #expect(house.phone.memory.view.lastContact == house.time.wall - 3600)
    }

    @Test("two boxes with one key are told: by two contents of one row, or by answers from an earlier life")
    func twoBoxesWithOneKeyAreTold() throws {
        var house = try PairedHouse()
        var copy = house.box
        house.phoneHears(house.box.store(house.row(1)))
        house.phoneHears(copy.store(house.row(2)))
        #expect(house.phone.memory.view.isTwoBoxes)

        house = try PairedHouse()
        house.meet()
        house.pass(seconds: 60)
        house.meet()
        house.box.up = 5
        house.meet()
        #expect(!house.phone.memory.view.isTwoBoxes)
        house.meet()
        #expect(house.phone.memory.view.isTwoBoxes)
    }

    @Test("a box whose card takes no count of its starts is no second box, and its answers count")
    func aBoxWhoseCardTakesNoCountIsNoSecondBox() throws {
        var house = try PairedHouse()
        house.box.isStartUnstored = true
        for _ in 0..<3 {
            house.box.up = 500
            house.meet()
            house.pass(seconds: 60)
            house.box.up = 5
            house.box.state = house.box.state == "a=d" ? "a=a" : "a=d"
            house.meet()
            #expect(house.phone.memory.view.lastContact == house.time.wall)
            #expect(house.phone.memory.view.state == HouseState(house.box.state))
        }
        #expect(!house.phone.memory.view.isTwoBoxes)

        // Once the card has taken it no other start has this count.
        house.box.isStartUnstored = false
        house.box.up = 500
        house.meet()
        house.box.up = 5
        house.meet()
        house.meet()
        #expect(house.phone.memory.view.isTwoBoxes)
    }

    @Test("only an answer tells of another start with the same count: what was held back is no contact")
    func onlyAnAnswerTellsOfAnotherStartWithTheSameCount() throws {
        var house = try PairedHouse()
        house.box.isStartUnstored = true
        house.box.up = 5
        let old = house.box.heartbeat()
        house.box.up = 500
        house.meet()
        let contact = house.phone.memory.view.lastContact
        house.pass(seconds: 60)
        house.phoneHears(old)
        #expect(house.phone.memory.view.lastContact == contact)
    }

    @Test("what the box does not know is unknown, and a word that is not known too")
    func whatTheBoxDoesNotKnowIsUnknown() throws {
        let state = try #require(HouseState("a=?;r=?;al=?;t=?;z=?;x=", partition: 2))
        let partition = try #require(state.partition(2))
        #expect(partition.arming == nil)
        #expect(partition.isReady == nil)
        #expect(partition.isInAlarm == nil)
        #expect(partition.trouble == nil)
        #expect(partition.openZones == nil)
        #expect(partition.bypassedZones == [])
        #expect(HouseState("") == nil)
        #expect(HouseState("p=1;a=s|p=3;a=x;al=1")?.partition(3)?.arming == .exitDelay)
    }
}
