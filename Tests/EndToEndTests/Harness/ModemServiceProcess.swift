import Foundation
import Glibc

/// A system bus of the test's own, and ModemManager as python-dbusmock plays it there: a modem whose network takes every
/// call and every text.
final class ModemServiceProcess {
    static let isThere = Independents.hasDBusMock
    private static let packages = "/usr/lib/python3/dist-packages"
    private static let template =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("PlatformTests/SystemBus/Programs/modem_manager.py").path

    /// With this the daemon finds the modem.
    let environment: [String: String]
    private let directory: TestDirectory
    private let bus: Program
    private let service: Program

    init(in directory: TestDirectory) throws {
        self.directory = directory
        let place = "\(directory.path)/system-bus"
        environment = [
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(place)", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": "\(Independents.root)\(Self.packages)", "LD_LIBRARY_PATH": Independents.libraries,
        ]
        let file = try directory.write(
            "bus.conf",
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>system</type><listen>unix:path=\(place)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/>
            <allow send_type="method_call"/><allow eavesdrop="true"/></policy></busconfig>
            """)
        bus = try Program(
            "bus", ["--nofork", "--nopidfile", "--config-file=\(file)"], in: directory, environment: environment,
            executable: Independents.program("/usr/bin/dbus-daemon"))
        let bus = bus
        try eventually("the bus; \(bus.report)") { access(place, F_OK) == 0 ? true : nil }
        service = try Program(
            "modem-service", ["-m", "dbusmock", "--template", Self.template], in: directory, environment: environment,
            executable: "/usr/bin/python3")
        try eventually("ModemManager; \(service.report)") { (try? self.control("Heard")) != nil ? true : nil }
        try control("ModemAppears", "")
    }

    /// One of the template's own orders.
    /// - Returns: what it answers, line by line
    @discardableResult
    func control(_ member: String, _ arguments: String...) throws -> [String] {
        let script = """
            import sys, dbus
            bus = dbus.SystemBus()
            modem = bus.get_object("org.freedesktop.ModemManager1", "/org/freedesktop/ModemManager1")
            words = [dbus.UInt32(int(word[1:])) if word[:1] == "#" else word for word in sys.argv[2:]]
            said = modem.get_dbus_method(sys.argv[1], "org.freedesktop.DBus.Mock")(*words)
            print("\\n".join(said) if isinstance(said, list) else said or "")
            """
        let result = try Program.run(
            ["-c", script, member] + arguments, in: directory, environment: environment, executable: "/usr/bin/python3")
        guard result.status == 0 else { throw HarnessError("\(member): \(result.errors)") }
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Waits until the daemon has called it so.
    func waitUntilHeard(_ call: String, within span: Duration = .patience) throws {
        try eventually(within: span, "the call '\(call)'; \(service.report)") {
            try self.control("Heard").contains(call) ? true : nil
        }
    }
}
