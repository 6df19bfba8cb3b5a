import CLinux
import Glibc

/// A program that runs beside us. Confined to the loop's thread; the loop holds it until its end was reported.
package final class ChildProcess {
    /// Where its standard output and error go.
    package enum Output: Equatable, Sendable {
        /// Line by line to `onLine`.
        case lines
        /// Where ours go.
        case inherited
        case discarded
    }
    /// Its standard input.
    package enum Input: Equatable, Sendable {
        /// These, at most 1 MiB (EFBIG above), which never touch a disk; then it ends.
        case bytes([UInt8])
        /// What `write` gives it, until the process is let go.
        case open
    }
    package enum Source: Equatable, Sendable { case output, error }
    package enum End: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// A line without its end, of at most 64 KiB; longer ones come in pieces.
    package var onLine: ((Source, String) -> Void)?
    /// Called once, after the last line.
    package var onEnd: ((End) -> Void)?
    package let processID: Int32
    /// True until the process was reaped; its number is its own until then.
    package private(set) var isRunning = true

    private let loop: EventLoop
    private let handle: Descriptor
    private let inputEnd: Descriptor?
    private var watch: Watch?
    private var readers: [LineReader] = []
    private let hasGroup: Bool
    private var end: End?
    private var grace: TimerToken?

    /// As below, with an input of `input` and then its end.
    package convenience init(
        _ path: String, _ arguments: [String], environment: [String] = [], input: [UInt8] = [], output: Output,
        ownGroup: Bool = false, on loop: EventLoop
    ) throws(SystemError) {
        try self.init(
            path, arguments, environment: environment, input: .bytes(input), output: output, ownGroup: ownGroup,
            on: loop)
    }

    /// Starts `path` (no search) with `arguments` after the program's name. The environment is ours, with `environment`
    /// (`NAME=value`) in front.
    /// - `ownGroup`: it leads a group of its own; whoever is left of the group is killed with it, or when it has ended
    package init(
        _ path: String, _ arguments: [String], environment: [String] = [], input: Input, output: Output,
        ownGroup: Bool = false, on loop: EventLoop
    ) throws(SystemError) {
        self.loop = loop
        hasGroup = ownGroup
        var actions = try SpawnActions(output: output, input: input)
        inputEnd = actions.inputEnd
        processID = try actions.spawn(path, arguments, environment: environment, ownGroup: ownGroup)
        let number = processID
        do throws(SystemError) {
            handle = Descriptor(owning: try checked("pidfd_open", path) { ha_pidfd_open(number) })
        } catch {
            _ = Glibc.kill(number, SIGKILL)
            _ = uninterrupted { waitpid(number, nil, 0) }
            throw error
        }
        for (source, pipe) in actions.takePipes() {
            readers.append(
                try LineReader(pipe, on: loop) {
                    self.onLine?(source, $0)
                } onEnd: {
                    self.reportIfOver()
                })
        }
        watch = try loop.watch(handle.number, for: .read) { _ in self.reap() }
    }

    /// Sends a signal, unless the process is over.
    package func signal(_ number: Int32) {
        if isRunning { _ = Glibc.kill(processID, number) }
    }

    /// Gives the process something to read, 1 to 4096 bytes: that much goes at once or not at all. False when it does
    /// not read, has ended, or has a fixed input.
    package func write(_ bytes: [UInt8]) -> Bool {
        precondition((1...4096).contains(bytes.count), "a pipe takes up to 4096 bytes in one piece")
        guard let inputEnd, isRunning else { return false }
        return uninterrupted { Glibc.write(inputEnd.number, bytes, bytes.count) } == bytes.count
    }

    package func terminate() { signal(SIGTERM) }
    /// With its group, where it has one of its own.
    package func kill() {
        killGroup()
        signal(SIGKILL)
    }

    /// Until it was reaped its number is that of no other group.
    private func killGroup() {
        if hasGroup, isRunning { _ = Glibc.kill(-processID, SIGKILL) }
    }

    private func reap() {
        var status: Int32 = 0
        killGroup()
        guard uninterrupted({ waitpid(processID, &status, WNOHANG) }) == processID else { return }
        isRunning = false
        watch?.cancel()
        watch = nil
        let signal = status & 0x7F
        end = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
        // Its own children may hold the pipes for ever.
        grace = loop.setTimer(after: .milliseconds(500)) { self.readers.forEach { $0.stop() } }
        reportIfOver()
    }

    private func reportIfOver() {
        guard let end, readers.allSatisfy(\.hasEnded) else { return }
        self.end = nil
        if let grace { loop.cancel(grace) }
        let report = onEnd
        (onLine, onEnd, readers) = (nil, nil, [])
        report?(end)
    }
}
