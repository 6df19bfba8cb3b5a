import AppCore
import PhoneProtocol
import Testing

@testable import Companion

@Suite("A phone asks for the pictures of an alarm once more")
struct PicturesAgainTests {
    private static let wish = #"{"time":1795228190,"mark":"0badcafe-5"}"#

    private func house() throws -> PairedHouse {
        var house = try PairedHouse()
        house.welcome()
        house.meet()
        return house
    }

    private func wish(_ text: String = wish) throws -> PicturesAnswer.Wish {
        try #require(PicturesAnswer.Wish(form: try JSON(parsing: text)))
    }

    private func answers(_ house: PairedHouse) -> [PicturesAnswer.Outcome] {
        house.actions.compactMap { if case .answered(let answer) = $0 { answer.outcome } else { nil } }
    }

    /// The request that the phone sends.
    private func ask(_ house: inout PairedHouse) throws -> PhoneRequest {
        house.phone.askForPictures(try wish(), at: house.time, into: &house.actions)
        return try #require(house.sent().compactMap { house.box.opened($0) }.last { $0.verb == "picture" })
    }

    private func say(_ house: inout PairedHouse, _ rid: [UInt8]?, _ text: String) throws {
        house.actions = []
        house.phoneHears(house.box.seal(.list, rid: rid, try JSON(parsing: text)))
    }

    @Test("it says the alarm's time and mark; how many come, or each reason why none do, is told once")
    func itSaysTheAlarmsTime() throws {
        var house = try house()
        let request = try ask(&house)
        #expect(request.arguments.description == "t=1795228190;u=0badcafe-5")
        // Not what was asked for, or by nobody.
        for (rid, text) in [
            (request.rid, #"{"what":"names","from":"0","rows":"[]"}"#),
            (nil, #"{"what":"pictures","from":"0","rows":"[]"}"#),
            (Array(repeating: 7, count: 8), #"{"what":"pictures","from":"0","rows":"[]","why":"off"}"#),
        ] {
            try say(&house, rid, text)
            #expect(answers(house).isEmpty)
        }
        let two = #"{"v":"2","what":"pictures","from":"0","rows":"[{\"camera\":\"Street\"},{\"camera\":\"Street\"}]"}"#
        try say(&house, request.rid, two)
        #expect(answers(house) == [.sent(2)])
        try say(&house, request.rid, two)
        #expect(answers(house).isEmpty)
        for why in PictureRefusal.allCases.map(\.rawValue) + ["later"] {
            house.pass(seconds: 10)
            let rid = try ask(&house).rid
            try say(&house, rid, #"{"v":"2","what":"pictures","from":"0","why":"\#(why)","rows":"[]"}"#)
            #expect(answers(house) == [.refused(PictureRefusal(rawValue: why) ?? .failed)])
        }
    }

    @Test("one at a time; whatever is lost in between, an answer is awaited for 100 s, and then there is none")
    func oneAtATime() throws {
        var house = try house()
        let rid = try ask(&house).rid
        house.actions = []
        house.phone.askForPictures(try wish(), at: house.time, into: &house.actions)
        #expect(answers(house) == [.refused(.busy)])
        house.pass(seconds: 60)
        house.meet()
        house.actions = []
        house.pass(seconds: 39)
        #expect(answers(house).isEmpty)
        #expect(try #require(house.phone.nextDeadline) <= house.time.uptime + 1000)
        house.pass(seconds: 1)
        #expect(answers(house) == [.unanswered])
        try say(&house, rid, #"{"what":"pictures","from":"0","rows":"[]"}"#)
        #expect(answers(house).isEmpty)
    }

    @Test("a page asks by the call 'picture' and hears what came of it; what is no time or mark is no call")
    func aPageAsks() throws {
        var house = try AppHouse()
        try house.welcome()
        for text in ["{}", #"{"time":-1}"#, #"{"time":"5"}"#, #"{"time":5,"mark":"none"}"#, #"{"time":5,"mark":7}"#] {
            #expect(PicturesAnswer.Wish(form: try JSON(parsing: text)) == nil, "\(text)")
        }
        #expect(throws: (any Error).self) { try house.page.call("picture", ["time": .integer(-1)]) }
        _ = try house.page.call("picture", ["time": .integer(1_795_228_190), "mark": .null])
        let called = try house.page.call("picture", ["time": .integer(1_795_228_190), "mark": .string("0badcafe-5")])
        #expect(called["actions"]?.text == #"[{"a":"answered","time":1795228190,"mark":"0badcafe-5","why":"busy"}]"#)
    }

    @Test("what is told to a page has its form")
    func whatIsToldToAPageHasItsForm() throws {
        func text(_ outcome: PicturesAnswer.Outcome, _ wish: PicturesAnswer.Wish) -> String {
            PicturesAnswer(wish: wish, outcome: outcome).form.text
        }
        #expect(text(.sent(3), try wish()) == #"{"time":1795228190,"mark":"0badcafe-5","sent":3}"#)
        #expect(text(.refused(.limit), try wish(#"{"time":60}"#)) == #"{"time":60,"why":"limit"}"#)
        #expect(text(.unanswered, try wish(#"{"time":60,"mark":null}"#)) == #"{"time":60,"why":"silent"}"#)
        #expect(
            PictureRefusal.allCases.map(\.rawValue) == ["off", "metered", "busy", "limit", "none", "failed", "role"])
    }
}
