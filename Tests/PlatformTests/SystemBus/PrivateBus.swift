import AlarmModel
import Glibc
import Platform
import Testing

/// A message bus of the test's own (dbus-daemon), services that python-dbusmock plays on it, and a loop.
final class PrivateBus {
    let loop: EventLoop
    let directory: TemporaryDirectory
    var address: String { "unix:path=\(directory.path)/bus" }
    private var daemon: ChildProcess?
    private var services: [ChildProcess] = []
    private(set) var complaints: [String] = []
    private var ends = 0
    /// For the test's own calls.
    private var client: SystemBus?

    static let advice = "start 'tools/lib/independents' first; tools/test does"
    /// Whether it can run here. Where tests must not be skipped, it fails instead.
    static var isPossible: Bool {
        let isMustRun = getenv("CI").map { String(cString: $0) } == "true"
        return isMustRun || (access(place("/usr/bin/dbus-daemon"), X_OK) == 0 && access(mock, R_OK) == 0)
    }

    private static func above(_ levels: Int) -> String {
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(levels).joined(separator: "/")
    }
    private static let tests = above(1)
    private static let root = above(4) + "/.build/independents/root"
    private static let packages = "/usr/lib/python3/dist-packages"
    private static var mock: String { place("\(packages)/dbusmock/__main__.py") }
    /// A file of a Debian package, where it was unpacked or where it is installed.
    static func place(_ path: String) -> String {
        access(root + path, R_OK) == 0 ? root + path : path
    }

    init() throws {
        loop = try EventLoop()
        directory = try TemporaryDirectory()
    }

    deinit { end() }

    /// To be called where closures on the loop keep this alive.
    func end() {
        client?.close()
        for service in services where service.isRunning { service.kill() }
        daemon?.kill()
    }

    /// Starts the daemon, for the first time or again, and waits until it can be reached.
    func start() throws {
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>system</type><listen>\(address)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/>
            <allow send_type="method_call"/><allow eavesdrop="true"/></policy></busconfig>
            """
        let file = "\(directory.path)/bus.conf"
        try AtomicFile.write(file, Array(configuration.utf8))
        unlink("\(directory.path)/bus")
        daemon = try run("/usr/bin/dbus-daemon", ["--nofork", "--nopidfile", "--config-file=\(file)"])
        try wait(for: "the bus") { access("\(self.directory.path)/bus", F_OK) == 0 }
    }

    func stop() throws {
        daemon?.kill()
        let before = ends
        try wait(for: "the end of the bus") { self.ends > before }
    }

    /// Plays a service and waits until it is there.
    func play(_ template: String, name: String) throws {
        let path = template.hasSuffix(".py") ? "\(Self.tests)/Programs/\(template)" : template
        let service = try run("/usr/bin/python3", ["-m", "dbusmock", "--template", path])
        services.append(service)
        try wait(for: "the service \(name)") {
            guard service.isRunning else {
                throw WaitedInVain(description: self.complaints.suffix(20).joined(separator: "\n"))
            }
            let owner = try self.ask(
                BusCall(
                    "NameHasOwner", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                    from: "org.freedesktop.DBus",
                    [.string(name)]))
            return owner.first?.boolValue == true
        }
    }

    /// They answer nothing any more.
    func freezeServices() { for service in services { service.signal(SIGSTOP) } }

    func endServices() throws {
        let expected = ends + services.count
        for service in services { service.kill() }
        services = []
        try wait(for: "the end of the services") { self.ends >= expected }
    }

    static let libraries = ["x86_64", "aarch64"].map { "\(root)/usr/lib/\($0)-linux-gnu" }.joined(separator: ":")

    private func run(_ path: String, _ arguments: [String]) throws -> ChildProcess {
        let child = try ChildProcess(
            Self.place(path), arguments,
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS=\(address)", "PYTHONPATH=\(Self.root)\(Self.packages)",
                "LD_LIBRARY_PATH=\(Self.libraries)", "PYTHONDONTWRITEBYTECODE=1",
            ], output: .lines, on: loop)
        child.onLine = { [weak self] in self?.complaints.append("\($0): \($1)") }
        child.onEnd = { [weak self] _ in self?.ends += 1 }
        return child
    }

    /// Calls on behalf of the test and waits for the answer.
    @discardableResult
    func ask(_ call: BusCall) throws -> [BusValue] {
        let client = self.client ?? SystemBus(on: loop, address: address)
        self.client = client
        try wait(for: "the test's connection") { client.isReady }
        var result: Result<[BusValue], BusError>?
        client.call(call) { result = $0 }
        try wait(for: "an answer to \(call.member)") { result != nil }
        return try result?.get() ?? []
    }

    /// Looks after each round of the loop whether the condition holds.
    func wait(for what: String, within span: Duration = .patience, until holds: @escaping () throws -> Bool) throws {
        let deadline = SystemClock.bootTime() + span
        while try !holds() {
            guard SystemClock.bootTime() < deadline else {
                throw WaitedInVain(
                    description: "not in \(span): \(what)\n" + complaints.suffix(20).joined(separator: "\n"))
            }
            // One round at a time: what is waited for may have happened in any.
            let tick = loop.setTimer(after: .milliseconds(50)) {}
            loop.beforeSleep = nil
            loop.oneRound()
            loop.cancel(tick)
        }
    }
}

struct WaitedInVain: Error, CustomStringConvertible { var description: String }

extension EventLoop {
    /// Sleeps once, and does what it was woken for.
    func oneRound() {
        var rounds = 0
        beforeSleep = { [unowned self] in
            rounds += 1
            if rounds == 2 { self.stop() }
        }
        run()
        beforeSleep = nil
    }
}
