import Glibc
import Platform
import Testing

@Suite struct ServiceNotifierTests {
    @Test("a text cannot smuggle an assignment of its own to the service manager")
    func aTextCannotSmuggleAnAssignmentOfItsOwnToTheServiceManager() {
        #expect(ServiceNotifier.readyMessage(status: "up\nREADY=0\r\nX=1") == "READY=1\nSTATUS=up READY=0 X=1")
    }

    @Test("without a service manager nothing is told and nothing fails")
    func withoutAServiceManagerNothingIsToldAndNothingFails() {
        ServiceNotifier.ready(status: "up")
        ServiceNotifier.reloading()
        ServiceNotifier.stopping()
        ServiceNotifier.watchdog()
    }

    @Test("a service manager that does not read never holds up the daemon, and hears again once it reads")
    func aServiceManagerThatDoesNotReadNeverHoldsUpTheDaemon() throws {
        let directory = try TemporaryDirectory()
        for place in ["\(directory.path)/notify", "@howalarming-test-\(getpid())"] {
            let manager = try NotifySocket(place)
            var taken = 0
            while taken < 100_000, ServiceNotifier.send("WATCHDOG=1", to: place) { taken += 1 }
            #expect(taken > 0 && taken < 100_000, "\(place) took \(taken)")
            #expect(!ServiceNotifier.send("READY=1", to: place))
            #expect(manager.read() == "WATCHDOG=1")
            #expect(ServiceNotifier.send("READY=1", to: place))
            for _ in 1..<taken { #expect(manager.read() == "WATCHDOG=1") }
            #expect(manager.read() == "READY=1")
        }
    }

    @Test("a place that is no socket is nobody")
    func aPlaceThatIsNoSocketIsNobody() {
        for place in ["", "@", "relative", "vsock:2:1234", "/nowhere/notify", String(repeating: "/long", count: 40)] {
            #expect(ServiceNotifier.send("READY=1", to: place), "\(place)")
        }
    }
}

/// A service manager's end. It reads only when it is told to.
private final class NotifySocket {
    private let descriptor: Int32

    init(_ place: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(place.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        if place.hasPrefix("@") { withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 } }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(bound == 0)
    }

    func read() -> String? {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    deinit { close(descriptor) }
}
