import AlarmModel
import ApplianceCore
import PanelLink
import PhoneProtocol
import Testing

/// What becomes of commands when the disk, the connection or the process fails, and who hears of them.
@Suite("The fate of phones' commands")
struct PhonesCommandOutcomeTests {
    @Test("while the store fails nothing is carried out and the phone hears why", arguments: [false, true])
    func whileTheStoreFailsNothingIsCarriedOutAndThePhoneHearsWhy(_ isKnown: Bool) throws {
        var (bench, phone) = try Bench.paired()
        let challenge = try bench.challenge(for: phone)
        bench.disk = .fails(Bench.broken)
        if isKnown { bench.panel("6011003") }
        bench.forget()
        try bench.command(&phone, "arm", PhonesCommandTests.away, freshness: .challenge(challenge))
        #expect(bench.lastWord(phone) == "failed storage")
        bench.advance(.seconds(20))
        bench.disk = .answers
        bench.advance(.minutes(2))
        #expect(bench.panelOrders.isEmpty)
        #expect(bench.results(phone).map(Bench.word) == ["failed storage"])
    }

    @Test("an order that the module turns down for the moment, in whatever pieces, goes once more and is one command")
    func anOrderThatTheModuleTurnsDownForTheMomentGoesOnceMore() throws {
        var (bench, phone) = try Bench.paired()
        bench.acknowledges = false
        bench.forget()
        try bench.command(&phone, "arm", PhonesCommandTests.away)
        let connection = try #require(bench.connection)
        for byte in Frame.bytes(code: "502", data: "010") { bench.feed(.received(connection, [byte])) }
        bench.advance(.seconds(1))
        #expect(bench.panelOrders == ["0301", "0301"])
        bench.panel("500030", "6561")
        bench.advance(.seconds(1))
        #expect(bench.panelOrders.count == 2 && bench.results(phone).map(Bench.word) == ["ok"])
        #expect(bench.push.ledger.map(\.counter) == [1])
    }

    @Test("cut off between acceptance and outcome: it is never done again, and its outcome is not known")
    func cutOffBetweenAcceptanceAndOutcome() throws {
        var (bench, phone) = try Bench.paired()
        bench.acknowledges = false
        let bytes = try bench.command(&phone, "arm", PhonesCommandTests.away)
        #expect(bench.push.ledger.map(\.result) == [nil])
        bench = bench.restarted()
        bench.logIn()
        bench.advance(.seconds(20))
        bench.forget()
        bench.inbound(from: phone.token, bytes)
        bench.advance(.seconds(20))
        #expect(bench.lastWord(phone) == "timeout" && bench.panelOrders.isEmpty)
        #expect(bench.push.ledger.map(\.result) == [PhoneResult(.timeout)])
    }

    /// The relay keeps a command back, lets the next one through, and hands the first over while it is still fresh.
    @Test(
        "commands act in ascending order only: what a later one has overtaken is stale, also after a restart",
        arguments: [true, false], [false, true])
    func commandsActInAscendingOrderOnly(isOvertaken: Bool, isRestarted: Bool) throws {
        var (bench, phone) = try Bench.paired()
        phone.counter = 8
        for _ in 0..<2 { try bench.command(&phone, "seen") }
        let held = try bench.sealed(
            phone,
            PhoneCommand(
                key: 1, counter: 11, freshness: .time(issued: bench.now.wall.seconds, ttl: 60), verb: "arm",
                arguments: Arguments(PhonesCommandTests.away)))
        phone.counter = 11
        if isOvertaken { try bench.command(&phone, "seen") }
        if isRestarted {
            bench = bench.restarted()
            bench.logIn()
            bench.advance(.seconds(20))
        }
        bench.forget()
        bench.inbound(from: phone.token, held)
        bench.settle()
        // Without the later one nothing is wrong with it.
        #expect(bench.panelOrders == (isOvertaken ? [] : ["0301"]))
        #expect(bench.push.ledger.map(\.counter).sorted() == (isOvertaken ? [9, 10, 12] : [9, 10, 11]))
        if isOvertaken { #expect(bench.lastWord(phone) == "denied stale") }
    }

    @Test("what a phone did is told to the others with its name and number, not to itself")
    func whatAPhoneDidIsToldToTheOthersWithItsNameAndNumber() throws {
        var (bench, anna) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.advance(.minutes(2))
        let mark = bench.push.server.pushes.count
        try bench.command(&anna, "arm", PhonesCommandTests.away)
        bench.panel("6561", "65210")
        bench.advance(.minutes(1))
        let told = bench.eventsHeard(ben, since: mark)
        #expect(told.count { $0["message"]?.stringValue?.contains("asked for by Anna (Pixel)") == true } == 1)
        #expect(told.contains { $0["type"]?.stringValue == "armed" && $0["cmd"]?.stringValue == "\(anna.id).1" })
        let own = bench.eventsHeard(anna, since: mark)
        #expect(own.allSatisfy { $0["code"]?.stringValue != "COMMAND" })
        #expect(own.contains { $0["type"]?.stringValue == "armed" && $0["cmd"]?.stringValue == "\(anna.id).1" })
    }

    @Test("a phone that leaves hears that it is done, then bye, and is forgotten; the others are told")
    func aPhoneThatLeavesHearsThatItIsDone() throws {
        var (bench, anna) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.advance(.minutes(1))
        let mark = bench.push.server.pushes.count
        try bench.command(&anna, "leave")
        bench.advance(.seconds(20))
        #expect(bench.heard(anna, since: mark).map(\.kind) == [.status, .result, .bye])
        #expect(bench.lastWord(anna) == "ok")
        #expect(bench.push.book?.phones.map(\.id) == [ben.id] && bench.push.book?.dead == [anna.id])
        #expect(bench.push.keys.map(\.phone) == [ben.id] && "\(bench.push.vault)".contains("of 1 phones"))
        #expect(
            bench.eventsHeard(ben, since: mark).contains { $0["message"]?.stringValue?.contains("has left") == true })
    }

    @Test("a disk that does not answer: the phone hears so after two seconds, and nothing is done when it wakes up")
    func aDiskThatDoesNotAnswer() throws {
        var (bench, phone) = try Bench.paired()
        let challenge = try bench.challenge(for: phone)
        bench.disk = .silent
        bench.forget()
        try bench.command(&phone, "arm", PhonesCommandTests.away, freshness: .challenge(challenge))
        bench.advance(.seconds(3))
        #expect(bench.lastWord(phone) == "failed storage")
        bench.disk = .answers
        bench.answerDisk()
        bench.feed(.timer(.clock))
        bench.advance(.minutes(1))
        #expect(bench.panelOrders.isEmpty)
        #expect(bench.results(phone).map(Bench.word) == ["failed storage"])
        #expect(bench.push.ledger.map(\.result) == [PhoneResult(.failed, why: "storage")])
    }

    @Test("a connection that ends between a command and its commit: redelivered, it is done once and answered")
    func aConnectionThatEndsBetweenACommandAndItsCommit() throws {
        var (bench, phone) = try Bench.paired()
        let challenge = try bench.challenge(for: phone)
        bench.disk = .silent
        bench.forget()
        let bytes = try bench.command(&phone, "arm", PhonesCommandTests.away, freshness: .challenge(challenge))
        for input in bench.push.server.end(gracefully: false) { bench.feed(input) }
        bench.disk = .answers
        bench.answerDisk()
        bench.feed(.timer(.clock))
        bench.panel("6561")
        bench.advance(.seconds(5))
        bench.inbound(from: phone.token, bytes)
        bench.advance(.seconds(1))
        #expect(bench.panelOrders == ["0301"])
        #expect(bench.lastWord(phone) == "ok")
    }

    @Test("a role that the box takes away is gone at once")
    func aRoleThatTheBoxTakesAwayIsGoneAtOnce() throws {
        var (bench, phone) = try Bench.paired()
        bench.ask(.phones(.role(phone: "Pixel", [.view])), as: 50)
        bench.forget()
        try bench.command(&phone, "arm", PhonesCommandTests.away)
        #expect(bench.lastWord(phone) == "denied role" && bench.panelOrders.isEmpty)
    }
}
