import AlarmModel
import Platform

/// The one timer of a machine that says when it wants to be woken next. Confined to the loop's thread.
final class MachineTimer {
    private let loop: EventLoop
    private var planned: (token: TimerToken, due: BootTime)?

    init(on loop: EventLoop) { self.loop = loop }

    /// nil: nothing to wait for.
    func plan(_ due: BootTime?, onFired: @escaping () -> Void) {
        guard planned?.due != due else { return }
        cancel()
        guard let due else { return }
        let token = loop.setTimer(at: due) { [weak self] in
            self?.planned = nil
            onFired()
        }
        planned = (token, due)
    }

    func cancel() {
        if let planned { loop.cancel(planned.token) }
        planned = nil
    }
}
