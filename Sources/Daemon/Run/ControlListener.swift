import AlarmModel
import Glibc
import Platform
import Reports

/// Listens for programs on this machine, as soon as the state directory takes a socket. Confined to the loop's thread.
///
/// A card that went read-only or is full must not keep the daemon from watching the panel: without a socket it runs all
/// the same, and tries again.
final class ControlListener {
    private let directory: String
    private let loop: EventLoop
    private let log: LogWriter
    private let onAccepted: (Stream) -> Void
    private var listener: Listener?
    private var retry: TimerToken?
    private static let pause = Duration.seconds(5)

    /// - Throws: whatever waiting does not mend, such as a directory that is not ours.
    init(
        directory: String, on loop: EventLoop, log: LogWriter, onAccepted: @escaping (Stream) -> Void
    ) throws(SystemError) {
        self.directory = directory
        self.loop = loop
        self.log = log
        self.onAccepted = onAccepted
        do throws(SystemError) {
            try open()
        } catch {
            guard Self.isOfTheDisk(error) else { throw error }
            log.write(
                LogEntry(
                    .error,
                    "no control socket, so commands find no daemon until the disk can be written again (\(error)); "
                        + "replace the card if it became read-only, or free some space"))
            tryAgain()
        }
    }

    func close() {
        if let retry { loop.cancel(retry) }
        retry = nil
        listener?.close()
        listener = nil
    }

    private func open() throws(SystemError) {
        listener = try Listener(
            directory: directory, name: ControlSocket.name, on: loop,
            refusal: Array("\(ControlSocket.refusal)\n".utf8), onAccepted: onAccepted)
    }

    private func tryAgain() {
        retry = loop.setTimer(after: Self.pause) { [weak self] in
            guard let self else { return }
            retry = nil
            do throws(SystemError) {
                try open()
                log.write(LogEntry(.notice, "the control socket is there"))
            } catch {
                tryAgain()
            }
        }
    }

    private static func isOfTheDisk(_ error: SystemError) -> Bool {
        [EROFS, ENOSPC, EDQUOT, EIO].contains(error.number)
    }
}
