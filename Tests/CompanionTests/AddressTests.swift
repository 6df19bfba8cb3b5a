import AlarmModel
import Companion
import PhoneProtocol
import Testing

@Suite("A new address of the phone")
struct AddressTests {
    static let new = ContactAddress(kind: .fcmToken, value: "new-token")

    @Test("is told again when nothing came back, and no more once the box has it")
    func isToldAgainUntilTheBoxHasIt() throws {
        var house = try PairedHouse()
        house.changesAddressUnheard()
        let afterwards = house.phone.memory.commands.map(\.outcome)
        #expect(afterwards == [.timeout])
        house.pass(seconds: 0)
        #expect(house.told() == ["k=2;v=bmV3LXRva2Vu"])
        let counter = try #require(house.box.commands.last).0.counter
        house.phoneHears(house.box.result(counter, "ok"))
        // One line of the list, whatever it took.
        let outcomes = house.phone.memory.commands.map(\.outcome)
        #expect(outcomes == [.ok])
        house.pass(seconds: 7200)
        #expect(house.told().isEmpty)
    }

    @Test("is told after a restart of the app, too")
    func isToldAfterARestartOfTheApp() throws {
        var house = try PairedHouse()
        house.changesAddressUnheard()
        let secrets = try #require(house.phone.secrets)
        house.phone = PairedPhone(
            secrets: secrets, memory: house.phone.memory, crypto: SeededCrypto(seed: 77),
            signers: try PairedHouse.signers())
        house.pass(seconds: 0)
        #expect(house.told() == ["k=2;v=bmV3LXRva2Vu"])
    }

    @Test("is not in the memory of an older app, which is read all the same")
    func isNotInTheMemoryOfAnOlderApp() throws {
        let house = try PairedHouse()
        let members = try #require(try JSON.encoding(house.phone.memory).objectValue)
        #expect(members.contains { $0.key == "untoldAddresses" })
        let older = JSON.object(members.filter { $0.key != "untoldAddresses" })
        #expect(try older.decoding(PhoneMemory.self) == house.phone.memory)
    }

    @Test("is told at once when there is contact again, and only the newest of its kind")
    func isToldAtOnceWhenThereIsContactAgain() throws {
        var house = try PairedHouse()
        house.changesAddressUnheard()
        house.phone.addressChanged(
            to: ContactAddress(kind: .fcmToken, value: "newest"), at: house.time, into: &house.actions)
        _ = house.sent()
        house.pass(seconds: 76)
        _ = house.sent()
        house.phone.becameReachable(at: house.time, into: &house.actions)
        #expect(house.told() == ["k=2;v=bmV3ZXN0"])
    }

    @Test("is not told again when the box will never take it", arguments: ["role", "verb", "args"])
    func isNotToldAgainWhenTheBoxWillNeverTakeIt(why: String) throws {
        var house = try PairedHouse()
        house.phone.addressChanged(to: Self.new, at: house.time, into: &house.actions)
        #expect(house.told().count == 1)
        let counter = try #require(house.box.commands.last).0.counter
        house.phoneHears(house.box.result(counter, "denied", why: why))
        house.pass(seconds: 7200)
        #expect(house.told().isEmpty)
    }

    @Test("that the box could not reach when it was told is told again when the app comes to the front, and once")
    func thatTheBoxCouldNotReachIsToldAgain() throws {
        var house = try PairedHouse()
        house.phone.addressChanged(to: Self.new, at: house.time, into: &house.actions)
        #expect(house.told().count == 1)
        for _ in 0..<2 {
            let counter = try #require(house.box.commands.last).0.counter
            house.phoneHears(house.box.result(counter, "denied", why: "request"))
            house.pass(seconds: 7200)
            #expect(house.told().isEmpty)
            house.phone.becameReachable(at: house.time, into: &house.actions)
            #expect(house.told() == ["k=2;v=bmV3LXRva2Vu"])
        }
        let counter = try #require(house.box.commands.last).0.counter
        house.phoneHears(house.box.result(counter, "ok"))
        house.phone.becameReachable(at: house.time, into: &house.actions)
        #expect(house.told().isEmpty)
    }
}

extension PairedHouse {
    /// The phone has a new address, and nothing that it sends arrives until it gives up.
    fileprivate mutating func changesAddressUnheard() {
        phone.addressChanged(to: AddressTests.new, at: time, into: &actions)
        _ = sent()
        pass(seconds: 75)
        _ = sent()
    }

    /// The arguments of the addresses that arrive at the box now.
    fileprivate mutating func told() -> [String] {
        let before = box.commands.count
        talk()
        return box.commands.dropFirst(before).filter { $0.0.verb == "addr" }.map { $0.0.arguments.description }
    }
}
