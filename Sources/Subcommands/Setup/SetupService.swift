import Glibc
import Platform

/// The systemd service that a package brings, as far as a set-up uses it.
struct SetupService {
    private static let unit = "howalarming.service"
    private static let patience = Duration.seconds(30)

    private let program: String? = ["/usr/bin/systemctl", "/bin/systemctl"].first { access($0, X_OK) == 0 }

    /// And this user may start it.
    var isInstalled: Bool { geteuid() == 0 && succeeds("cat") }

    var isActive: Bool { succeeds("is-active") }

    /// Now and at each start of the machine.
    ///
    /// - Returns: why it does not run
    func start() -> String? {
        let arguments = ["enable", "--now", Self.unit]
        guard let (status, lines) = run(arguments) else { return "systemctl cannot be run" }
        return status == 0 ? nil : lines.last ?? "systemctl ended with \(status)"
    }

    /// The service's user reads the file, and nobody else.
    func own(_ path: String) {
        guard geteuid() == 0, let user = getpwnam("howalarming") else { return }
        _ = chown(path, user.pointee.pw_uid, user.pointee.pw_gid)
    }

    private func succeeds(_ verb: String) -> Bool { run([verb, Self.unit])?.status == 0 }

    private func run(_ arguments: [String]) -> (status: Int32, lines: [String])? {
        guard let program else { return nil }
        do throws(SystemError) {
            let loop = try EventLoop()
            var lines: [String] = []
            var status: Int32 = 1
            let child = try ChildProcess(program, arguments, output: .lines, on: loop)
            child.onLine = { _, line in if lines.count < 100 { lines.append(line) } }
            child.onEnd = { end in
                if case .exited(let code) = end { status = code }
                loop.stop()
            }
            loop.setTimer(after: Self.patience) { child.kill() }
            loop.run()
            return (status, lines)
        } catch {
            return nil
        }
    }
}
