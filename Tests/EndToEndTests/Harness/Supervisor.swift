import Foundation
import Glibc

/// A small substitute for the service manager (systemd.service(5)): starts the daemon with a notify socket, a
/// runtime directory and a watchdog, sends SIGABRT when no ping came in time, SIGKILL when that is not enough, and
/// starts it again whenever it ends.
///
/// It works only while the test lets it, through `run(for:)` and `run(within:until:)`.
final class Supervisor {
    /// What it saw and did, and when.
    struct Entry {
        enum What: Equatable {
            case started(Int32)
            case told(String)
            case watchdogExpired
            case killed
            /// The status, or 128 + the signal.
            case ended(Int32)
        }
        var what: What
        var at: ContinuousClock.Instant
    }

    /// WatchdogSec=, RestartSec= and TimeoutAbortSec=.
    var watchdog: Duration
    var restartAfter: Duration = .milliseconds(500)
    var abortTimeout: Duration = .seconds(2)
    /// Of the next start only.
    var environment: [String: String] = [:]

    private(set) var history: [Entry] = []
    private(set) var daemon: Program?
    let runtimeDirectory: String
    private let house: Appliance
    private let socket: TestSocket
    private let socketPath: String
    private var starts = 0
    private var isReady = false
    private var lastSign = ContinuousClock.now
    private var abortedAt: ContinuousClock.Instant?
    private var startAt: ContinuousClock.Instant?

    init(_ house: Appliance, watchdog: Duration) throws {
        self.house = house
        self.watchdog = watchdog
        socketPath = "\(house.directory.path)/supervisor"
        socket = try TestSocket.unix(socketPath, connects: false)
        runtimeDirectory = "\(house.directory.path)/runtime"
        try FileManager.default.createDirectory(atPath: runtimeDirectory, withIntermediateDirectories: false)
    }

    /// `systemctl start`.
    func start() throws {
        starts += 1
        isReady = false
        abortedAt = nil
        startAt = nil
        let microseconds = watchdog.components.seconds * 1_000_000 + watchdog.components.attoseconds / 1_000_000_000_000
        let variables = [
            "NOTIFY_SOCKET": socketPath, "WATCHDOG_USEC": String(microseconds), "RUNTIME_DIRECTORY": runtimeDirectory,
        ]
        let started = try Program(
            "supervised-\(starts)", ["run", "--config", house.configurationFile, "--state", house.stateDirectory],
            in: house.directory, environment: variables.merging(environment) { $1 })
        environment = [:]
        daemon = started
        note(.started(started.processID))
    }

    /// Does its work for so long.
    func run(for span: Duration) throws { _ = try run(within: span) { false } }

    /// Does its work until something is so; false when that did not come about in time.
    func run(within span: Duration, until isDone: () throws -> Bool) throws -> Bool {
        try Deadline.wait(span) {
            try work()
            return try isDone()
        }
    }

    /// Waits until the daemon is ready, for the n-th time.
    func waitUntilReady(_ count: Int = 1, within span: Duration = .patience) throws {
        let isInTime = try run(within: span) { times(of: .told("READY=1")).count >= count }
        guard isInTime else { throw HarnessError("not ready for the \(count). time. \(daemon?.report ?? "") \(story)") }
    }

    func times(of what: Entry.What) -> [ContinuousClock.Instant] { history.filter { $0.what == what }.map(\.at) }

    var pings: [ContinuousClock.Instant] { times(of: .told("WATCHDOG=1")) }
    var startCount: Int { starts }
    var hasAborted: Bool { history.contains { $0.what == .watchdogExpired } }
    /// The newest line for people.
    var status: String {
        for entry in history.reversed() {
            if case .told(let text) = entry.what, text.hasPrefix("STATUS=") { return String(text.dropFirst(7)) }
        }
        return ""
    }

    /// How the daemons ended, in order.
    var ends: [Int32] { history.compactMap { if case .ended(let status) = $0.what { status } else { nil } } }

    /// The longest time between two signs of life, from `begin` to `end`.
    func longestSilence(
        since begin: ContinuousClock.Instant, until end: ContinuousClock.Instant = .now
    ) -> Duration {
        let times = [begin] + pings.filter { $0 > begin && $0 < end } + [end]
        return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .zero
    }

    var story: String {
        guard let first = history.first else { return "" }
        return history.suffix(40).map { "\($0.at - first.at): \($0.what)" }.joined(separator: "\n")
    }

    private func work() throws {
        listen()
        guard let daemon else { return }
        if !daemon.isRunning {
            if startAt == nil {
                listen()
                note(.ended(try daemon.waitForExit()))
                startAt = .now + restartAfter
            }
            if let startAt, ContinuousClock.now >= startAt { try start() }
            return
        }
        if let abortedAt {
            if ContinuousClock.now - abortedAt > abortTimeout, history.last?.what != .killed {
                note(.killed)
                daemon.signal(SIGKILL)
            }
        } else if isReady, ContinuousClock.now - lastSign > watchdog {
            note(.watchdogExpired)
            abortedAt = .now
            daemon.signal(SIGABRT)
        }
    }

    private func listen() {
        while let bytes = socket.receive(), !bytes.isEmpty {
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) {
                note(.told(line))
                switch line {
                case "READY=1":
                    isReady = true
                    lastSign = .now
                case "WATCHDOG=1": lastSign = .now
                case "STOPPING=1": isReady = false
                case _: break
                }
            }
        }
    }

    private func note(_ what: Entry.What) { history.append(Entry(what: what, at: .now)) }
}
