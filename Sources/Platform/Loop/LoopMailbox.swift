import CLinux
import Glibc
import Synchronization

/// The way from other threads into the loop: messages are handled on the loop's thread in the order of posting.
package final class LoopMailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    let bell: Descriptor

    init(bell: Descriptor) { self.bell = bell }

    /// May be called on any thread.
    package func post(_ message: Message) {
        let isFirst = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        if isFirst { ring() }
    }

    /// Up to `limit` messages, oldest first; rings again when some are left.
    func take(limit: Int) -> [Message] {
        let (taken, isRest) = messages.withLock { messages in
            let taken = Array(messages.prefix(limit))
            messages.removeFirst(taken.count)
            return (taken, !messages.isEmpty)
        }
        if isRest { ring() }
        return taken
    }

    private func ring() {
        var one: UInt64 = 1
        _ = uninterrupted { write(bell.number, &one, 8) }
    }
}

/// The loop's end of a mailbox. Confined to the loop's thread; the loop holds it until it is closed.
package final class LoopInbox<Message: Sendable> {
    package let mailbox: LoopMailbox<Message>
    private var watch: Watch?
    private let handler: (Message) -> Void

    package init(on loop: EventLoop, handler: @escaping (Message) -> Void) throws(SystemError) {
        let bell = Descriptor(
            owning: try checked("eventfd") {
                eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            })
        mailbox = LoopMailbox(bell: bell)
        self.handler = handler
        watch = try loop.watch(bell.number, for: .read) { _ in self.drain(limit: 256) }
    }

    /// Handles what is waiting now.
    func drain(limit: Int) {
        var count: UInt64 = 0
        _ = read(mailbox.bell.number, &count, 8)
        for message in mailbox.take(limit: limit) { handler(message) }
    }

    /// Messages posted from now on are dropped.
    package func close() {
        watch?.cancel()
        watch = nil
    }
}
