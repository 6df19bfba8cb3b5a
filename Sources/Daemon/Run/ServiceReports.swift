import ApplianceCore
import Platform

/// What the service manager is told. It is told later while its queue is full; the daemon never waits for it.
///
/// Confined to the loop's thread.
final class ServiceReports {
    /// The newest of each kind that the manager has no room for yet, in the order of telling.
    private(set) var waiting: [ServiceNote] = []
    private let loop: EventLoop
    private let deliver: (ServiceNote) -> Bool
    private var isRetrying = false

    private static let retryAfter: Duration = .milliseconds(200)

    /// - Parameter deliver: false when there is no room now
    init(on loop: EventLoop, deliver: @escaping (ServiceNote) -> Bool = ServiceReports.notify) {
        self.loop = loop
        self.deliver = deliver
    }

    func tell(_ note: ServiceNote) {
        waiting.removeAll { Self.kind(of: $0) == Self.kind(of: note) }
        waiting.append(note)
        if !isRetrying { send() }
    }

    private func send() {
        while let note = waiting.first {
            guard deliver(note) else {
                isRetrying = true
                loop.setTimer(after: Self.retryAfter) { [weak self] in
                    self?.isRetrying = false
                    self?.send()
                }
                return
            }
            waiting.removeFirst()
        }
    }

    private static func kind(of note: ServiceNote) -> Int {
        switch note {
        case .ready: 0
        case .status: 1
        case .reloading: 2
        case .stopping: 3
        case .alive: 4
        }
    }

    private static func notify(_ note: ServiceNote) -> Bool {
        switch note {
        case .ready: ServiceNotifier.ready(status: "running")
        case .status(let line): ServiceNotifier.status(line)
        case .reloading: ServiceNotifier.reloading()
        case .stopping: ServiceNotifier.stopping()
        case .alive: ServiceNotifier.watchdog()
        }
    }
}
