package import AlarmModel
import Glibc

/// Knows the interfaces of this machine: who is there, with carrier and which addresses, and tells when that changes.
/// It sees the network namespace of the thread that makes it. Confined to the loop's thread.
///
/// What the kernel sends on its own counts as a hint only: whatever it says, and when it had to drop some, everything
/// is read anew. So no order of messages and no lost one leads to a wrong picture.
package final class LinkWatch {
    /// Why the last reading failed; nil when it worked. A failed reading is repeated every second.
    package private(set) var failure: SystemError?

    private let loop: EventLoop
    private let onChange: ([LinkFacts]) -> Void
    private let nameServers: LinkNameServers
    private let socket: Descriptor
    private var watch: Watch?
    private var names: [String] = []
    private var picture: Picture?
    private var told: Picture?
    private var isTellingPlanned = false
    private var secondLook: TimerToken?

    private static let datagramsPerRound = 64
    /// networkd writes down what DHCP told it after it has set the address.
    private static let patience = Duration.seconds(2)
    private static let retry = Duration.seconds(1)

    private struct Picture {
        var facts: [LinkFacts]
        var indices: [Int32?]

        /// Traffic always changes.
        func isSame(as other: Picture) -> Bool {
            let pairs = zip(facts, other.facts)
            return indices == other.indices && facts.count == other.facts.count
                && pairs.allSatisfy { one, two in
                    var one = one
                    one.traffic = two.traffic
                    return one == two
                }
        }
    }

    /// - `onChange`: all watched interfaces, in the order in which they were given, whenever anything but their traffic
    ///   has changed; several changes within one round of the loop are told once. An interface that was made anew under
    ///   its old name is told even where everything else is as before.
    /// - `stateDirectory`: systemd-networkd's.
    package init(
        on loop: EventLoop, stateDirectory: String = LinkNameServers.standardDirectory,
        onChange: @escaping ([LinkFacts]) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.onChange = onChange
        nameServers = LinkNameServers(directory: stateDirectory)
        socket = try RouteSocket.listening()
        watch = try loop.watch(socket.number, for: .read) { [weak self] _ in self?.hinted() }
    }

    /// From now on these, also those that do not exist yet. They are told once, in this round or the next.
    package func watch(_ interfaces: [String]) {
        names = interfaces
        told = nil
        picture = nil
        plan()
    }

    /// How things are now, with traffic counters; where they cannot be read, how they were when they last could.
    /// What turns out to have changed is also told, afterwards.
    package func read() -> [LinkFacts] {
        look()
        guard let picture else { return names.map { Self.absent($0) } }
        if told.map({ !$0.isSame(as: picture) }) ?? true { plan() }
        return picture.facts
    }

    package func cancel() {
        watch?.cancel()
        watch = nil
        if let secondLook { loop.cancel(secondLook) }
        secondLook = nil
    }

    // MARK: Hints

    private func hinted() {
        // ENOBUFS (the kernel had to drop some) is an answer like any other here: look again.
        var allowance = Self.datagramsPerRound
        while allowance > 0, RouteSocket.discard(from: socket) { allowance -= 1 }
        plan()
    }

    private func plan() {
        guard !isTellingPlanned else { return }
        isTellingPlanned = true
        loop.later { [weak self] in
            guard let self else { return }
            isTellingPlanned = false
            tell()
            lookAgain(after: failure == nil ? Self.patience : Self.retry)
        }
    }

    private func lookAgain(after span: Duration) {
        guard watch != nil else { return }
        if let secondLook { loop.cancel(secondLook) }
        secondLook = loop.setTimer(after: span) { [weak self] in
            guard let self else { return }
            secondLook = nil
            tell()
            if failure != nil { lookAgain(after: Self.retry) }
        }
    }

    private func tell() {
        guard watch != nil else { return }
        look()
        guard let picture, told.map({ !$0.isSame(as: picture) }) ?? true else { return }
        told = picture
        onChange(picture.facts)
    }

    // MARK: Reading

    private func look() {
        do throws(SystemError) {
            let table = try RouteSocket.table()
            let indices = names.map { table.index(of: $0) }
            let facts = zip(names, indices).map { name, index in
                table.facts(of: name, nameServers: index.map { nameServers.of(index: $0) } ?? [])
            }
            picture = Picture(facts: facts, indices: indices)
            failure = nil
        } catch {
            failure = error
        }
    }

    private static func absent(_ name: String) -> LinkFacts {
        LinkFacts(interface: name, isPresent: false, hasCarrier: false)
    }
}
