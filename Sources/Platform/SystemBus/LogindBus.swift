/// Asks the login service (systemd-logind) to restart the machine: the way for a service that may do nothing itself.
/// Confined to the loop's thread.
package final class LogindBus {
    private let bus: SystemBus
    private var waiting: [() -> Void] = []
    private let loop: EventLoop

    /// - Parameter address: as of `SystemBus`
    package init(on loop: EventLoop, address: String? = nil) {
        self.loop = loop
        bus = SystemBus(on: loop, address: address)
        bus.onReady = { [weak self] isReady in if isReady { self?.sendWaiting() } }
    }

    /// Calls `then` once: logind has begun to restart the machine, or will not. Without a bus within the patience it has
    /// failed.
    package func reboot(within patience: Duration = .seconds(20), then: @escaping (Result<Void, BusError>) -> Void) {
        var isAnswered = false
        let answer: (Result<Void, BusError>) -> Void = { result in
            guard !isAnswered else { return }
            isAnswered = true
            then(result)
        }
        loop.setTimer(after: patience) { answer(.failure(.disconnected)) }
        if bus.isReady { return send(answer) }
        waiting.append { [weak self] in
            // A restart that nobody waits for any more is not ordered.
            if !isAnswered { self?.send(answer) }
        }
    }

    private func sendWaiting() {
        let ready = waiting
        waiting = []
        for start in ready { start() }
    }

    private func send(_ answer: @escaping (Result<Void, BusError>) -> Void) {
        // false: without asking a person, who is not there.
        let call = BusCall(
            "Reboot", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1",
            from: "org.freedesktop.login1",
            [.bool(false)])
        bus.call(call) { answer($0.map { _ in }) }
    }
}
