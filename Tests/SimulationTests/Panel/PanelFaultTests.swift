import AlarmModel
import PanelLink
import Simulators
import Testing

@Suite("Each switch makes the simulated module misbehave in its own way")
struct PanelFaultTests {
    private func bench(_ fault: PanelFault, house: SimulatedHouse = .sample, seed: UInt64 = 1) -> PanelBench {
        var bench = PanelBench(house: house, seed: seed)
        bench.logIn()
        bench.act(.fault(fault))
        bench.forget()
        return bench
    }

    @Test("fragments are one byte, cut before LF, or cut anywhere, and add up to the lines")
    func fragmentsAreOneByte() {
        var bytes = bench(.fragment(.bytes))
        bytes.act(.open(zone: 3))
        #expect(bytes.sends.allSatisfy { $0.count == 1 })
        #expect(bytes.texts() == ["609003", "51080", "6511"])
        var ends = bench(.fragment(.crlf))
        ends.act(.phoneRing)
        #expect(ends.sends == [Array("5609B\r".utf8), [10]])
        var anywhere = bench(.fragment(.anywhere))
        anywhere.act(.open(zone: 3))
        #expect(anywhere.sends.count > 3)
        #expect(anywhere.texts() == ["609003", "51080", "6511"])
    }

    @Test("a coalesced status report is one segment")
    func aCoalescedStatusReportIsOneSegment() {
        var bench = bench(.coalesce(true))
        bench.send("001")
        bench.wait(.seconds(1))
        #expect(bench.sends.count == 1)
        #expect(bench.texts().count == 1 + 64 + 8 + 8 + 2)
    }

    @Test("wrong and lower-case checksums")
    func wrongAndLowerCaseChecksums() {
        var wrong = bench(.badChecksum(1))
        wrong.act(.phoneRing)
        wrong.act(.phoneRing)
        #expect(wrong.sends == [Array("5600B\r\n".utf8), Array("5609B\r\n".utf8)])
        var lower = bench(.lowercase(true))
        lower.act(.phoneRing)
        #expect(lower.sends == [Array("5609b\r\n".utf8)])
    }

    @Test("garbage comes before the line and never inside it")
    func garbageComesBeforeTheLineAndNeverInsideIt() {
        for seed in 1...20 {
            var bench = bench(.garbage(1), seed: UInt64(seed))
            bench.act(.phoneRing)
            #expect(bench.sends.count == 2)
            #expect(bench.sends.first?.last == 10 || bench.sends.first?.last == 13)
            #expect(bench.sends.last == Array("5609B\r\n".utf8))
        }
    }

    @Test("silent takes commands and says nothing; deaf stops reading too, and both end")
    func silentTakesCommandsAndSaysNothing() {
        var bench = bench(.silent(.deaf))
        #expect(bench.panel.truth.hasSession)
        bench.act(.open(zone: 3))
        bench.send("000")
        bench.wait(.seconds(10))
        #expect(bench.sends.isEmpty)
        bench.act(.fault(.silent(.off)))
        #expect(bench.actions.last?.action == .resumeReading(bench.client))
        bench.send("000")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500000"])
        bench.act(.fault(.silent(.deaf)))
        #expect(bench.actions.last?.action == .stopReading(bench.client))
    }

    @Test("a second client is reset, closed or left without a word, and the first stays")
    func aSecondClientIsReset() {
        let other = ConnectionID(2)
        var bench = bench(.secondClient(.reset))
        bench.connect(other)
        #expect(bench.actions.map(\.action) == [.reset(other)])
        bench.act(.fault(.secondClient(.finish)))
        bench.forget()
        bench.connect(other)
        #expect(bench.actions.map(\.action) == [.close(other)])
        bench.act(.fault(.secondClient(.silence)))
        bench.forget()
        bench.connect(other)
        bench.wait(.seconds(15))
        #expect(bench.actions.isEmpty)
        bench.send("000")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500000"])
    }

    @Test("after an abrupt loss newcomers are reset for a while; after a vanished client for three minutes")
    func afterAnAbruptLossNewcomersAreResetForAWhile() {
        let other = ConnectionID(2)
        var bench = bench(.staleSession(.seconds(90)))
        bench.close(why: .reset)
        bench.connect(other)
        #expect(bench.actions.map(\.action) == [.reset(other)])
        bench.wait(.seconds(90))
        bench.forget()
        bench.connect(other)
        #expect(bench.sends == [Array("5053CD\r\n".utf8)])
        bench.act(.clientVanished)
        bench.wait(.seconds(179))
        bench.forget()
        bench.connect(ConnectionID(3))
        #expect(bench.actions.map(\.action) == [.reset(ConnectionID(3))])
    }

    @Test("an answer that is slow, lost, wrong or late")
    func anAnswerThatIsSlow() {
        var slow = bench(.slowAck(.seconds(3)))
        var start = slow.now
        slow.send("000")
        slow.wait(.seconds(1))
        slow.send("000")
        slow.wait(.seconds(5))
        #expect(slow.timed(since: start) == ["1000 502001", "3020 500000"])
        var lost = bench(.noAck(1))
        lost.send("030", "1")
        lost.wait(.seconds(1))
        #expect(lost.texts() == ["51083", "6561"])
        var wrong = bench(.wrongAck(1))
        wrong.send("030", "1")
        wrong.wait(.milliseconds(100))
        #expect(wrong.texts() == ["500000"])
        var late = bench(.lateAck(.seconds(6)))
        start = late.now
        late.send("030", "1")
        late.wait(.seconds(10))
        #expect(late.timed(since: start) == ["220 51083", "220 6561", "6020 500030"])
        var before = bench(.eventBeforeAck(1))
        before.send("030", "1")
        before.wait(.seconds(1))
        #expect(before.texts() == ["51081", "51083", "6561", "500030"])
    }

    @Test("busy so many times, then done; the poll is answered all the while")
    func busySoManyTimes() {
        var bench = bench(.busy(PanelFaults.Busy(code: 10, times: 2)))
        for _ in 1...3 {
            bench.send("030", "1")
            bench.wait(.milliseconds(100))
            bench.send("000")
            bench.wait(.milliseconds(500))
        }
        #expect(bench.texts() == ["502010", "500000", "502010", "500000", "500030", "500000", "51083", "6561"])
    }

    @Test("refused lines: 501 as real modules, 025 and 027 as the vendor says")
    func refusedLines501AsRealModules025And027AsTheVendorSays() {
        var bench = bench(.quirk501(false))
        bench.send("071", "1*10602#")
        bench.wait(.seconds(1))
        bench.send("040", "1secre")
        bench.wait(.seconds(1))
        bench.act(.fault(.quirk501(true)))
        bench.send("071", "1*10602#")
        bench.wait(.seconds(1))
        bench.send("040", "1secre")
        bench.wait(.seconds(1))
        bench.sendRaw(Array("000FF\r\n040110048a\r\n".utf8))
        #expect(bench.texts() == ["502025", "502027", "501", "501", "501", "501"])
    }

    @Test("a reboot cuts a line, resets, refuses for a while, and forgets what the zones were")
    func aRebootCutsALine() {
        var bench = bench(.none)
        bench.act(.open(zone: 3))
        bench.act(.fault(.reboot(.seconds(40))))
        bench.forget()
        bench.act(.phoneRing)
        #expect(
            bench.actions.map(\.action) == [
                .send(bench.client, Array("560".utf8)), .reset(bench.client), .listen(.refuse),
            ])
        bench.wait(.seconds(41))
        #expect(bench.actions.last?.action == .listen(.accept))
        bench.logIn()
        bench.send("001")
        bench.wait(.seconds(1))
        let report = bench.texts()
        #expect(report.contains("610003") && report.contains("6511"))
        #expect(bench.panel.truth.zones[2].isOpen && !bench.panel.truth.zones[2].isOpenAtModule)
    }

    @Test("a flood of zones is a hundred changes a second, and ends with every zone closed; LEDs likewise")
    func aFloodOfZonesIsAHundredChangesASecond() {
        var bench = bench(.flood(.zones))
        bench.wait(.seconds(2))
        #expect(bench.texts().filter { $0.hasPrefix("609") || $0.hasPrefix("610") }.count > 180)
        bench.act(.fault(.flood(.off)))
        #expect(bench.panel.truth.zones.allSatisfy { !$0.isOpen })
        #expect(bench.panel.truth.partitions[0].status == .ready)
        bench.act(.fault(.flood(.leds)))
        bench.forget()
        bench.wait(.seconds(1))
        #expect(bench.texts() == (1...100).map { $0 % 2 == 1 ? "51081" : "51001" })
    }

    @Test("logins that time out, are refused, or get no answer")
    func loginsThatTimeOut() {
        for (fault, password, expected) in [
            (PanelFault.loginTimeout(true), "user", ["5053", "5052"]),
            (.wrongPassword(true), "user", ["5053", "500005", "5050"]),
            (.mutePassword(true), "abcdefghij", ["5053", "5052"]),
            (.proxy(true), "user", ["5053", "5051", "615"]),
        ] {
            var bench = PanelBench()
            bench.act(.fault(fault))
            bench.connect()
            bench.send("005", password)
            bench.wait(.seconds(15))
            #expect(bench.texts() == expected)
        }
    }

    @Test("a proxy acknowledges polls that nobody sent")
    func aProxyAcknowledgesPollsThatNobodySent() {
        var bench = bench(.proxy(true))
        bench.wait(.seconds(41))
        #expect(bench.texts() == ["500000", "500000"])
    }

    @Test("a firewall is for the mount, and a newcomer that got through hears nothing")
    func aFirewallIsForTheMount() {
        var bench = PanelBench()
        bench.act(.fault(.firewall(true)))
        #expect(bench.actions.last?.action == .listen(.drop))
        bench.forget()
        bench.connect()
        bench.wait(.seconds(20))
        #expect(bench.actions.isEmpty)
    }

    @Test("codes are asked for; wrong ones are told, and the fifth locks the keypads")
    func codesAreAskedFor() {
        var bench = bench(.code900(true))
        bench.send("071", "1*1#")
        bench.wait(.seconds(2))
        #expect(bench.texts() == ["500071", "900"])
        for _ in 1...5 {
            bench.send("031", "1")
            bench.wait(.seconds(1))
            bench.send("200", "0000")
            bench.wait(.seconds(1))
        }
        bench.send("031", "1")
        bench.wait(.seconds(1))
        #expect(bench.texts().suffix(6) == ["500031", "900", "500200", "6701", "6581", "502016"])
        bench.wait(.minutes(5))
        bench.send("020", "12")
        bench.wait(.seconds(1))
        bench.send("200", "1234")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500020", "900", "500200", "6601", "91212"])
    }

    @Test("a blanked keypad hides the partition and refuses arming until a key wakes it")
    func aBlankedKeypadHidesThePartitionAndRefusesArmingUntilAKey() {
        var bench = bench(.blanking(true))
        bench.wait(.seconds(36))
        #expect(bench.texts() == ["51000"])
        bench.act(.open(zone: 3))
        bench.act(.close(zone: 3))
        bench.send("030", "1")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["609003", "610003", "502024"])
        bench.send("071", "1#")
        bench.wait(.seconds(2))
        bench.send("030", "1")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500071", "51081", "500030", "51083", "6561"])
    }

    @Test("bytes that cross ours stall the module for two minutes")
    func bytesThatCrossOursStallTheModuleForTwoMinutes() {
        var bench = bench(.tcpStall(true))
        let start = bench.now
        bench.act(.phoneRing)
        bench.send("000")
        bench.act(.phoneRing)
        bench.wait(.seconds(130))
        #expect(bench.timed(since: start) == ["0 560", "120000 560", "120020 500000"])
    }

    @Test("a skewed clock is broadcast wrong by the skew")
    func aSkewedClockIsBroadcastWrongByTheSkew() {
        var bench = bench(.clockSkew(.hours(-1)))
        bench.act(.clock(PanelClock(hour: 0, minute: 30, month: 3, day: 1, year: 28)))
        bench.act(.clockBroadcast)
        #expect(bench.texts() == ["5502330022928"])
    }
}
