import AlarmModel
import Glibc
import Platform
import Testing

@Suite("The modem's addresses", .enabled(if: PrivateBus.isPossible, "\(PrivateBus.advice)"), .serialized)
struct ModemNetworkKeeperTests {
    /// A networkctl that notes what it is told, and fails as long as a file is there.
    private func control(in directory: String) throws -> String {
        let path = "\(directory)/networkctl"
        let script = """
            #!/bin/sh
            echo "$@" >> \(directory)/orders
            [ ! -e \(directory)/stuck ] || exec sleep 60
            [ ! -e \(directory)/broken ] || { echo "Failed to reload: no" >&2; exit 1; }

            """
        try AtomicFile.write(path, Array(script.utf8), mode: 0o755)
        return path
    }

    private func read(_ path: String) -> String? {
        (try? FileReader.read(path, limit: 10_000)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("they are written while the connection stands, read by networkd, and taken away with it")
    func theyAreWrittenWhileTheConnectionStands() throws {
        let bus = try PrivateBus()
        try bus.start()
        try bus.play("modem_manager.py", name: "org.freedesktop.ModemManager1")
        let place = bus.directory.path
        let file = "\(place)/10-howalarming-modem.network"
        var log: [String] = []
        let keeper = ModemNetworkKeeper(
            directory: place, control: try control(in: place), bus: bus.address, on: bus.loop
        ) { log.append($0.message) }
        defer { keeper.close() }
        func mock(_ member: String, _ arguments: [BusValue] = []) throws {
            try bus.ask(
                BusCall(
                    member, of: "org.freedesktop.DBus.Mock", at: "/org/freedesktop/ModemManager1",
                    from: "org.freedesktop.ModemManager1", arguments))
        }
        var isThere = false
        var isConnected = false
        let daemon = ModemManagerBus(on: bus.loop, address: bus.address) { fact in
            guard case .modem(let status?) = fact else { return }
            isThere = true
            isConnected = status.bearer != nil
        }
        defer { daemon.close() }
        try mock("ModemAppears", [.string("")])
        try AtomicFile.write("\(place)/broken", [])
        try bus.wait(for: "the modem") { isThere }
        daemon.carryOut(.connect(ModemSubscription(apn: "internet")))
        try bus.wait(for: "the connection") { isConnected }
        try bus.wait(for: "the first try") { log.contains { $0.contains("Failed to reload: no") } }
        unlink("\(place)/broken")
        try bus.wait(for: "the addresses") { log.last == "wwan0 has the modem's addresses" }
        #expect(read(file)?.contains("Address=10.65.1.2/30") == true)
        #expect(read("\(place)/orders") == "reload\nreload\nreconfigure wwan0\n")
        try mock("BearerDrops")
        try bus.wait(for: "the end") { log.last == "the modem's addresses are taken away" }
        #expect(read(file) == nil)
    }

    @Test("an order that networkctl does not end is given again")
    func anOrderThatIsNotEnded() throws {
        let bus = try PrivateBus()
        try bus.start()
        let place = bus.directory.path
        // There is no modem service, so what an earlier start left is taken away after ten seconds.
        try AtomicFile.write("\(place)/10-howalarming-modem.network", Array("[Match]\n".utf8))
        try AtomicFile.write("\(place)/stuck", [])
        var log: [String] = []
        let keeper = ModemNetworkKeeper(
            directory: place, control: try control(in: place), bus: bus.address, orderSpan: .milliseconds(200),
            on: bus.loop
        ) { log.append($0.message) }
        defer { keeper.close() }
        try bus.wait(for: "the end of the first try") { log.contains { $0.contains("gave no answer within") } }
        unlink("\(place)/stuck")
        try bus.wait(for: "the second try") { log.last == "the modem's addresses are taken away" }
        #expect(read("\(place)/orders")?.split(separator: "\n").count ?? 0 >= 2)
    }
}
