import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

/// What phones ask unsigned (docs/pairing.md 7.1, docs/messages.md B.6).
@Suite("Requests of phones")
struct PhonesRequestTests {
    /// A phone, and so many more rows in the journal.
    private static func house(rows: Int) throws -> (Bench, TestPhone) {
        var (bench, phone) = try Bench.paired()
        for number in 0..<rows { bench.panel(number % 2 == 0 ? "609003" : "610003") }
        bench.advance(.minutes(10))
        return (bench, phone)
    }

    @discardableResult
    private static func ask(
        _ bench: inout Bench, _ phone: TestPhone, _ verb: String, _ arguments: KeyValuePairs<String, String>
    ) -> [BoxMessage] {
        let mark = bench.push.server.pushes.count
        let rid = bench.request(phone, verb, arguments)
        return bench.heard(phone, since: mark).filter { $0.rid == rid }
    }

    @Test("a phone at the head hears the state and a challenge, and nothing else")
    func aPhoneAtTheHeadHearsTheStateAndAChallenge() throws {
        var (bench, phone) = try Self.house(rows: 4)
        let last = "\(bench.lastSequence.number)"
        let answers = Self.ask(&bench, phone, "ping", ["log": "00000000", "seq": last])
        #expect(answers.map(\.kind) == [.status])
        let status = try #require(answers.first?.content)
        #expect(status["seq"]?.stringValue == last && status["log"]?.stringValue == "00000000")
        #expect(status["ch"] != nil && status["trunc"] == nil && status["boot"]?.stringValue == "1")
        #expect(status["st"]?.stringValue?.hasPrefix("a=d;r=1;al=0") == true)
        #expect(status["ctr"]?.stringValue == "0" && status["up"] != nil && status["now"] != nil)
    }

    @Test("up to 20 missing events come as repeats in order, then the state", arguments: [1, 20])
    func upTo20MissingEventsComeAsRepeatsInOrder(_ gap: Int64) throws {
        var (bench, phone) = try Self.house(rows: 40)
        let last = bench.lastSequence.number
        let answers = Self.ask(&bench, phone, "ping", ["log": "00000000", "seq": "\(last - gap)"])
        #expect(answers.map(\.kind) == Array(repeating: .event, count: Int(gap)) + [.status])
        let numbers = answers.dropLast().compactMap { $0.content["seq"]?.stringValue }
        #expect(numbers == (last - gap + 1...last).map(String.init))
        #expect(answers.dropLast().allSatisfy { $0.content["rp"]?.stringValue == "1" && $0.content["st"] == nil })
    }

    @Test("with more missing, the phone is told from where it can ask")
    func withMoreMissingThePhoneIsToldFromWhereItCanAsk() throws {
        var (bench, phone) = try Self.house(rows: 40)
        let last = bench.lastSequence.number
        let answers = Self.ask(&bench, phone, "ping", ["log": "00000000", "seq": "\(last - 21)"])
        #expect(answers.map(\.kind) == [.status])
        #expect(answers.first?.content["trunc"]?.stringValue == "1")
        #expect(answers.first?.content["from"]?.stringValue == "1")
    }

    @Test("page by page the whole journal arrives, once each, in messages that fit")
    func pageByPageTheWholeJournalArrives() throws {
        var (bench, phone) = try Self.house(rows: 120)
        let last = bench.lastSequence.number
        var numbers: [Int64] = []
        var from: Int64 = 1
        var messages = 0
        while from <= last {
            let answers = Self.ask(
                &bench, phone, "sync", ["log": "00000000", "from": "\(from)", "max": "20"])
            for answer in answers {
                #expect(answer.content.text.utf8.count <= BoxMessage.contentLimit)
                guard answer.kind == .batch else { continue }
                let list = try JSON(parsing: answer.content["b"]?.stringValue ?? "").arrayValue ?? []
                numbers += list.compactMap { $0["seq"]?.stringValue.flatMap { Int64($0) } }
                messages += 1
            }
            from += 20
            bench.advance(.seconds(10))
        }
        #expect(numbers == Array(1...last))
        #expect(messages <= numbers.count / 2, "\(messages)")
    }

    @Test("nobody gets more than 20 rows for one question, whatever was asked")
    func nobodyGetsMoreThan20RowsForOneQuestion() throws {
        var (bench, phone) = try Self.house(rows: 60)
        for most in ["1000000", "-5", "99999999999999999999"] {
            let answers = Self.ask(&bench, phone, "sync", ["log": "00000000", "from": "1", "max": most])
            let rows = try answers.filter { $0.kind == .batch }.flatMap {
                try JSON(parsing: $0.content["b"]?.stringValue ?? "").arrayValue ?? []
            }
            #expect((1...20).contains(rows.count), "\(most): \(rows.count)")
        }
    }

    @Test("a journal of another number: the phone hears which one there is")
    func aJournalOfAnotherNumber() throws {
        var (bench, phone) = try Bench.paired()
        bench = bench.restarted { $0.log = "00000005" }
        bench.logIn()
        bench.advance(.seconds(10))
        let answers = Self.ask(&bench, phone, "ping", ["log": "00000003", "seq": "7"])
        #expect(answers.map(\.kind) == [.status])
        #expect(answers.first?.content["log"]?.stringValue == "00000005")
        #expect(answers.first?.content["trunc"]?.stringValue == "1")
        #expect(bench.events(.cardRestored).isEmpty)
    }

    @Test("a phone that is ahead proves a restored card: new journal number, a fault, and the number is stored")
    func aPhoneThatIsAheadProvesARestoredCard() throws {
        for (log, seq, expected) in [("00000000", "999999", UInt32(1)), ("00000007", "3", 8)] {
            var (bench, phone) = try Bench.paired()
            let answers = Self.ask(&bench, phone, "ping", ["log": log, "seq": seq])
            #expect(bench.push.log == expected)
            #expect(bench.events(.cardRestored).count == 1)
            #expect(answers.last?.content["log"]?.stringValue == "0000000\(expected)")
            let again = Self.ask(&bench, phone, "ping", ["log": "0000000\(expected)", "seq": "1"])
            #expect(again.last?.kind == .status)
            #expect(bench.events(.cardRestored).count == 1)
            bench.panel("6011003")
            #expect(bench.eventsHeard(phone).last?["log"]?.stringValue == "0000000\(expected)")
        }
    }

    @Test("who claims to be ahead again and again is believed three times a day, and never about an absurd number")
    func whoClaimsToBeAheadAgainAndAgainIsBelievedThreeTimesADay() throws {
        var (bench, phone) = try Bench.paired()
        for log in 11...29 { Self.ask(&bench, phone, "ping", ["log": "000000\(log)", "seq": "9"]) }
        #expect(bench.push.log == 0x14 && bench.events(.cardRestored).count == 3)
        bench.advance(.hours(24))
        Self.ask(&bench, phone, "ping", ["log": "fffffffe", "seq": "9"])
        #expect(bench.push.log == 0x14 && bench.events(.cardRestored).count == 3)
        #expect(bench.events(.phoneNoise).count == 1)
        Self.ask(&bench, phone, "ping", ["log": "00000020", "seq": "9"])
        #expect(bench.push.log == 0x21 && bench.events(.cardRestored).count == 4)
    }

    @Test("a request that was heard before is not answered again; more than 30 a minute are not either")
    func aRequestThatWasHeardBeforeIsNotAnsweredAgain() throws {
        var (bench, phone) = try Bench.paired()
        let rid = bench.request(phone, "snapshot")
        let one = bench.heard(phone).count { $0.rid == rid }
        bench.request(phone, "snapshot", rid: rid)
        #expect(one == 1 && bench.heard(phone).count { $0.rid == rid } == 1)
        bench.advance(.minutes(2))
        let before = bench.heard(phone).count { $0.kind == .status }
        for _ in 0..<45 { bench.request(phone, "snapshot") }
        #expect(bench.heard(phone).count { $0.kind == .status } == before + 30)
    }

    @Test("arguments of nonsense are answered or dropped, and never trap")
    func argumentsOfNonsenseAreAnsweredOrDropped() throws {
        var (bench, phone) = try Bench.paired()
        let values = ["-1", "9223372036854775807", "-9223372036854775808", "x", "", "1e9", "99999999999999999999"]
        for value in values {
            bench.advance(.seconds(30))
            bench.request(phone, "ping", ["log": "00000000", "seq": value])
            bench.request(phone, "sync", ["log": "00000000", "from": value, "max": value])
            bench.request(phone, "got", ["log": "00000000", "seq": value, "u": value, "n": value])
            bench.request(phone, "ping", ["log": value, "seq": value])
            bench.request(phone, value)
        }
        #expect(try bench.challenge(for: phone).count == 16)
    }
}
