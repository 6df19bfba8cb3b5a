import CLinux
import Glibc

/// A signal that the daemon acts upon.
package enum ProcessSignal: Equatable, Sendable, CaseIterable {
    case terminate, interrupt, hangup, user1

    var number: Int32 {
        switch self {
        case .terminate: SIGTERM
        case .interrupt: SIGINT
        case .hangup: SIGHUP
        case .user1: SIGUSR1
        }
    }
}

/// Signals as events of the loop (signalfd). Confined to the loop's thread.
package final class SignalSource {
    private let descriptor: Descriptor
    private var watch: Watch?

    /// Blocks the signals in the calling thread and in all that it starts from then on, and has SIGPIPE ignored:
    /// the first call of the process, before there are other threads.
    package static func blockSignals() {
        var set = signalSet
        pthread_sigmask(SIG_BLOCK, &set, nil)
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// The signals must be blocked (`blockSignals`).
    package init(on loop: EventLoop, handler: @escaping (ProcessSignal) -> Void) throws(SystemError) {
        var set = Self.signalSet
        let flags = Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)
        descriptor = Descriptor(owning: try checked("signalfd") { signalfd(-1, &set, flags) })
        let number = descriptor.number
        watch = try loop.watch(number, for: .read) { _ in
            var info = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            guard uninterrupted({ read(number, &info, size) }) == size else { return }
            let caught = ProcessSignal.allCases.first { UInt32($0.number) == info.ssi_signo }
            if let caught { handler(caught) }
        }
    }

    package func cancel() {
        watch?.cancel()
        watch = nil
    }

    static var signalSet: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in ProcessSignal.allCases { sigaddset(&set, signal.number) }
        return set
    }
}
