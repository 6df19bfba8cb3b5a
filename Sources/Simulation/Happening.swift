import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// Something that is under way in the world and arrives later; boxed, since it is moved often and read once.
indirect enum Happening: Equatable, Sendable {
    /// An input for the run of the daemon with this number; lost when that run is over.
    case input(run: Int, Input)
    case panelHears(ConnectionID, [UInt8])
    case panelAccepts(ConnectionID)
    case panelLoses(ConnectionID, ConnectionEnd)
    case panelTimer
    case timer(run: Int, TimerID, BootTime)
    /// The transaction that is being written is done.
    case synced(run: Int)
    case fault(WorldFault)
    case boot
    case diskHeals
    case pushHears(ConnectionID, [UInt8])
    case pushAccepts(ConnectionID)
    case pushLoses(ConnectionID)
    case pushTimer(BootTime)
    /// A phone's message reaches the push service.
    case pushTakes(phone: Int, id: String, JSON)
    /// A line of the push service reaches a phone.
    case phoneHears(Int, JSON)
    case phoneTimer(Int, BootTime)
    case phoneFault(PhoneFault)
    /// Somebody looks after the phones: pairs those that are not paired.
    case pairingCheck
    case channel(ChannelKind, ChannelHappening)
    case channelTimer(ChannelKind, BootTime)
    case channelFault(ChannelFault)
    case codeUse(CodeUse)
    case linkFault(LinkFault)
    /// A fault of a link ends.
    case linksChange
    case modemFault(ModemFault)
    /// The modem has done something, unless it forgot everything meanwhile.
    case modemWork(ModemTask, life: Int)
    /// Something of the modem changes by itself.
    case modemChanges
    /// The service manager looks whether this run of the daemon earns its life.
    case watchdogLook(run: Int)
    /// The operator follows the events again.
    case followerReturns(run: Int)
    /// Somebody types a PIN at the serial console.
    case consoleTry(Secret)
}

/// What is under way, ordered by time and then by order of arrival.
struct Agenda: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        var at: BootTime
        var order: UInt64
        var happening: Happening
    }
    /// A binary heap.
    private var heap: [Entry] = []
    private var arrivals: UInt64 = 0

    var nextTime: BootTime? { heap.first?.at }

    mutating func add(_ happening: Happening, at time: BootTime) {
        heap.append(Entry(at: time, order: arrivals, happening: happening))
        arrivals += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(child, parent) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// All that is under way.
    var inOrderOfArrival: [(BootTime, Happening)] {
        heap.sorted { $0.order < $1.order }.map { ($0.at, $0.happening) }
    }

    /// Gives each of what is under way another time, or takes it out; the order of arrival stays.
    mutating func sift(_ change: (BootTime, Happening) -> (BootTime, Happening)?) {
        let entries = heap.sorted { $0.order < $1.order }
        self = Agenda()
        for entry in entries {
            if let (time, happening) = change(entry.at, entry.happening) { add(happening, at: time) }
        }
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        heap[a].at == heap[b].at ? heap[a].order < heap[b].order : heap[a].at < heap[b].at
    }

    mutating func takeNext() -> (BootTime, Happening)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return (first.at, first.happening) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) {
                least = child
            }
            guard least != parent else { return (first.at, first.happening) }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
