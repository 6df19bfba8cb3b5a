/// A descriptor in an event loop. The loop holds it until it is cancelled. Confined to the loop's thread.
package final class Watch {
    let name: UInt64
    let descriptor: Int32
    private(set) var handler: (EventLoop.Interest) -> Void
    var interest: EventLoop.Interest = []
    private weak var loop: EventLoop?

    init(loop: EventLoop, name: UInt64, descriptor: Int32, handler: @escaping (EventLoop.Interest) -> Void) {
        self.loop = loop
        self.name = name
        self.descriptor = descriptor
        self.handler = handler
    }

    /// Nothing of interest: the handler is not called, not even for a hang-up.
    package func update(_ interest: EventLoop.Interest) {
        guard let loop else { return }
        do throws(SystemError) {
            try loop.control(self, from: self.interest, to: interest)
            self.interest = interest
        } catch {
            preconditionFailure("a watched descriptor is open and known to epoll: \(error)")
        }
    }

    /// To be called before the descriptor is closed. The handler is not called any more, not even in this round.
    package func cancel() {
        update([])
        loop?.forget(self)
        loop = nil
        handler = { _ in }
    }
}
