package import AlarmModel
import Glibc

/// Puts the modem's addresses and routes on its interface, through systemd-networkd: writes a file with what the modem
/// service tells of the data connection, or removes it, and has networkd read it. For a small program of its own with the
/// right to do so; it takes orders from nobody, and what it writes comes from the modem service alone. Confined to the
/// loop's thread.
package final class ModemNetworkKeeper {
    package static let directory = "/run/systemd/network"
    /// Before what an image brings for modems.
    static let fileName = "10-howalarming-modem.network"

    private let loop: EventLoop
    private let directory: String
    private let control: String
    private let metric: UInt32
    private let orderSpan: Duration
    private let log: (LogEntry) -> Void
    private var modem: ModemManagerBus?
    private var wanted: ModemBearer?
    /// What networkd was last told, once it was.
    private var applied: ModemBearer??
    private var isKnown = false
    /// A file was written or removed, which networkd may not have read yet.
    private var isChanged = false
    private var child: ChildProcess?
    private var pause = firstPause
    private var isWaiting = false

    private static let firstPause = Duration.seconds(2)
    private static let longestPause = Duration.seconds(60)
    /// Nothing is removed before it is known what there is.
    private static let patience = Duration.seconds(10)
    package static let orderSpan = Duration.seconds(30)

    /// - Parameters:
    ///   - directory: where networkd reads
    ///   - control: networkctl(1)
    ///   - address: as of `SystemBus`
    ///   - metric: of the modem's routes
    ///   - orderSpan: networkctl has so long for one order; then it is killed, and the order is given again
    package init(
        directory: String = ModemNetworkKeeper.directory, control: String = "/usr/bin/networkctl",
        bus address: String? = nil, metric: UInt32 = 2000, orderSpan: Duration = orderSpan, on loop: EventLoop,
        log: @escaping (LogEntry) -> Void
    ) {
        self.loop = loop
        self.directory = directory
        self.control = control
        self.metric = metric
        self.orderSpan = orderSpan
        self.log = log
        modem = ModemManagerBus(on: loop, address: address) { [weak self] in self?.heard($0) }
        loop.setTimer(after: Self.patience) { [weak self] in self?.settle() }
    }

    package func close() { modem?.close() }

    private func heard(_ fact: ModemFact) {
        switch fact {
        // A service that is gone tells that its modem is.
        case .service, .done, .failed, .textSent, .textFailed, .textReceived, .call: return
        case .modem(let status): wanted = status?.bearer
        }
        settle()
    }

    private func settle() {
        isKnown = true
        apply()
    }

    /// One change at a time; what is wanted then counts.
    private func apply() {
        guard isKnown, child == nil, !isWaiting, applied != .some(wanted) else { return }
        let bearer = wanted
        let path = "\(directory)/\(Self.fileName)"
        do throws(SystemError) {
            if let bearer {
                _ = mkdir(directory, 0o755)
                try AtomicFile.write(path, Array(ModemNetworkFile.text(for: bearer, metric: metric).utf8), mode: 0o644)
            } else if unlink(path) != 0, errno == ENOENT, applied == nil, !isChanged {
                applied = .some(nil)
                return
            }
            isChanged = true
        } catch {
            return retry("the modem's addresses cannot be written: \(error)")
        }
        run(["reload"]) { [weak self] failure in
            guard let self else { return }
            if let failure { return self.retry("systemd-networkd did not read them: \(failure)") }
            // The interface of a modem that is gone is gone as well.
            let known = bearer?.interface ?? self.applied.flatMap { $0 }?.interface
            guard let interface = known, interface == bearer?.interface || self.exists(interface) else {
                return self.done(bearer)
            }
            self.run(["reconfigure", interface]) { [weak self] failure in
                guard let self else { return }
                if let failure { return self.retry("\(interface) was not set up: \(failure)") }
                self.done(bearer)
            }
        }
    }

    private func exists(_ interface: String) -> Bool { access("/sys/class/net/\(interface)", F_OK) == 0 }

    private func done(_ bearer: ModemBearer?) {
        applied = .some(bearer)
        pause = Self.firstPause
        let words = bearer.map { "\($0.interface) has the modem's addresses" } ?? "the modem's addresses are taken away"
        log(LogEntry(.info, words))
        apply()
    }

    private func retry(_ words: String) {
        log(LogEntry(.warning, words + "; it is tried again"))
        isWaiting = true
        loop.setTimer(after: pause) { [weak self] in
            self?.isWaiting = false
            self?.apply()
        }
        pause = min(pause * 2, Self.longestPause)
    }

    /// nil: it worked.
    private func run(_ arguments: [String], then: @escaping (String?) -> Void) {
        do throws(SystemError) {
            let child = try ChildProcess(control, arguments, output: .lines, on: loop)
            self.child = child
            var last = ""
            let deadline = loop.setTimer(after: orderSpan) { [orderSpan] in
                last = "networkctl gave no answer within \(orderSpan.components.seconds) s"
                child.kill()
            }
            child.onLine = { last = String($1.prefix(200)) }
            child.onEnd = { [weak self, loop] end in
                loop.cancel(deadline)
                self?.child = nil
                then(end == .exited(0) ? nil : last.isEmpty ? "networkctl failed" : last)
            }
        } catch {
            loop.later { then("\(error)") }
        }
    }
}
