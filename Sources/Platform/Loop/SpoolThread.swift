import AlarmModel
import CLinux
import Glibc
import Synchronization

/// A thread that is handed things to work off, from any thread, and never makes who hands them over wait: what does not
/// fit any more is refused. It runs behind the others (nice 5), for what must not disturb them.
///
/// With a pause it lets things gather first, so that it does not run while who hands them over is at work. A quarter of what
/// may wait, or the end, cuts the pause short.
///
/// `State` is made on the thread and never leaves it, so it need not be Sendable.
package final class SpoolThread<State, Item: Sendable>: Sendable {
    private struct Content {
        var items: [(item: Item, cost: Int)] = []
        var cost = 0
        var isFinishing = false
    }

    private let content = Mutex(Content())
    private let bell: Descriptor
    private let ended: Descriptor
    /// Cuts a pause short.
    private let hurry: Descriptor
    private let limit: Int
    private let pause: Duration

    /// - Parameters:
    ///   - name: shown by `top -H`; 15 bytes are kept
    ///   - limit: bytes of what may wait
    ///   - pause: from the first thing that waits until it is worked off
    ///   - makeState: runs first, on the thread
    ///   - work: what is done with each thing, in order; after the last one it is called with nil, once
    package init(
        _ name: String, limit: Int, pause: Duration = .zero, state makeState: @escaping @Sendable () -> State,
        work: @escaping @Sendable (inout State, Item?) -> Void
    ) throws(SystemError) {
        bell = Descriptor(owning: try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) })
        ended = Descriptor(owning: try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) })
        hurry = Descriptor(owning: try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC)) })
        self.limit = limit
        self.pause = pause
        try NativeThread.start(name) { [self] in
            ha_stay_behind(5)
            // The state is gone before the end is told.
            run(makeState, work)
            Self.ring(ended)
        }
    }

    /// What a thing takes in the list beside its own bytes: the list doubles when it is full.
    private static var place: Int { 2 * MemoryLayout<(item: Item, cost: Int)>.stride }

    /// False when too much waits already: then it was not taken.
    ///
    /// - Parameter cost: the bytes that the thing holds, without its place in the list
    package func post(_ item: Item, cost: Int) -> Bool {
        let cost = cost + Self.place
        let (isTaken, isFirst, isMuch) = content.withLock { content -> (Bool, Bool, Bool) in
            guard content.cost + cost <= limit, !content.isFinishing else { return (false, false, false) }
            let before = content.cost
            content.cost += cost
            content.items.append((item, cost))
            return (true, content.items.count == 1, before < limit / 4 && content.cost >= limit / 4)
        }
        if isFirst { Self.ring(bell) }
        if isMuch, pause > .zero { Self.ring(hurry) }
        return isTaken
    }

    /// The last thing, which is taken also when nothing fits any more; the thread ends behind it.
    package func end(with item: Item) {
        content.withLock { content in
            guard !content.isFinishing else { return }
            content.items.append((item, 0))
            content.isFinishing = true
        }
        Self.ring(bell)
        Self.ring(hurry)
    }

    /// Has everything that waits worked off. False when that took longer than `span`: the thread goes on by itself.
    package func stop(within span: Duration) -> Bool {
        content.withLock { $0.isFinishing = true }
        Self.ring(bell)
        Self.ring(hurry)
        return Poll.wait(for: ended.number, events: Int16(POLLIN), until: SystemClock.bootTime() + span)
    }

    private func run(_ makeState: () -> State, _ work: (inout State, Item?) -> Void) {
        var state = makeState()
        while true {
            Self.answer(bell)
            if pause > .zero {
                let end = SystemClock.bootTime() + pause
                if Poll.wait(for: hurry.number, events: Int16(POLLIN), until: end) { Self.answer(hurry) }
            }
            // Whoever posts into the empty list rings, and nothing is posted once this is finishing.
            var (items, isFinishing) = content.withLock { content in
                let items = content.items
                content.items = []
                return (items, content.isFinishing)
            }
            items.reverse()
            while let room = Self.workOffLast(&items, &state, work) { content.withLock { $0.cost -= room } }
            if isFinishing { return work(&state, nil) }
        }
    }

    /// The room that is free again, now that the thing is gone; nil: there was none.
    private static func workOffLast(
        _ items: inout [(item: Item, cost: Int)], _ state: inout State, _ work: (inout State, Item?) -> Void
    ) -> Int? {
        guard let (item, cost) = items.popLast() else { return nil }
        work(&state, item)
        return cost
    }

    /// Waits until it was rung.
    private static func answer(_ bell: Descriptor) {
        var count: UInt64 = 0
        _ = uninterrupted { read(bell.number, &count, 8) }
    }

    private static func ring(_ bell: Descriptor) {
        var one: UInt64 = 1
        _ = uninterrupted { write(bell.number, &one, 8) }
    }
}
