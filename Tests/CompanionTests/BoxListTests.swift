import Companion
import PhoneProtocol
import Testing

@Suite("Lists that the box tells a phone")
struct BoxListTests {
    private func house() throws -> PairedHouse {
        var house = try PairedHouse()
        house.welcome()
        house.meet()
        return house
    }

    /// What the phone has of the list when nothing more is said.
    private func ask(_ name: BoxList.Name, _ house: inout PairedHouse) -> [BoxList] {
        var lists: [BoxList] = []
        house.phone.askForList(name, at: house.time, into: &house.actions)
        for _ in 0..<20 {
            lists += told(house)
            for envelope in house.sent() {
                for answer in house.box.heard(envelope) { house.phoneHears(answer) }
            }
        }
        return lists
    }

    private func told(_ house: PairedHouse) -> [BoxList] {
        house.actions.compactMap { action in
            guard case .listed(let list) = action else { return nil }
            return list
        }
    }

    private func row(_ number: Int) -> JSON {
        .object(["zone": .string("\(number)"), "name": .string("Zone \(number)")])
    }

    @Test("a list of several pages comes as one, whole and in order")
    func aListOfSeveralPagesComesAsOne() throws {
        var house = try house()
        house.box.lists["names"] = (1...5).map { row($0) }
        let lists = ask(.names, &house)
        #expect(lists.map { $0.rows.map { $0["zone"] } } == [["1", "2", "3", "4", "5"]])
        #expect(lists.first?.rows.first?["name"] == "Zone 1")
        #expect(house.phone.memory.siteName == "Home")
    }

    @Test("a list that wants another role says so, and is empty")
    func aListThatWantsAnotherRoleSaysSo() throws {
        var house = try house()
        let lists = ask(.phones, &house)
        #expect(lists.map(\.isRefused) == [true])
        #expect(lists.first?.rows == [])
    }

    @Test("pages that nobody asked for, of another list or out of turn, are passed over")
    func pagesThatNobodyAskedForArePassedOver() throws {
        var house = try house()
        let content: JSON = .object(["what": "names", "from": "0", "rows": "[{\"zone\":\"1\"}]"])
        house.phoneHears(house.box.seal(.list, content))
        house.phoneHears(house.box.seal(.list, rid: Array(repeating: 7, count: 8), content))
        #expect(told(house).isEmpty)
        house.phone.askForList(.phones, at: house.time, into: &house.actions)
        let request = try #require(house.sent().compactMap { house.box.opened($0) }.first { $0.verb == "list" })
        house.phoneHears(house.box.seal(.list, rid: request.rid, content))
        #expect(told(house).isEmpty)
    }

    @Test("the answer to a ping brings new roles and a new key; an older box's answer changes neither")
    func theAnswerToAPingBringsNewRoles() throws {
        var house = try house()
        let before = house.phone.memory.roles
        #expect(before != nil && house.phone.memory.pushKey == nil)
        house.box.standing = [.init(key: "roles", value: "view,disarm"), .init(key: "vapid", value: "BKey")]
        house.meet()
        #expect(house.phone.memory.roles == ["view", "disarm"] && house.phone.memory.pushKey == "BKey")
        house.box.standing = []
        house.meet()
        #expect(house.phone.memory.roles == ["view", "disarm"] && house.phone.memory.pushKey == "BKey")
    }
}
