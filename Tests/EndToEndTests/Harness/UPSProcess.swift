import Foundation
import Glibc

/// NUT's own server upsd with its dummy driver, on loopback: a UPS that is as a file says.
final class UPSProcess {
    static let password = "s3cret-ups"
    let port: UInt16
    private let directory: TestDirectory
    private let driver: Program
    private var server: Program?
    /// How often the UPS has said something new.
    private var said = 0

    init(in directory: TestDirectory) throws {
        self.directory = directory
        let (held, port) = try TestSocket.bind(listening: false)
        held.close()
        self.port = port
        let device = try directory.write("eaton.dev", Self.device("OL", charge: 100, runtime: 2520))
        _ = try directory.write("ups.conf", "[eaton]\n  driver = dummy-ups\n  port = \(device)\n")
        _ = try directory.write("upsd.conf", "LISTEN 127.0.0.1 \(port)\n")
        _ = try directory.write("upsd.users", "[alarm]\n  password = \(Self.password)\n  upsmon secondary\n")
        driver = try Program(
            "dummy-ups", ["-a", "eaton", "-D", "-i", "1"] + Self.user, in: directory,
            environment: Self.environment(directory), executable: Self.program("dummy-ups"))
        try start()
    }

    /// The server answers when this returns.
    func start() throws {
        let program = try Program(
            "upsd", ["-D"] + Self.user, in: directory, environment: Self.environment(directory),
            executable: Self.program("upsd"))
        server = program
        try eventually("upsd knows its UPS; \(program.report)") {
            guard program.isRunning else { throw HarnessError("upsd has ended. \(program.report)") }
            return program.errors.contains("Connected to UPS [eaton]") ? true : nil
        }
    }

    /// The server ends; the driver goes on.
    func stop() throws { _ = try server?.terminate() }

    /// What the UPS says from now on.
    ///
    /// The driver reads its file again only when the second of the file's time is another one, and finds it whole.
    func says(_ status: String, charge: Int, runtime: Int) throws {
        let written = try directory.write("eaton.new", Self.device(status, charge: charge, runtime: runtime))
        said += 1
        let time = Date(timeIntervalSince1970: Double(said))
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: written)
        guard rename(written, "\(directory.path)/eaton.dev") == 0 else {
            throw HarnessError("eaton.dev cannot be replaced (error \(errno))")
        }
    }

    private static func device(_ status: String, charge: Int, runtime: Int) -> String {
        "ups.status: \(status)\nbattery.charge: \(charge)\nbattery.runtime: \(runtime)\n"
    }

    /// The lines of the configuration for this server.
    func section(password: String?) -> String {
        """
        ups:
          host: 127.0.0.1
          port: \(port)
          name: eaton
          poll: 1

        """ + (password.map { "  user: alarm\n  password: \($0)\n" } ?? "")
    }

    static let isThere = Independents.hasNUT

    /// Where Debian keeps them depends on its release.
    static func program(_ name: String) -> String {
        let places = ["/usr/lib/nut/\(name)", "/lib/nut/\(name)", "/usr/sbin/\(name)"]
        let found = places.map(Independents.program).first { access($0, X_OK) == 0 }
        return found ?? "/usr/sbin/\(name)"
    }

    private static func environment(_ directory: TestDirectory) -> [String: String] {
        var all = ["NUT_CONFPATH", "NUT_STATEPATH", "NUT_ALTPIDPATH", "NUT_PIDPATH"].reduce(into: [:]) {
            $0[$1] = directory.path
        }
        let old = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "\(Independents.root)/lib/\($0)" }
        all["LD_LIBRARY_PATH"] = ([Independents.libraries] + old).joined(separator: ":")
        return all
    }

    /// As root they would become users that are not there.
    private static var user: [String] { getuid() == 0 ? ["-u", "root"] : [] }
}
