import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Testing

@testable import ApplianceCore

/// What a phone may ask for beside its log: names, phones, channels (docs/pairing.md 6, kind 8).
@Suite("Lists that phones ask for")
struct PhonesListTests {
    private static func configuration(zones: Int) -> Configuration {
        var configuration = Bench.phoneConfiguration()
        configuration.panel.names = SiteNames(
            partitions: [.init(number: 1, name: "Ground floor"), .init(number: 2, name: "Wörkshop \"old\"")],
            zones: (1...zones).map {
                .init(number: $0, name: "Zone \($0) of a house with names", partition: 1, isFire: $0 == 7)
            })
        return configuration
    }

    /// All pages, as a phone asks for them: none is above the limit, each begins where the last ended.
    private static func ask(_ bench: inout Bench, _ phone: TestPhone, _ what: String) throws -> [[String: String]] {
        var rows: [[String: String]] = []
        for _ in 0..<40 {
            let mark = bench.push.server.pushes.count
            let rid = bench.request(phone, "list", ["what": what, "from": "\(rows.count)"])
            bench.advance(.seconds(3))
            let answers = bench.heard(phone, since: mark).filter { $0.rid == rid }
            #expect(answers.map(\.kind) == [.list])
            let content = try #require(answers.first?.content)
            #expect(content.text.utf8.count <= BoxMessage.contentLimit)
            #expect(content["what"]?.stringValue == what && content["from"]?.stringValue == "\(rows.count)")
            let page = try JSON(parsing: content["rows"]?.stringValue ?? "").arrayValue ?? []
            rows += page.map { row in
                Dictionary(
                    uniqueKeysWithValues: (row.objectValue ?? []).map { ($0.key, $0.value.stringValue ?? "?") })
            }
            guard let more = content["more"]?.stringValue else { return rows }
            #expect(more == "\(rows.count)" && !page.isEmpty)
        }
        return rows
    }

    @Test("partitions and zones come with their names, page by page, each once")
    func partitionsAndZonesComeWithTheirNames() throws {
        var bench = Bench.up(Self.configuration(zones: 64))
        bench.advance(.seconds(10))
        let phone = try bench.pair()
        let rows = try Self.ask(&bench, phone, "names")
        #expect(rows.count == 66)
        #expect(rows.first == ["part": "1", "name": "Ground floor"])
        #expect(rows[1] == ["part": "2", "name": "Wörkshop \"old\""])
        #expect(rows.compactMap { $0["zone"] } == (1...64).map { "\($0)" })
        #expect(rows[8] == ["zone": "7", "part": "1", "name": "Zone 7 of a house with names", "fire": "1"])
    }

    @Test("an admin sees each phone with its state; others are told that it takes the role")
    func anAdminSeesEachPhone() throws {
        var bench = Bench.withPush()
        let anna = try bench.pair("Anna's phone")
        let ben = try bench.pair("Ben's phone", person: "Ben", roles: [.view], token: "token-of-ben", answers: false)
        let all = try Self.ask(&bench, anna, "phones")
        #expect(Set(all.map { $0["name"] }) == ["Anna's phone", "Ben's phone"])
        #expect(all.map { $0["id"] } == bench.push.book?.phones.map { $0.id.description })
        let bens = try #require(all.first { $0["person"] == "Ben" })
        #expect(bens["roles"] == "view" && bens["level"] == "app" && bens["state"] == "unheard")
        let mark = bench.push.server.pushes.count
        bench.request(ben, "list", ["what": "phones", "from": "0"])
        let refused = try #require(bench.heard(ben, since: mark).last { $0.kind == .list }?.content)
        #expect(refused["why"]?.stringValue == "role" && refused["rows"]?.stringValue == "[]")
    }

    @Test("the channels come with their state and when they last took a message; why one fails is for an admin")
    func theChannelsComeWithTheirState() throws {
        var bench = Bench.withPush()
        let anna = try bench.pair("Anna's phone")
        bench.panel("609003")
        bench.advance(.seconds(2))
        let rows = try Self.ask(&bench, anna, "channels")
        #expect(rows.map { $0["channel"] } == ["ccs"])
        #expect(rows[0]["state"] == "ready" && rows[0]["accepted"] != nil && rows[0]["why"] == nil)
    }

    @Test("what is no list, or no place in one, is malformed and not answered")
    func whatIsNoListIsMalformed() throws {
        var (bench, phone) = try Bench.paired()
        let wrong: [KeyValuePairs<String, String>] = [
            ["what": "secrets", "from": "0"], ["what": "names"], ["what": "names", "from": "-1"],
        ]
        for arguments in wrong {
            let mark = bench.push.server.pushes.count
            bench.request(phone, "list", arguments)
            bench.advance(.seconds(3))
            #expect(bench.heard(phone, since: mark).allSatisfy { $0.kind != .list })
        }
        let mark = bench.push.server.pushes.count
        bench.request(phone, "list", ["what": "names", "from": "65535"])
        let last = try #require(bench.heard(phone, since: mark).last { $0.kind == .list }?.content)
        #expect(last["rows"]?.stringValue == "[]" && last["more"] == nil)
    }

    @Test("an answer that comes before the key for pushes is read says nothing of roles and key")
    func anAnswerBeforeTheKeyIsReadSaysNothingOfIt() throws {
        let (bench, _) = try Bench.paired()
        let phone = try #require(bench.push.book?.phones.first)
        var step = Step(Bench.phoneConfiguration(), at: bench.now)
        step.channels = [.ccs, .webPush]
        step.book.phones = [phone]
        func told() throws -> JSON {
            var deliveries = Deliveries(bootMark: "boot", seed: 1)
            step.answers = []
            deliveries.sendStatus(to: phone.id, rid: Array(1...8), &step)
            guard case .sealed(_, let message, _) = try #require(step.answers.first).content else { return .null }
            return message.content
        }
        #expect(try told()["seq"] != nil && told()["roles"] == nil && told()["vapid"] == nil)
        step.pushKey = [4, 1]
        #expect(try told()["roles"] != nil && told()["vapid"]?.stringValue == "BAE")
        step.channels = [.ccs]
        step.pushKey = nil
        #expect(try told()["roles"] != nil && told()["vapid"] == nil)
    }

    @Test("the answer to a ping tells the phone's roles as they are now; a sign of life does not")
    func theAnswerToAPingTellsTheRoles() throws {
        var (bench, phone) = try Bench.paired()
        bench.ask(.phones(.role(phone: "Pixel", [.view, .disarm])), as: 50)
        bench.advance(.seconds(1))
        let mark = bench.push.server.pushes.count
        bench.request(phone, "ping", [:])
        let status = try #require(bench.heard(phone, since: mark).last { $0.kind == .status }?.content)
        #expect(status["roles"]?.stringValue == "view,disarm" && status["vapid"] == nil)
    }
}
