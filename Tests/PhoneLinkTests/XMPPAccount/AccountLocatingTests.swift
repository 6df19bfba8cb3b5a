import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Where the server of an XMPP account is")
struct AccountLocatingTests {
    private static let secure = "_xmpps-client._tcp.example.com"
    private static let plain = "_xmpp-client._tcp.example.com"

    private func bench(
        _ direct: ServiceLookup, _ starttls: ServiceLookup, _ change: (inout XMPPSettings) -> Void = { _ in }
    ) -> AccountBench {
        var bench = AccountBench {
            $0.isDirectTLS = nil
            change(&$0)
        }
        bench.services = [(Self.secure, direct), (Self.plain, starttls)]
        bench.start()
        return bench
    }

    private func places(_ bench: AccountBench) -> [String] {
        bench.actions.targets.map { target in
            if case .tls = target.security {
                "tls \(target.host):\(target.port)"
            } else {
                "\(target.host):\(target.port)"
            }
        }
    }

    @Test("records of both kinds are tried by priority; the name that is proved stays the domain")
    func recordsOfBothKindsAreTriedByPriority() throws {
        var bench = bench(
            .records([ServiceRecord(target: "b.example.net", port: 443, priority: 20)]),
            .records([ServiceRecord(target: "a.example.net", port: 5222, priority: 10)]))
        #expect(bench.asked.sorted() == [Self.plain, Self.secure])
        bench.fail()
        #expect(places(bench) == ["a.example.net:5222", "tls b.example.net:443"])
        #expect(bench.actions.targets.last?.certifiedName == "example.com")
        // When all of it was tried, and the domain itself, the name servers are asked anew.
        for _ in 0..<3 { bench.fail() }
        #expect(places(bench).suffix(2) == ["tls example.com:5223", "example.com:5222"])
        bench.waitForDial()
        bench.wait(.seconds(2))
        #expect(bench.asked.count == 4)
        var upgraded = self.bench(.records([]), .records([ServiceRecord(target: "a.example.net", port: 5222)]))
        upgraded.channel.connected(ConnectionID(9), slot: DialSlot(0), at: upgraded.now, into: &upgraded.actions)
        for text in [Account.header + Account.startTLS, Account.proceed] {
            upgraded.channel.received(ConnectionID(9), Array(text.utf8), at: upgraded.now, into: &upgraded.actions)
        }
        #expect(upgraded.actions.contains(.upgrade(ConnectionID(9), serverName: "example.com", authorityFile: nil)))
    }

    @Test("without records, or without an answer, it is the domain, with TLS at once and by STARTTLS")
    func withoutRecordsOrWithoutAnAnswerItIsTheDomainWithTLSAtOnce() {
        for lookup in [ServiceLookup.records([]), .failed(.timedOut), .failed(.noServers)] {
            var bench = bench(lookup, lookup)
            bench.fail()
            #expect(places(bench) == ["tls example.com:5223", "example.com:5222"])
        }
    }

    @Test(
        "a record without a target silences nobody: where the server proved itself and the domain are tried, then it is told"
    )
    func aRecordWithoutATargetSilencesNobody() {
        let none = ServiceLookup.records([ServiceRecord(target: "", port: 0)])
        var bench = bench(none, none)
        #expect(places(bench) == ["tls example.com:5223"])
        for _ in 0..<2 { bench.fail() }
        #expect(places(bench) == ["tls example.com:5223", "example.com:5222"])
        #expect(bench.actions.problemWords.first?.contains("has no XMPP service") == true)
        bench.wait(.minutes(6))
        #expect(bench.asked.count > 2)

        var known = self.bench(.records([ServiceRecord(target: "x.net", port: 5)]), .records([]))
        known.connect(Account.login)
        known.services = [(Self.secure, none), (Self.plain, none)]
        _ = known.take()
        known.lose()
        known.waitForDial()
        #expect(places(known) == ["tls x.net:5"])
    }

    @Test("forged records keep nobody from the place where the server proved itself")
    func forgedRecordsKeepNobodyFromTheRightPlace() {
        var bench = bench(.records([ServiceRecord(target: "x.net", port: 5)]), .records([]))
        bench.connect(Account.unmanaged)
        let forged = ServiceLookup.records([ServiceRecord(target: "evil.example", port: 5)])
        bench.services = [(Self.secure, forged), (Self.plain, forged)]
        _ = bench.take()
        bench.lose()
        bench.waitForDial()
        for _ in 0..<2 { bench.fail() }
        #expect(Set(places(bench).prefix(2)) == ["tls evil.example:5", "evil.example:5"])
        #expect(places(bench).last == "tls x.net:5")
        // A login there is what counts: the forged ones have proved nothing.
        bench.connect(Account.unmanaged)
        bench.services = [(Self.secure, .failed(.timedOut)), (Self.plain, .failed(.timedOut))]
        _ = bench.take()
        bench.lose()
        bench.waitForDial()
        #expect(places(bench) == ["tls x.net:5"])
    }

    @Test("a configured host or port is asked for nothing, and one kind of TLS for its records only")
    func aConfiguredHostOrPortIsAskedForNothing() {
        let some = ServiceLookup.records([ServiceRecord(target: "x.net", port: 5)])
        let host = bench(some, some) { $0.host = "chat.example.org" }
        #expect(host.asked.isEmpty && places(host) == ["tls chat.example.org:5223"])
        #expect(bench(some, some) { $0.port = 5299 }.asked.isEmpty)
        #expect(bench(some, some) { $0.isDirectTLS = true }.asked == [Self.secure])
        #expect(bench(some, some) { $0.isDirectTLS = false }.asked == [Self.plain])
    }

    @Test("name servers that say nothing hold it up for ten seconds, and dead ones do not lose a place that was known")
    func nameServersThatSayNothingHoldItUpForTenSeconds() {
        var bench = AccountBench { $0.isDirectTLS = nil }
        bench.channel.start(at: bench.now, into: &bench.actions)
        #expect(bench.actions.targets.isEmpty && bench.channel.health.phase == .connecting)
        bench.actions = []
        bench.wait(.seconds(9))
        #expect(bench.actions.targets.isEmpty)
        bench.wait(.seconds(2))
        #expect(places(bench) == ["tls example.com:5223"])

        var known = self.bench(.records([ServiceRecord(target: "x.net", port: 5)]), .records([]))
        known.connect(Account.login)
        known.services = [(Self.secure, .failed(.timedOut)), (Self.plain, .failed(.timedOut))]
        _ = known.take()
        known.lose()
        known.waitForDial()
        #expect(places(known) == ["tls x.net:5"])
    }

    @Test("rubbish in records, and very many of them, cost nothing but their own tries")
    func rubbishInRecords() {
        let many = (0..<100).map { ServiceRecord(target: "h\($0).net", port: UInt16($0), priority: UInt16($0)) }
        var bench = bench(
            .records(many), .records([ServiceRecord(target: "", port: 1), ServiceRecord(target: "", port: 2)]))
        for _ in 0..<7 { bench.fail() }
        #expect(places(bench) == (1...8).map { "tls h\($0).net:\($0)" })
        bench.channel.located(TransportJobID(1), .records([]), at: bench.now, into: &bench.actions)
        #expect(bench.actions.targets.count == 8, "a late answer changes nothing")
        for _ in 0..<2 { bench.fail() }
        #expect(places(bench).suffix(2) == ["tls example.com:5223", "example.com:5222"])
    }
}
