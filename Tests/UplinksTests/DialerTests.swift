import AlarmModel
import Testing
import Uplinks

/// A dialer with a clock that only the test moves.
private struct Bench {
    var dialer = Dialer()
    /// The question of the dial that runs.
    var question = ResolveID(0)
    var milliseconds: Int64 = 0

    var now: Moment {
        Moment(boot: at(milliseconds), wall: WallTime(milliseconds: 0), isWallTrusted: false)
    }

    func at(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000) }

    var due: Int64? { dialer.nextDeadline.map { ($0.nanoseconds - 1_000_000_000) / 1_000_000 } }

    mutating func dial(
        _ name: String, remembered: [RememberedAddress] = [], link: Link = .any, doubtsNames: Bool = false
    ) -> [DialAction] {
        var actions: [DialAction] = []
        dialer.dial(
            name: name, port: 5235, link: link, remembered: remembered, doubtsNames: doubtsNames, at: now,
            into: &actions)
        if case .resolve(let question, _, _)? = actions.first { self.question = question }
        return actions
    }

    mutating func resolved(_ addresses: [String], question old: ResolveID? = nil) throws -> [DialAction] {
        let addresses = try addresses.map { try #require(IPAddress($0)) }
        var actions: [DialAction] = []
        dialer.resolved(old ?? question, .addresses(addresses), at: now, into: &actions)
        return actions
    }

    mutating func unresolved(_ failure: ResolveFailure) -> [DialAction] {
        var actions: [DialAction] = []
        dialer.resolved(question, .failed(failure), at: now, into: &actions)
        return actions
    }

    mutating func opened(_ id: UInt64) -> [DialAction] {
        var actions: [DialAction] = []
        dialer.opened(ConnectionID(id), at: now, into: &actions)
        return actions
    }

    mutating func failed(_ id: UInt64, _ end: ConnectionEnd) -> [DialAction] {
        var actions: [DialAction] = []
        dialer.openFailed(ConnectionID(id), end, at: now, into: &actions)
        return actions
    }

    mutating func cancel() -> [DialAction] {
        var actions: [DialAction] = []
        dialer.cancel(at: now, into: &actions)
        return actions
    }

    /// Moves the clock and lets the timer fire there.
    mutating func tick(to milliseconds: Int64) -> [DialAction] {
        self.milliseconds = milliseconds
        var actions: [DialAction] = []
        dialer.timerFired(at: now, into: &actions)
        return actions
    }
}

private func open(_ id: UInt64, _ address: String, link: Link = .any) throws -> DialAction {
    .open(ConnectionID(id), Endpoint(address: try #require(IPAddress(address)), port: 5235), link)
}

private func memory(_ address: String, of name: String = "box.test") throws -> RememberedAddress {
    RememberedAddress(name: name, address: try #require(IPAddress(address)))
}

struct DialerTests {
    @Test("an address is opened at once, without name servers, on the link that was named, and not remembered")
    func anAddressIsOpenedAtOnce() throws {
        var bench = Bench()
        #expect(
            try bench.dial("192.0.2.7", link: .interface("eth0")) == [open(1, "192.0.2.7", link: .interface("eth0"))])
        #expect(bench.due == 10_000)
        #expect(bench.opened(1) == [.connected(ConnectionID(1))])
        #expect(bench.due == nil && !bench.dialer.isDialing)
        #expect(try bench.dial("2001:db8::1") == [open(2, "2001:db8::1")])
    }

    @Test("a black hole in IPv6 costs 250 ms; the loser is closed and the winner remembered")
    func aBlackHoleInIPv6Costs250Ms() throws {
        var bench = Bench()
        #expect(bench.dial("box.test") == [.resolve(ResolveID(1), name: "box.test", .any)])
        bench.milliseconds = 40
        #expect(try bench.resolved(["192.0.2.1", "2001:db8::1"]) == [open(1, "2001:db8::1")])
        #expect(bench.due == 290)
        #expect(bench.tick(to: 289).isEmpty)
        #expect(try bench.tick(to: 290) == [open(2, "192.0.2.1")])
        #expect(bench.due == 10_000)
        #expect(
            try bench.opened(2) == [
                .close(ConnectionID(1)), .remember(memory("192.0.2.1")), .connected(ConnectionID(2)),
            ])
        #expect(bench.opened(1).isEmpty, "the loser opened after all")
        #expect(bench.failed(1, .local).isEmpty)
    }

    @Test("the families take turns, IPv6 first, whatever the order of the answer")
    func theFamiliesTakeTurns() throws {
        var bench = Bench()
        _ = bench.dial("box.test")
        var opened = try bench.resolved(["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db8::3"])
        while let due = bench.due, due < 10_000 { opened += bench.tick(to: due) }
        #expect(
            try opened == [
                open(1, "2001:db8::1"), open(2, "192.0.2.1"), open(3, "2001:db8::2"), open(4, "192.0.2.2"),
                open(5, "2001:db8::3"),
            ])
        #expect(bench.milliseconds == 1000)
    }

    @Test("after a refusal the next address is tried at once, and the pace starts anew")
    func afterARefusalTheNextAddressIsTriedAtOnce() throws {
        var bench = Bench()
        _ = bench.dial("box.test")
        #expect(try bench.resolved(["2001:db8::1", "192.0.2.1", "192.0.2.2"]) == [open(1, "2001:db8::1")])
        bench.milliseconds = 100
        #expect(try bench.failed(1, .refused) == [open(2, "192.0.2.1")])
        #expect(bench.due == 350)
        #expect(try bench.tick(to: 350) == [open(3, "192.0.2.2")])
        #expect(bench.failed(2, .reset).isEmpty, "another attempt is still under way")
        #expect(bench.failed(3, .refused) == [.failed(.unreachable(.refused))])
        #expect(!bench.dialer.isDialing)
    }

    @Test("a refusal starts the next address at once even while another attempt is under way")
    func aRefusalStartsTheNextAddressAtOnceEvenWhileAnotherAttempt() throws {
        var bench = Bench()
        _ = bench.dial("box.test")
        _ = try bench.resolved(["2001:db8::1", "192.0.2.1", "192.0.2.2"])
        #expect(try bench.tick(to: 250) == [open(2, "192.0.2.1")])
        bench.milliseconds = 260
        #expect(try bench.failed(2, .refused) == [open(3, "192.0.2.2")])
        bench.milliseconds = 270
        #expect(bench.failed(3, .refused).isEmpty)
        #expect(bench.tick(to: 10_000) == [.close(ConnectionID(1)), .failed(.unreachable(.timedOut))])
    }

    @Test("without an answer of the name servers within 2 s the remembered addresses of this name are tried")
    func withoutAnAnswerOfTheNameServersWithin2STheRemembered() throws {
        var bench = Bench()
        let memories = try [memory("192.0.2.9", of: "other.test"), memory("192.0.2.5"), memory("2001:db8::5")]
        #expect(bench.dial("box.test", remembered: memories) == [.resolve(ResolveID(1), name: "box.test", .any)])
        #expect(bench.due == 2000)
        #expect(bench.tick(to: 1999).isEmpty)
        #expect(try bench.tick(to: 2000) == [open(1, "2001:db8::5")])
        #expect(try bench.failed(1, .unreachable) == [open(2, "192.0.2.5")])
        // A late answer joins the race; what is tried already is not tried again, and IPv6 has its turn.
        bench.milliseconds = 2100
        #expect(try bench.resolved(["192.0.2.5", "192.0.2.6", "2001:db8::6"]).isEmpty)
        #expect(try bench.tick(to: 2250) == [open(3, "2001:db8::6")])
        #expect(try bench.tick(to: 2500) == [open(4, "192.0.2.6")])
        #expect(
            try bench.opened(2) == [
                .close(ConnectionID(3)), .close(ConnectionID(4)), .remember(memory("192.0.2.5")),
                .connected(ConnectionID(2)),
            ])
    }

    @Test(
        "when the name servers fail the remembered addresses are tried at once",
        arguments: [
            ResolveFailure.notFound, .timedOut, .serverFailed, .noServers,
        ])
    func whenTheNameServersFailTheRememberedAddressesAreTriedAtOnce(failure: ResolveFailure) throws {
        var bench = Bench()
        _ = bench.dial("box.test", remembered: [try memory("192.0.2.5")])
        bench.milliseconds = 700
        #expect(try bench.unresolved(failure) == [open(1, "192.0.2.5")])
        #expect(bench.unresolved(failure).isEmpty)
        #expect(bench.failed(1, .refused) == [.failed(.unreachable(.refused))])
    }

    @Test("a name without addresses and without memory fails with the reason of the name servers")
    func aNameWithoutAddressesAndWithoutMemoryFailsWithTheReason() throws {
        var bench = Bench()
        _ = bench.dial("box.test")
        #expect(bench.unresolved(.serverFailed) == [.failed(.unresolved(.serverFailed))])
        _ = bench.dial("box.test")
        #expect(try bench.resolved([]) == [.failed(.unresolved(.notFound))])
    }

    @Test("where names are doubted the remembered address goes first, and what they say 2 s later")
    func whereNamesAreDoubtedTheRememberedAddressGoesFirst() throws {
        var bench = Bench()
        let begun = bench.dial("box.test", remembered: [try memory("192.0.2.5")], doubtsNames: true)
        #expect(try begun == [.resolve(ResolveID(1), name: "box.test", .any), open(1, "192.0.2.5")])
        bench.milliseconds = 40
        #expect(try bench.resolved(["203.0.113.66", "2001:db8::66"]).isEmpty)
        #expect(bench.due == 2000)
        #expect(bench.tick(to: 1999).isEmpty)
        #expect(try bench.tick(to: 2000) == [open(2, "2001:db8::66")])
        #expect(try bench.tick(to: 2250) == [open(3, "203.0.113.66")])
    }

    @Test("where names are doubted and the remembered address refuses, what they say is tried at once")
    func whereNamesAreDoubtedAndTheRememberedAddressRefuses() throws {
        var bench = Bench()
        _ = bench.dial("box.test", remembered: [try memory("192.0.2.5")], doubtsNames: true)
        #expect(bench.failed(1, .refused).isEmpty)
        #expect(try bench.resolved(["203.0.113.66"]) == [open(2, "203.0.113.66")])
    }

    @Test("where names are doubted and nothing is remembered, they are asked as ever")
    func whereNamesAreDoubtedAndNothingIsRemembered() throws {
        var bench = Bench()
        _ = bench.dial("box.test", remembered: [try memory("192.0.2.5", of: "other.test")], doubtsNames: true)
        #expect(try bench.resolved(["203.0.113.66"]) == [open(1, "203.0.113.66")])
    }

    @Test("name servers that never answer, and nothing remembered: a typed failure at the deadline")
    func nameServersThatNeverAnswer() {
        var bench = Bench()
        _ = bench.dial("box.test")
        #expect(bench.tick(to: 2000).isEmpty)
        #expect(bench.due == 10_000)
        #expect(bench.tick(to: 9999).isEmpty)
        #expect(bench.tick(to: 10_000) == [.failed(.unresolved(.timedOut))])
        #expect(bench.due == nil)
    }

    @Test("addresses that never answer: all are closed and the dial fails at the deadline")
    func addressesThatNeverAnswer() throws {
        var bench = Bench()
        _ = bench.dial("box.test")
        _ = try bench.resolved(["192.0.2.1", "2001:db8::1"])
        _ = bench.tick(to: 250)
        #expect(bench.tick(to: 9999).isEmpty)
        #expect(
            bench.tick(to: 10_000) == [
                .close(ConnectionID(1)), .close(ConnectionID(2)), .failed(.unreachable(.timedOut)),
            ])
        #expect(bench.opened(1).isEmpty)
    }

    @Test("remembered addresses that fail leave the dial waiting for the name servers")
    func rememberedAddressesThatFailLeaveTheDialWaitingForTheName() throws {
        var bench = Bench()
        _ = bench.dial("box.test", remembered: [try memory("192.0.2.5")])
        #expect(try bench.tick(to: 2000) == [open(1, "192.0.2.5")])
        #expect(bench.failed(1, .unreachable).isEmpty)
        #expect(bench.due == 10_000)
        bench.milliseconds = 5000
        #expect(try bench.resolved(["192.0.2.6"]) == [open(2, "192.0.2.6")])
        bench.milliseconds = 5001
        #expect(bench.failed(2, .refused) == [.failed(.unreachable(.refused))])
    }

    @Test("cancel closes everything, and nothing of the old dial touches the next")
    func cancelClosesEverything() throws {
        var bench = Bench()
        _ = bench.dial("box.test")
        _ = try bench.resolved(["192.0.2.1", "2001:db8::1"])
        _ = bench.tick(to: 250)
        #expect(bench.cancel() == [.close(ConnectionID(1)), .close(ConnectionID(2))])
        #expect(bench.cancel().isEmpty && bench.due == nil)
        #expect(bench.dial("box.test") == [.resolve(ResolveID(2), name: "box.test", .any)])
        #expect(try bench.resolved(["192.0.2.1"], question: ResolveID(1)).isEmpty)
        #expect(bench.opened(2).isEmpty && bench.failed(1, .refused).isEmpty)
        #expect(bench.dialer.isDialing)
    }

    @Test("an answer with thousands of addresses costs a bounded number of attempts")
    func anAnswerWithThousandsOfAddressesCostsABoundedNumber() throws {
        var bench = Bench()
        _ = bench.dial("box.test")
        var actions = try bench.resolved((0..<4000).map { "10.0.\($0 / 256).\($0 % 256)" })
        while let due = bench.due, due < 10_000 { actions += bench.tick(to: due) }
        #expect(actions.count == Dialer.addressLimit)
    }

    @Test("however many addresses of one family there are, the other has its turn")
    func howeverManyAddressesOfOneFamilyThereAre() throws {
        var bench = Bench()
        _ = bench.dial("box.test")
        let many = (1...40).map { "2001:db8::\($0)" }
        var actions = try bench.resolved(many + ["192.0.2.1"])
        while let due = bench.due, due < 10_000 { actions += bench.tick(to: due) }
        #expect(actions.count == Dialer.addressLimit + 1)
        #expect(try actions.dropFirst().first == open(2, "192.0.2.1"))
    }
}
