import AlarmModel
import PhoneLink
import Testing

@testable import ApplianceCore

@Suite("What happens again and again is told a few times, then seldom")
struct StormFilterTests {
    private var filter = StormFilter()
    private var now = Moment(boot: .zero, wall: WallTime(milliseconds: 1_750_000_000_000), isWallTrusted: true)
    private var told: [(at: Duration, event: Event)] = []

    private mutating func pass(_ span: Duration) {
        let target = now.boot + span
        while let due = filter.nextDeadline, due <= target {
            move(to: max(due, now.boot))
            for held in filter.takeDue(at: now) {
                offer(held.event, about: held.about)
            }
        }
        move(to: target)
    }

    private mutating func move(to time: BootTime) {
        now.wall = now.wall + (time - now.boot)
        now.boot = time
    }

    private mutating func offer(_ event: Event, about: EventAbout? = nil) {
        if filter.passes(event, about: about, to: nil, at: now.boot) { told.append((now.boot - .zero, event)) }
    }

    private mutating func offer(
        _ type: EventType, _ code: String, zone: Int? = nil, flags: EventFlags = [], about: EventAbout? = nil
    ) {
        let event = Event(
            type: type, code: code, raw: code, message: "something", time: now.wall, isTimeTrusted: true, zone: zone,
            flags: flags)
        offer(event, about: about)
    }

    private mutating func offer(_ type: EventType, _ code: EventCode, about: EventAbout? = nil) {
        offer(type, code.rawValue, about: about)
    }

    @Test("four times at once, then after 5, 10, 20 minutes and so on up to two hours, with the newest and how often")
    mutating func fourTimesAtOnceThenAfterPausesThatGrow() {
        for _ in 0..<600 {
            offer(.fault, .panelOffline)
            pass(.seconds(30))
            offer(.recovery, .panelOnline)
            pass(.seconds(30))
        }
        // 4 are told in the first two minutes; the pause begins with the fourth.
        let minutes = told.map { Int($0.at.milliseconds / 60_000) }
        #expect(minutes == [0, 0, 1, 1, 6, 16, 36, 76, 156, 276, 396, 516])
        let fifth = told[4].event.message
        #expect(fifth == "something. That was 1 minute ago, number 13 within 7 minutes; not each is sent.")
        pass(.hours(3))
        #expect(told.count == 13, "the last one is told, too")
        #expect(told.last?.event.code == EventCode.panelOnline.rawValue, "and it says how things are now")
        #expect(told.last?.event.message.contains("number 1200") == true)
        pass(.hours(24))
        #expect(told.count == 13)
    }

    @Test("a fault that is told a few times only is told at once each time")
    mutating func aFaultThatIsToldAFewTimesOnlyIsToldAtOnce() {
        for _ in 0..<5 {
            offer(.fault, .linkLost, about: .link("house"))
            offer(.recovery, .linkRestored, about: .link("house"))
            pass(.hours(5))
        }
        #expect(told.count == 10)
        #expect(told.allSatisfy { $0.event.message == "something" })
    }

    @Test("one channel, link, zone or panel trouble that comes and goes hides no other; the end belongs to its fault")
    mutating func oneThatComesAndGoesHidesNoOther() {
        for _ in 0..<10 {
            offer(.fault, .pushOffline, about: .channel(.ntfy))
            offer(.recovery, .pushOnline, about: .channel(.ntfy))
            offer(.fault, "802")
            offer(.recovery, "803")
            pass(.seconds(1))
        }
        #expect(told.count == 8)
        offer(.fault, .pushOffline, about: .channel(.fcm))
        offer(.fault, "800")
        offer(.fault, "605", zone: 3)
        offer(.fault, "605", zone: 4)
        #expect(told.count == 12)
    }

    @Test("all together cost at most 60 messages in any day, and what was not told yet has a part of it for itself")
    mutating func allTogetherCostAtMost60MessagesADay() {
        for minute in 0..<(3 * 1440) {
            for zone in 1...8 {
                offer(minute % 2 == 0 ? .fault : .recovery, minute % 2 == 0 ? "605" : "606", zone: zone)
            }
            if minute == 1440 { offer(.fault, "802") }
            pass(.minutes(1))
        }
        for index in told.indices {
            let day = told[index...].prefix { $0.at - told[index].at < .hours(24) }
            #expect(day.count <= 60)
        }
        #expect(told.contains { $0.event.code == "802" && $0.at == .hours(24) }, "a fault that is new is told at once")
        #expect(told.count { $0.at < .hours(24) } > 40, "the budget is used")
    }

    @Test("alarms, arming, what people do, duress and test mode are never held back and use up nothing")
    mutating func alarmsAreNeverHeldBack() {
        for _ in 0..<200 {
            offer(.alarm, "601", zone: 3)
            offer(.armed, "652")
            offer(.disarmed, "655")
            offer(.response, .command)
            offer(.info, .seen)
            offer(.fault, "802", flags: .duress)
            offer(.fault, "802", flags: .maintenance)
        }
        #expect(told.count == 1400)
        offer(.fault, "802")
        #expect(told.count == 1401)
    }

    @Test("a flapping zone is told of once, then after pauses, for each class apart; its alarms always are")
    mutating func aFlappingZoneIsToldOfOnce() {
        func zones(_ type: EventType) -> [Int?] { told.filter { $0.event.type == type }.map(\.event.zone) }
        for zone in [3, 3, 4] { offer(.info, "609", zone: zone, flags: .flapping) }
        #expect(zones(.info) == [3, 4])
        offer(.fault, "605", zone: 3, flags: .flapping)
        #expect(zones(.fault) == [3])
        offer(.alarm, "601", zone: 3, flags: .flapping)
        offer(.alarm, "601", zone: 3, flags: .flapping)
        #expect(zones(.alarm) == [3, 3])
        pass(.seconds(299))
        #expect(zones(.info) == [3, 4])
        pass(.seconds(1))
        #expect(zones(.info) == [3, 4, 3])
        offer(.info, "609", zone: 4)
        #expect(zones(.info) == [3, 4, 3, 4], "one that does not flap is told as ever")
    }

    @Test("a house of faults fills no memory: what holds nothing back is forgotten first")
    mutating func aHouseOfFaultsFillsNoMemory() {
        for number in 0..<2000 {
            offer(.fault, .phoneNoise, about: .phone(PhoneID(UInt64(number))))
            pass(.milliseconds(1))
        }
        #expect(told.count == StormFilter.burst)
        pass(.hours(24))
        #expect(told.count == StormFilter.burst + 24)
    }
}
