import AlarmModel
import Foundation
import PhoneProtocol

/// A box with two providers, the push service in the internet, and a phone there.
final class LinkHouse {
    let network: TwoProviders
    let phones: PhoneHouse
    var house: Appliance { phones.house }
    /// So long a preferred link must be good again.
    static let hold = Duration.seconds(3)

    /// - Parameters:
    ///   - timing: lines of `links.probe.timing`, besides those that let it come back soon
    ///   - more: further lines of the configuration
    init(
        attached: [TwoProviders.HouseLink] = TwoProviders.HouseLink.allCases, timing: [String] = [],
        _ more: (TwoProviders) throws -> [String] = { _ in [] }
    ) throws {
        let directory = try TestDirectory()
        let network = try TwoProviders(in: directory, attached: attached)
        self.network = network
        let push = try network.internet.inside { try PushProcess(in: directory, arguments: ["--trace"]) }
        try network.forward(port: push.port)
        var configuration = Configuration()
        var account = PhonesConfiguration(push)
        account.host = TwoProviders.pushName
        // Everything else as it is in life: what is measured here are these times, too.
        account.timing = ["reconnect_minimum: 1s"]
        configuration.phones = account
        configuration.channels = [
            "links:", "  ethernet: {interface: \(TwoProviders.HouseLink.first.interface)}",
            "  modem: {interface: \(TwoProviders.HouseLink.second.interface), metered: true}", "  probe:",
            "    targets: [\(TwoProviders.probeTargets.map { "'\($0)'" }.joined(separator: ", "))]",
            "    name: probe.test",
            "    timing: {\((["hold: 3s", "flap_window: 1s", "standby_every: 1s"] + timing).joined(separator: ", "))}",
        ]
        configuration.channels += try more(network)
        let settings = configuration
        let house = try network.box.inside { try Appliance(settings, in: directory) }
        phones = PhoneHouse(directory: directory, push: push, house: house)
        try FileManager.default.createDirectory(atPath: network.state, withIntermediateDirectories: true)
        // A box of its own: networkd's files are the test's, and the system's name server is one that never answers.
        let resolver = try directory.write("resolv.conf", "nameserver 192.0.2.1\n")
        house.launcher = [
            "/usr/bin/unshare", "--mount", "/bin/sh", "-ec",
            """
            mount -t tmpfs tmpfs /run; mkdir -p /run/systemd/netif
            mount --bind \(network.state) /run/systemd/netif
            if [ -e /etc/resolv.conf ]; then mount --bind \(resolver) /etc/resolv.conf; fi
            exec "$@"
            """, "sh",
        ]
    }

    /// With the daemon running, its panel up and, if it can be, the phone service connected.
    static func running(
        attached: [TwoProviders.HouseLink] = TwoProviders.HouseLink.allCases, timing: [String] = []
    ) throws -> LinkHouse {
        let house = try LinkHouse(attached: attached, timing: timing)
        try house.start()
        if !attached.isEmpty { try house.waitUntilConnected(through: attached[0]) }
        return house
    }

    func start() throws {
        try network.box.inside {
            try house.start()
            try house.waitUntilUp()
        }
    }

    func phone(of person: String) throws -> PhoneProcess {
        try network.internet.inside { try phones.phone(of: person) }
    }

    // MARK: What can be seen

    /// The newest connection that is logged in at the push service; 0 for none.
    func newestLogin() throws -> Int64 {
        let all = try phones.push.truth()["connections"]?.arrayValue ?? []
        return all.filter { $0["isReady"] == .bool(true) }.compactMap {
            $0["id"]?.integerValue
        }.max() ?? 0
    }

    /// Waits until a newer connection than that is logged in; how long it took.
    @discardableResult
    func waitForLogin(
        after last: Int64, through houseLink: TwoProviders.HouseLink, within span: Duration, _ what: String
    ) throws -> Duration {
        let start = ContinuousClock.now
        let prefix = "10.\(houseLink.rawValue)."
        try eventually(within: span, "\(what): a new connection over \(houseLink.interface); \(report)") {
            () throws -> Bool? in
            guard try newestLogin() > last else { return nil }
            return try network.connections(to: phones.push.port).contains { $0.hasPrefix(prefix) } ? true : nil
        }
        return ContinuousClock.now - start
    }

    func waitUntilConnected(through houseLink: TwoProviders.HouseLink, within span: Duration = .patience) throws {
        try waitForLogin(after: 0, through: houseLink, within: span, "at the start")
    }

    /// What `links --json` tells of a link.
    func link(_ houseLink: TwoProviders.HouseLink) throws -> JSON {
        let all = try JSON(parsing: try house.run("links", "--json").output)["links"]?.arrayValue ?? []
        guard let found = all.first(where: { $0["interface"] == .string(houseLink.interface) }) else {
            throw HarnessError("links does not show \(houseLink.interface)")
        }
        return found
    }

    func waitForState(
        _ houseLink: TwoProviders.HouseLink, _ states: [String], within span: Duration = .patience
    ) throws {
        try eventually(within: span, "\(houseLink.interface) is \(states); \(report)") { () throws -> Bool? in
            usleep(200_000)
            return states.contains(try link(houseLink)["state"]?.stringValue ?? "") ? true : nil
        }
    }

    /// How many events of this kind are stored.
    func count(of code: String) throws -> Int { try house.journal().count { $0.event.code == code } }

    var report: String {
        let links = (try? house.run("links").output) ?? ""
        let events = (try? house.run("events", "--limit", "15").output) ?? ""
        let here = (try? network.connections(to: phones.push.port)) ?? []
        let there = (try? phones.push.truth()["connections"]?.text) ?? ""
        return """
            \(links)
            \(events)
            \((try? network.connectionTable()) ?? "")
            connections of the box: \(here) to \(phones.push.port); at the service: \(there)
            \(house.daemon?.report ?? "")
            \(phones.push.program.report)
            """
    }
}
