import AlarmModel
import Glibc
import Platform
import Testing
import Uplinks

private let internet = ModemSubscription(apn: "internet", user: "guest", password: Secret("s3cret-word"))

@Suite("The modem on the system bus", .enabled(if: PrivateBus.isPossible, "\(PrivateBus.advice)"), .serialized)
struct ModemManagerTests {
    @Test("a modem that appears later is told, with what it says of itself")
    func aModemThatAppearsLaterIsTold() throws {
        let house = try ModemHouse()
        try house.wait(for: .service(isThere: true))
        #expect(house.status == nil)
        try house.appear(pin: "1234")
        let status = try house.status("the modem") { $0.phase == .locked }
        #expect(status.lock == .pin)
        #expect(status.triesLeft == 3)
        #expect(status.name == "QUECTEL EC25 [31m", "control characters of a modem reach no terminal")
        #expect(status.bearer == nil)
    }

    @Test("a modem that was there before, and its connection, are told at once")
    func aModemThatWasThereBefore() throws {
        let house = try ModemHouse()
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        #expect(try house.order(.connect(internet)) == nil)
        var late: [ModemFact] = []
        let other = ModemManagerBus(on: house.bus.loop, address: house.bus.address) { late.append($0) }
        defer { other.close() }
        try house.bus.wait(for: "the same status") { late.last == house.status.map { .modem($0) } }
        #expect(late.first == .service(isThere: true))
        let count = late.count
        other.carryOut(.find)
        try house.bus.wait(for: "the end of the search") { late.contains(.done(.find)) }
        #expect(late.count == count + 2, "the search tells what is known already")
    }

    @Test("the SIM is opened; a wrong PIN costs a try, is told as such, and is never repeated in words")
    func theSIMIsOpenedAWrongPINCostsATryIsToldAsSuchAndIsNever() throws {
        let house = try ModemHouse()
        try house.appear(pin: "1234")
        try house.status("the modem") { $0.phase == .locked }
        let refusal = try #require(try house.order(.unlock(pin: Secret("9999"))))
        #expect(refusal.kind == .wrongPIN)
        #expect(refusal.words == "Incorrect password ****")
        try house.status("the count of tries") { $0.triesLeft == 2 }
        #expect(try house.order(.unlock(pin: Secret("1234"))) == nil)
        try house.status("the open SIM") { $0.lock == .none && $0.phase == .disabled }
        #expect(try house.heard() == ["SendPin 9999", "SendPin 1234"])
    }

    @Test("enabled, registered, connected, dropped, and connected again")
    func enabledRegisteredConnectedDroppedAndConnectedAgain() throws {
        let house = try ModemHouse()
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        #expect(try house.order(.enable) == nil)
        let registered = try house.status("the network") { $0.phase == .registered && $0.registration == .home }
        #expect(registered.signal == 71)
        #expect(registered.access == .fourth)
        #expect(registered.operatorName == "Telekom .de")
        #expect(registered.canText)

        #expect(try house.order(.connect(internet)) == nil)
        let online = try #require(house.status?.bearer, "the bearer is told before the order is done")
        #expect(online.interface == "wwan0")
        #expect(online.addresses == [try #require(IPAddress("10.65.1.2"))])
        #expect(online.nameServers.map(\.description) == ["10.74.210.210", "10.74.210.211"])
        #expect(online.ipv4?.method == .fixed)
        #expect(online.ipv4?.prefix == 30)
        #expect(online.ipv4?.mtu == 1430)
        #expect(online.ipv6 == nil)
        let heard = try house.heard().last
        #expect(
            heard == "Connect allow-roaming=0 apn=internet ip-type=4 password=s3cret-word user=guest")

        try house.control("BearerDrops")
        try house.status("the drop") { $0.bearer == nil }
        #expect(try house.order(.connect(internet)) == nil)
        #expect(house.status?.bearer != nil)
        #expect(try house.order(.disconnect) == nil)
        try house.status("the end") { $0.bearer == nil && $0.phase == .registered }
    }

    @Test("a refused connection is told in the service's words, without the password")
    func aRefusedConnectionIsToldInTheServicesWords() throws {
        let house = try ModemHouse()
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        try house.control(
            "FailNext", [.string("Connect"), .string("Core.Failed"), .string("no s3cret-word\n\u{1B}[2J")])
        let failure = try #require(try house.order(.connect(internet)))
        #expect(failure == ModemFailure(.other, "no ****  [2J"))
        try house.control("FailNext", [.string("Connect"), .string("Core.Unauthorized"), .string("no")])
        #expect(try house.order(.connect(internet))?.kind == .notAllowed)
    }

    @Test("a reset takes the modem away and it comes back; so it is when it is pulled out")
    func aResetTakesTheModemAwayAndItComesBack() throws {
        let house = try ModemHouse()
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        #expect(try house.order(.reset) == nil)
        try house.wait(for: .modem(nil))
        try house.status("the modem") { $0.phase == .disabled }
        try house.control("ModemVanishes")
        try house.bus.wait(for: "its going") { house.status == nil }
        #expect(try house.order(.reset)?.kind == .noModem)
        #expect(try house.order(.find) == nil)
        #expect(try house.heard().last == "ScanDevices")
    }

    @Test("a text message is made, sent and cleared away; one that fails is told")
    func aTextMessageIsMade() throws {
        let house = try ModemHouse()
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        let message = TextMessage(id: TextID(7), number: "+4917012345", text: "ALARM: Küche £")
        #expect(try house.order(.sendText(message)) == nil)
        try house.wait(for: .textSent(TextID(7)))
        try house.bus.wait(for: "the clearing") { try house.heard().last == "Delete SMS" }
        #expect(
            try house.heard() == ["Create +4917012345 ALARM: Küche £", "Send +4917012345", "Delete SMS"])
        try house.control("FailNext", [.string("Send"), .string("Core.Failed"), .string("no credit")])
        #expect(try house.order(.sendText(message)) == ModemFailure(.other, "no credit"))
    }

    @Test(
        "from our first text on what lay there and what comes is told once and deleted, and ours is not taken for one")
    func aTextThatLayThereAndOneThatComes() throws {
        let house = try ModemHouse()
        try house.control("TextLiesThere", [.string("+431"), .string("OK")])
        try house.appear()
        // Before a text of ours nothing can be an answer.
        #expect(try house.order(.find) == nil)
        #expect(try house.control("Texts").first?.elements?.count == 1)
        #expect(house.received.isEmpty)
        try house.sendText()
        try house.bus.wait(for: "the first") { house.received == ["+431: OK"] }
        _ = try house.textArrives("+432" + String(repeating: "1", count: 50), String(repeating: "é", count: 50))
        let long = "+432\(String(repeating: "1", count: 28)): \(String(repeating: "é", count: 32))"
        try house.bus.wait(for: "the second") { house.received.last == long }
        try house.bus.wait(for: "an empty SIM") { try house.control("Texts").first?.elements == [] }
        #expect(house.received.count == 2)
        #expect(try house.heard().count { $0 == "Delete SMS" } == 3)
    }

    @Test("a text in parts is told when it is there")
    func aTextInPartsIsToldWhenItIsThere() throws {
        let house = try ModemHouse()
        try house.appear()
        try house.sendText()
        let path = try house.textArrives("+431", "O", state: 2)
        _ = try house.textArrives("+432", "seen")
        try house.bus.wait(for: "the other") { house.received == ["+432: seen"] }
        try house.control("TextCompletes", [.string(path), .string("OK")])
        try house.bus.wait(for: "the whole") { house.received == ["+432: seen", "+431: OK"] }
        try house.bus.wait(for: "an empty SIM") { try house.control("Texts").first?.elements == [] }
    }

    @Test("a text whose rest does not come is deleted; a deletion that fails is tried again, and nothing is told twice")
    func aTextWhoseRestDoesNotComeIsDeleted() throws {
        let house = try ModemHouse(textPatience: .milliseconds(100))
        try house.appear()
        try house.sendText()
        _ = try house.textArrives("+431", "never", state: 2)
        try house.bus.wait(for: "an empty SIM") { try house.control("Texts").first?.elements == [] }
        #expect(house.received.isEmpty)
        try house.control("FailNext", [.string("Delete"), .string("Core.WrongState"), .string("not now")])
        _ = try house.textArrives("+431", "OK")
        try house.bus.wait(for: "an empty SIM") { try house.control("Texts").first?.elements == [] }
        #expect(try house.heard().count { $0 == "Delete SMS" } == 4)
        #expect(house.received == ["+431: OK"])
    }

    @Test("of a flood 20 a minute are told, and all are deleted; a report is no text")
    func ofAFlood20AMinuteAreTold() throws {
        let house = try ModemHouse()
        try house.appear()
        try house.sendText()
        try house.control("ReportArrives")
        for number in 1...25 { _ = try house.textArrives("+43\(number)", "OK") }
        try house.bus.wait(for: "an empty SIM") { try house.heard().count { $0 == "Delete SMS" } == 27 }
        #expect(house.received == (1...20).map { "+43\($0): OK" })
    }

    @Test("the service goes and comes back")
    func theServiceGoesAndComesBack() throws {
        let house = try ModemHouse()
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
        try house.bus.endServices()
        try house.wait(for: .service(isThere: false))
        try house.bus.wait(for: "the modem's going") { house.status == nil }
        #expect(try house.order(.find)?.kind == .noModem)
        try house.playService()
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
    }

    @Test("the bus goes under a call, which is told, and comes back")
    func theBusGoesUnderACall() throws {
        let house = try ModemHouse()
        try house.appear(pin: "1234")
        try house.status("the modem") { $0.phase == .locked }
        house.bus.freezeServices()
        house.modem?.carryOut(.unlock(pin: Secret("1234")))
        var answers: [ModemFailure] = []
        house.onFact = { if case .failed(.unlock, let failure) = $0 { answers.append(failure) } }
        try house.bus.stop()
        try house.bus.wait(for: "the modem's going and the answer") { house.status == nil && !answers.isEmpty }
        #expect(answers.count == 1)
        #expect(answers.first?.kind != .noModem, "the PIN may have got as far as the SIM")
        #expect(try house.order(.enable)?.kind == .noModem)
        try house.bus.endServices()
        try house.bus.start()
        try house.playService()
        try house.appear()
        try house.status("the modem") { $0.phase == .disabled }
    }

    @Test("the session brings the modem up over the bus, and up again after it was pulled out")
    func theSessionBringsTheModemUpOverTheBus() throws {
        let house = try ModemHouse()
        defer { house.end() }
        let loop = house.bus.loop
        var actions: [ModemAction] = []
        let settings = ModemSettings(pin: Secret("1234"), subscription: internet)
        // A clock ten times as fast as ours: the session's pauses are not what is tested here.
        let start = SystemClock.bootTime()
        func now() -> Moment {
            let boot = start + (SystemClock.bootTime() - start) * 10
            return Moment(boot: boot, wall: WallTime(milliseconds: 0), isWallTrusted: false)
        }
        var session = ModemSession(settings: settings, at: now())
        var bearers: [ModemBearer?] = []
        func carryOut() {
            let due = actions
            actions = []
            for action in due {
                switch action {
                case .order(let order): house.modem?.carryOut(order)
                case .bearer(let bearer): bearers.append(bearer)
                case .problem, .textsReady, .pinRefused: break
                }
            }
        }
        house.onFact = {
            session.heard($0, at: now(), into: &actions)
            carryOut()
        }
        func tick() {
            session.timerFired(at: now(), into: &actions)
            carryOut()
            loop.setTimer(after: .milliseconds(20)) { tick() }
        }
        session.start(at: now(), into: &actions)
        session.setWanted(true, at: now(), into: &actions)
        carryOut()
        tick()
        try house.appear(pin: "1234")
        try house.bus.wait(for: "the connection") { bearers.last??.interface == "wwan0" }
        #expect(session.report.step == .connected)
        try house.control("ModemVanishes")
        try house.bus.wait(for: "the drop") { bearers.count == 2 && bearers[1] == nil }
        try house.appear(pin: "1234")
        try house.bus.wait(for: "the connection") { bearers.count == 3 && bearers[2] != nil }
        #expect(try house.heard().count { $0 == "SendPin 1234" } == 2)
    }
}
