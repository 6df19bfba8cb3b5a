import AlarmModel
import Foundation
import PhoneProtocol
import Testing

/// Apart from the cuts, so that both can run at the same time.
@Suite(
    "links come, go and fail", .enabled(if: NetworkNamespace.isPossible, "network namespaces are root's"),
    .serialized, .timeLimit(.minutes(120)))
struct LinkFaultTests {
    @Test(
        "an alarm that is raised in a black hole, or on a link that swallows it, reaches the phone by the other way",
        arguments: [TwoProviders.Fault.blackHole, .swallows])
    func anAlarmThatIsRaisedInABlackHoleReachesThePhoneByTheOther(fault: TwoProviders.Fault) throws {
        let house = try LinkHouse.running()
        let anna = try house.phone(of: "Anna")
        try house.waitForState(.second, ["up"])
        try house.network.cut(.first, fault)
        let start = ContinuousClock.now
        try house.house.house("key panic")
        try anna.waitForLine("alarm 625", within: .seconds(90))
        print("alarm, \(fault): at the phone after \(ContinuousClock.now - start)")
        #expect(anna.count(of: "alarm 625") == 1)
    }

    @Test("the lease is not renewed: from the new address, and from a new network, alarms still arrive")
    func theLeaseIsNotRenewed() throws {
        let house = try LinkHouse.running()
        let anna = try house.phone(of: "Anna")
        for (net, host, overlapping) in [(0, 77, true), (0, 78, false), (7, 5, false)] {
            try house.network.renumber(.first, network: net, host: host, overlapping: overlapping)
            let start = ContinuousClock.now
            try eventually(within: .seconds(60), "a connection from 10.1.\(net).\(host); \(house.report)") {
                () throws -> Bool? in
                usleep(20_000)
                return try house.network.connections(to: house.phones.push.port) == ["10.1.\(net).\(host)"] ? true : nil
            }
            print("renumbered to 10.1.\(net).\(host): connected from it after \(ContinuousClock.now - start)")
            try house.phones.panic()
            try anna.waitForLine("alarm 625", within: .seconds(60))
        }
        #expect(try house.link(.first)["active"] == .bool(true))
        #expect(try house.link(.first)["addresses"] == .array([.string("10.1.7.5")]))
    }

    @Test("without any link at the start, and with one that comes later, the box is ready and takes what comes")
    func withoutAnyLinkAtTheStart() throws {
        let house = try LinkHouse.running(attached: [])
        #expect(house.house.notify.isReady)
        for houseLink in [TwoProviders.HouseLink.second, .first] {
            let last = try house.newestLogin()
            try house.network.attach(houseLink)
            let time = try house.waitForLogin(after: last, through: houseLink, within: .seconds(60), "put in")
            print("\(houseLink.interface) put in: connected after \(time)")
        }
        let last = try house.newestLogin()
        try house.network.detach(.first)
        print(
            "eth0 taken out: connected after",
            try house.waitForLogin(after: last, through: .second, within: .seconds(10), "taken out"))
        try house.network.attach(.first)
        try house.waitForLogin(after: house.newestLogin(), through: .first, within: .seconds(60), "put in again")
    }

    @Test("a provider whose name servers never answer: a lost connection is made again, and the alarm arrives")
    func aProviderWhoseNameServersNeverAnswer() throws {
        let house = try LinkHouse.running()
        let anna = try house.phone(of: "Anna")
        try house.waitForState(.second, ["up"])
        try house.network.cut(.first, .names)
        try house.phones.push.perform("close-abrupt")
        let start = ContinuousClock.now
        try house.house.house("key panic")
        try anna.waitForLine("alarm 625", within: .seconds(90))
        print("alarm without name servers: at the phone after \(ContinuousClock.now - start)")
        // The whole box is started anew in this state.
        house.house.kill9()
        try house.start()
        try house.phones.panic()
        try anna.waitForLine("alarm 625", within: .seconds(90))
    }
}
