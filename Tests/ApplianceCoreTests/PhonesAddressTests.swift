import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

/// Reference pairing 8 and row 17 of its table of attacks.
@Suite("Addresses of phones")
struct PhonesAddressTests {
    private static let new = "another-token-of-anna"

    private static func nonce(_ bench: Bench, _ phone: TestPhone, to token: String) throws -> String {
        let probe = bench.push.server.pushes.last { push in
            guard push.to == token, let bytes = push.bytes else { return false }
            return (try? phone.channel.open(bytes, TestPhone.crypto))?.kind == .probe
        }
        let content = try phone.channel.open(try #require(probe?.bytes), TestPhone.crypto).content
        return try #require(content["nonce"]?.stringValue)
    }

    private static func receivers(_ bench: Bench, since mark: Int) -> [String] {
        bench.push.server.pushes.dropFirst(mark).map(\.to)
    }

    @Test("a canonical id is probed, and used once the phone has answered; the old one stays for alarms for 24 h")
    func aCanonicalIdIsProbed() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.rename(phone.token, to: Self.new)
        bench.panel("6561")
        bench.advance(.seconds(5))
        #expect(bench.push.book?.phones.first?.addresses.map(\.state) == [.inUse, .candidate])
        let nonce = try Self.nonce(bench, phone, to: Self.new)
        var mark = bench.push.server.pushes.count
        bench.panel("65210")
        bench.advance(.seconds(3))
        #expect(Self.receivers(bench, since: mark) == [phone.token])
        bench.request(phone, "got", ["n": nonce])
        bench.advance(.seconds(5))
        mark = bench.push.server.pushes.count
        bench.panel("6551")
        bench.advance(.seconds(3))
        #expect(Self.receivers(bench, since: mark) == [Self.new])
        mark = bench.push.server.pushes.count
        bench.panel("6011003")
        #expect(Set(Self.receivers(bench, since: mark)) == [Self.new, phone.token])
        bench.request(phone, "got", ["log": "00000000", "seq": "\(bench.lastSequence.number)"])
        bench.advance(.hours(25))
        #expect(bench.push.book?.phones.first?.addresses.map(\.value) == [Self.new])
        mark = bench.push.server.pushes.count
        bench.panel("6011003")
        #expect(Self.receivers(bench, since: mark) == [Self.new])
    }

    @Test("a service that names a new address at each answer sets off no chain: one a minute is tried")
    func aServiceThatNamesANewAddressAtEachAnswerSetsOffNoChain() throws {
        var (bench, phone) = try Bench.paired()
        let before = bench.push.server.pushes.count
        var last = phone.token
        for number in 1...20 {
            let next = "another-token-\(number)"
            bench.push.server.rename(last, to: next)
            last = next
            bench.panel(number % 2 == 0 ? "65210" : "6551")
            bench.advance(.seconds(3))
        }
        let probed = Set(Self.receivers(bench, since: before)).subtracting([phone.token])
        #expect((1...2).contains(probed.count), "\(probed)")
    }

    @Test("without the probe's answer nothing moves, whoever speaks from the new address")
    func withoutTheProbesAnswerNothingMoves() throws {
        var (bench, phone) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        let relay = Base64URL.encode(Array("token-of-the-relay".utf8))
        try bench.command(&phone, "addr", ["k": "2", "v": relay])
        #expect(bench.lastWord(phone) == "ok")
        bench.advance(.seconds(5))
        let nonce = try Self.nonce(bench, phone, to: "token-of-the-relay")
        bench.request(phone, "got", ["n": Base64URL.encode([UInt8](repeating: 7, count: 16))])
        bench.request(ben, "got", ["n": nonce])
        var other = phone
        other.token = "token-of-the-relay"
        bench.request(other, "snapshot")
        bench.advance(.minutes(20))
        let mark = bench.push.server.pushes.count
        bench.panel("6011003")
        #expect(Set(Self.receivers(bench, since: mark)) == [phone.token, ben.token])
    }

    @Test("the address of another phone, or of a kind that the box cannot reach, is refused")
    func theAddressOfAnotherPhone() throws {
        var (bench, phone) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        try bench.command(&phone, "addr", ["k": "2", "v": Base64URL.encode(Array(ben.token.utf8))])
        #expect(bench.lastWord(phone) == "denied request")
        try bench.command(&phone, "addr", ["k": "1", "v": Base64URL.encode(Array("ntfy.sh/x".utf8))])
        #expect(bench.lastWord(phone) == "denied request")
    }

    @Test("a token that nobody has any more: the address is gone, and for the last one there is a fault")
    func aTokenThatNobodyHasAnyMore() throws {
        var (bench, phone) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.advance(.minutes(1))
        bench.push.server.unregistered = [phone.token]
        bench.panel("6011003")
        bench.advance(.seconds(10))
        guard case .gone? = bench.push.book?.phones.first(where: { $0.id == phone.id })?.addresses.first?.state else {
            Issue.record("the address is in use")
            return
        }
        #expect(bench.events(.phoneLost).count == 1)
        #expect(bench.push.messages.filter { $0.event.code == "601" }.map(\.state).contains(.dead))
        let told = bench.eventsHeard(ben).compactMap { $0["message"]?.stringValue }
        #expect(told.contains { $0.contains("Anna (Pixel) cannot be reached any more") })
        let mark = bench.push.server.pushes.count
        bench.panel("6011003")
        bench.advance(.minutes(1))
        #expect(!Self.receivers(bench, since: mark).contains(phone.token))
        #expect(bench.events(.phoneLost).count == 1)
    }

    @Test("of the addresses that a service calls gone the newest four stay in the book")
    func ofTheAddressesThatAServiceCallsGoneTheNewestFourStay() throws {
        var (bench, phone) = try Bench.paired()
        for number in 1...6 {
            let token = "token-of-the-relay-\(number)"
            bench.push.server.unregistered.append(token)
            try bench.command(&phone, "addr", ["k": "2", "v": Base64URL.encode(Array(token.utf8))])
            bench.advance(.minutes(1))
        }
        let addresses = try #require(bench.push.book?.phones.first?.addresses)
        #expect(addresses.map(\.value) == [phone.token] + (3...6).map { "token-of-the-relay-\($0)" })
    }

    @Test("a phone that nothing reaches any more tells its new address with a time: no challenge could reach it")
    func aPhoneThatNothingReachesAnyMoreTellsItsNewAddressWithATime() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.unregistered = [phone.token]
        bench.panel("6011003")
        bench.advance(.seconds(10))
        let time = PhoneCommand.Freshness.time(issued: bench.now.wall.seconds, ttl: 60)
        try bench.command(
            &phone, "addr", ["k": "2", "v": Base64URL.encode(Array("token-of-now".utf8))], freshness: time)
        bench.advance(.seconds(5))
        let nonce = try Self.nonce(bench, phone, to: "token-of-now")
        phone.token = "token-of-now"
        bench.request(phone, "got", ["n": nonce])
        let mark = bench.push.server.pushes.count
        bench.panel("6011004")
        bench.advance(.seconds(5))
        #expect(Self.receivers(bench, since: mark) == ["token-of-now"])
    }

    @Test("a phone that speaks from an address that was called gone is told of alarms again once it has answered there")
    func aPhoneThatSpeaksFromAnAddressThatWasCalledGoneIsTold() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.unregistered = [phone.token]
        bench.panel("6011003")
        bench.advance(.seconds(10))
        #expect(bench.events(.phoneLost).count == 1)
        // As long as nothing comes through, a word of the phone costs one try and no second fault.
        let before = bench.push.server.pushes.count
        for _ in 0..<20 {
            bench.request(phone, "snapshot")
            bench.advance(.seconds(2))
        }
        #expect(bench.events(.phoneLost).count == 1)
        let tries = Self.receivers(bench, since: before).count
        #expect(tries == 1, "whoever repeats the phone's words causes one try a minute")
        bench.push.server.unregistered = []
        bench.advance(.minutes(1))
        bench.request(phone, "snapshot")
        bench.advance(.seconds(5))
        #expect(bench.push.book?.phones.first?.addresses.map(\.state) == [.candidate])
        var mark = bench.push.server.pushes.count
        bench.panel("6011004")
        bench.advance(.seconds(3))
        #expect(Self.receivers(bench, since: mark).isEmpty, "whoever repeats the phone's words gets no alarms")
        bench.request(phone, "got", ["n": try Self.nonce(bench, phone, to: phone.token)])
        #expect(bench.push.book?.phones.first?.addresses.map(\.state) == [.inUse])
        mark = bench.push.server.pushes.count
        bench.panel("6011005")
        bench.advance(.seconds(3))
        #expect(Self.receivers(bench, since: mark).contains(phone.token))
    }

    @Test("an address that went to another phone is not taken back by words from it")
    func anAddressThatWentToAnotherPhoneIsNotTakenBackByWordsFromIt() throws {
        var (bench, phone) = try Bench.paired()
        let second = try bench.pair("Pixel again", person: "Anna", token: phone.token)
        bench.advance(.minutes(1))
        bench.request(phone, "snapshot")
        bench.advance(.seconds(10))
        let states = bench.push.book?.phones.flatMap(\.addresses).map(\.state) ?? []
        #expect(states.contains(.gone(why: "paired anew")) && states.contains(.inUse) && states.count == 2)
        #expect(bench.push.book?.phone(second.id)?.addresses.map(\.state) == [.inUse])
    }

    @Test("whoever pairs with somebody else's address is told of as a fault; the same person's app paired anew is not")
    func whoeverPairsWithSomebodyElsesAddressIsToldOf() throws {
        for person in ["Anna", "Bob"] {
            var (bench, phone) = try Bench.paired()
            _ = try bench.pair("Nexus", person: person, token: phone.token)
            bench.advance(.seconds(5))
            let faults = bench.events(.phones).filter { $0.type == .fault }.map(\.message)
            let words = "Anna (Pixel) is told nothing any more at an address that Bob (Nexus) was paired with."
            #expect(faults.map { $0.hasPrefix(words) } == (person == "Bob" ? [true] : []))
        }
    }

    /// Paired anew until the book names an earlier pairing before the newest one. Its address has the same token.
    private static func pairedAnew() throws -> (Bench, TestPhone) {
        var (bench, phone) = try Bench.paired()
        repeat {
            phone = try bench.pair("Pixel again", person: "Anna", token: phone.token)
            bench.advance(.minutes(2))
        } while bench.push.book?.phones.first?.id == phone.id
        return (bench, phone)
    }

    @Test("what the service says of an answer to an app that was paired anew is about the address of now")
    func whatTheServiceSaysOfAnAnswerIsAboutTheAddressOfNow() throws {
        var (bench, phone) = try Self.pairedAnew()
        bench.push.server.unregistered = [phone.token]
        bench.request(phone, "snapshot")
        bench.advance(.seconds(5))
        guard case .gone? = bench.push.book?.phone(phone.id)?.addresses.first?.state else {
            Issue.record("the address is in use, and nobody is there")
            return
        }
        #expect(bench.messages(.phoneLost).count { $0.contains("Pixel again") } == 1)
        (bench, phone) = try Self.pairedAnew()
        bench.push.server.rename(phone.token, to: Self.new)
        bench.request(phone, "snapshot")
        bench.advance(.seconds(5))
        #expect(bench.push.book?.phone(phone.id)?.addresses.map(\.state) == [.inUse, .candidate])
        #expect(bench.push.book?.phone(phone.id)?.addresses.last?.value == Self.new)
    }

    @Test("an app that was paired anew names its own address: it has it, whoever had it before")
    func anAppThatWasPairedAnewNamesItsOwnAddress() throws {
        var (bench, phone) = try Self.pairedAnew()
        try bench.command(&phone, "addr", ["k": "2", "v": Base64URL.encode(Array(phone.token.utf8))])
        #expect(bench.lastWord(phone) == "ok")
        #expect(bench.push.book?.phone(phone.id)?.addresses.map(\.state) == [.inUse])
    }

    @Test("an address whose probes were all in vain is tried again when the phone names it or speaks, from wherever")
    func anAddressWhoseProbesWereAllInVainIsTriedAgainWhenThePhone() throws {
        for source in [nil, Self.new, "a database"] {
            var (bench, phone) = try Bench.paired()
            let words: KeyValuePairs = ["k": "2", "v": Base64URL.encode(Array(Self.new.utf8))]
            try bench.command(&phone, "addr", words)
            bench.advance(.minutes(10))
            var mark = bench.push.server.pushes.count
            bench.advance(.minutes(10))
            #expect(!Self.receivers(bench, since: mark).contains(Self.new))
            mark = bench.push.server.pushes.count
            if let source {
                var other = phone
                other.token = source
                bench.request(other, "snapshot")
            } else {
                try bench.command(&phone, "addr", words)
            }
            bench.advance(.seconds(5))
            #expect(Self.receivers(bench, since: mark).contains(Self.new))
            bench.request(phone, "got", ["n": try Self.nonce(bench, phone, to: Self.new)])
            #expect(bench.push.book?.phones.first?.addresses.last?.state == .inUse)
        }
    }

    @Test("while the channel is down no try of a new address is used up")
    func whileTheChannelIsDownNoTryOfANewAddressIsUsedUp() throws {
        var (bench, phone) = try Bench.paired()
        try bench.command(&phone, "addr", ["k": "2", "v": Base64URL.encode(Array(Self.new.utf8))])
        bench.push.server.isUp = false
        for input in bench.push.server.end(gracefully: false) { bench.feed(input) }
        bench.advance(.minutes(30))
        bench.push.server.isUp = true
        let mark = bench.push.server.pushes.count
        bench.advance(.minutes(3))
        #expect(Self.receivers(bench, since: mark).contains(Self.new))
    }

    @Test("a candidate that does not exist costs the phone nothing")
    func aCandidateThatDoesNotExistCostsThePhoneNothing() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.unregistered = [Self.new]
        try bench.command(&phone, "addr", ["k": "2", "v": Base64URL.encode(Array(Self.new.utf8))])
        bench.advance(.minutes(1))
        #expect(bench.events(.phoneLost).isEmpty)
        let mark = bench.push.server.pushes.count
        bench.panel("6011003")
        #expect(Self.receivers(bench, since: mark) == [phone.token])
    }
}
