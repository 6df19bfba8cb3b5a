import Foundation
import PhoneProtocol
import Testing

/// What a receiver outside sees of the house's two links: a receiver of others behind two providers.
@Suite(
    "a receiver and two links",
    .enabled(if: NetworkNamespace.isPossible && ReceiverProcess.isThere, Comment(rawValue: Independents.advice)),
    .serialized, .timeLimit(.minutes(15)))
struct ReceiverPathsTests {
    /// The address that each provider shows instead of its customer's.
    private static func address(_ link: TwoProviders.HouseLink) -> JSON {
        .string("203.0.113.\((link.rawValue - 1) * 4 + 2)")
    }

    /// With the receiver's answers behind the daemon; polled every 30 s.
    private static func running() throws -> (LinkHouse, ReceiverProcess) {
        var receiver: ReceiverProcess?
        let house = try LinkHouse { network in
            let found = try network.internet.inside {
                try ReceiverProcess(.siadc09, account: "12AB", key: "", in: network.directory)
            }
            receiver = found
            return [
                "receiver:", "  host: \(TwoProviders.pushName)", "  port: \(found.port)", "  account: '12AB'",
            ]
        }
        let found = try #require(receiver)
        try house.network.forward(port: found.port)
        try house.start()
        try house.waitUntilConnected(through: .first)
        try house.waitForState(.second, ["up"])
        return (house, found)
    }

    @Test(
        "the first link is lost: an alarm of that moment is at the receiver within 60 s, a poll by the other within 90 s",
        arguments: [TwoProviders.Fault.carrier, .blackHole])
    func theFirstLinkIsLost(_ fault: TwoProviders.Fault) throws {
        let (house, receiver) = try Self.running()
        var begin = ContinuousClock.now
        /// Since `begin`.
        func told(_ what: String, _ fits: @escaping (JSON) -> Bool) throws -> Duration {
            // What is promised, twice.
            try eventually(within: .seconds(180), "\(what); \(receiver.program.report); \(house.report)") {
                receiver.told.contains(where: fits) ? true : nil
            }
            return ContinuousClock.now - begin
        }
        let isPoll = { (line: JSON) in line["report"] == .null && line["id"] == .string("NULL") }
        _ = try told("a poll by the first link") { isPoll($0) && $0["peer"] == Self.address(.first) }
        #expect(!receiver.told.contains { $0["peer"] == Self.address(.second) })

        begin = .now
        try house.network.cut(.first, fault)
        try house.house.house("key panic")
        let second = Self.address(.second)
        let alarm = try told("the alarm by the second link") {
            $0["report"] == .string("1120 00 000") && $0["peer"] == second
        }
        #expect(alarm < .seconds(120))
        let lost = try told("the lost link") { $0["report"]?.stringValue?.hasPrefix("1350 ") == true }
        let poll = try told("a poll by the second link") { isPoll($0) && $0["peer"] == second }
        #expect(poll < .seconds(180))
        print("receiver, \(fault): alarm after \(alarm), the lost link \(lost), a poll by the other link \(poll)")
        // Once, however often it was sent.
        let alarms = receiver.told.filter { $0["report"] == .string("1120 00 000") }
        #expect(Set(alarms.compactMap { $0["seq"]?.integerValue }).count == 1)
    }
}
