import AlarmModel
import CSystemd
import Glibc

/// A connection to the system bus (sd-bus, only its calls that do not wait), in the event loop. It is made anew, after 1 s
/// doubling to 60 s, whenever it is lost. Confined to the loop's thread.
package final class SystemBus {
    /// Told with each change, from the loop: the bus takes calls, or does no longer.
    package var onReady: ((Bool) -> Void)?
    package private(set) var isReady = false

    private let loop: EventLoop
    private let address: String
    private var bus: OpaquePointer?
    /// A copy of the bus' own, which that closes by itself when the connection ends.
    private var descriptor: Descriptor?
    private var watch: Watch?
    private var timer: TimerToken?
    private var isProcessing = false
    private var isArmingPlanned = false
    private var isClosed = false
    private var pause = firstPause
    private var calls: [UInt64: PendingCall] = [:]
    private var nextCall: UInt64 = 1
    private var matches: [Match] = []

    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)
    /// Messages of one round of the loop.
    private static let bound = 32

    /// sd-bus holds pointers to these, unretained, as long as the connection stands; `calls` holds them so long too.
    private final class PendingCall {
        unowned let owner: SystemBus
        let number: UInt64
        let then: (Result<[BusValue], BusError>) -> Void
        init(_ owner: SystemBus, _ number: UInt64, _ then: @escaping (Result<[BusValue], BusError>) -> Void) {
            self.owner = owner
            self.number = number
            self.then = then
        }
    }

    private final class Match {
        let rule: String
        let handler: (BusSignal) -> Void
        init(_ rule: String, _ handler: @escaping (BusSignal) -> Void) {
            self.rule = rule
            self.handler = handler
        }
    }

    /// Connects with the next round of the loop; `match` before that, so that no signal is missed.
    ///
    /// - Parameter address: a D-Bus address; nil: DBUS_SYSTEM_BUS_ADDRESS, or the usual socket
    package init(on loop: EventLoop, address: String? = nil) {
        self.loop = loop
        self.address =
            address ?? getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
            ?? "unix:path=/run/dbus/system_bus_socket"
        loop.later { [weak self] in self?.open() }
    }

    deinit { close() }

    /// Ends it for good; calls under way are not answered.
    package func close() {
        isClosed = true
        onReady = nil
        calls = [:]
        guard !isProcessing else { return }
        drop()
    }

    /// Calls `then` once, later, whatever happens.
    package func call(_ call: BusCall, then: @escaping (Result<[BusValue], BusError>) -> Void) {
        guard let bus, isReady else { return loop.later { then(.failure(.disconnected)) } }
        var message: OpaquePointer?
        guard
            sd_bus_message_new_method_call(
                bus, &message, call.destination, call.path, call.interface, call.member) >= 0,
            let message
        else { return loop.later { then(.failure(.unwritable)) } }
        defer { sd_bus_message_unref(message) }
        if call.isSensitive { sd_bus_message_sensitive(message) }
        guard call.arguments.allSatisfy({ BusMessage.append($0, to: message) }) else {
            return loop.later { then(.failure(.unwritable)) }
        }
        let pending = PendingCall(self, nextCall, then)
        nextCall += 1
        let result = sd_bus_call_async(
            bus, nil, message,
            { message, data, _ in
                guard let message, let data else { return 0 }
                let pending = Unmanaged<PendingCall>.fromOpaque(data).takeUnretainedValue()
                pending.owner.answered(pending, message)
                return 0
            }, Unmanaged.passUnretained(pending).toOpaque(),
            UInt64(clamping: max(1, call.patience.nanoseconds / 1000)))
        guard result >= 0 else { return loop.later { then(.failure(.disconnected)) } }
        calls[pending.number] = pending
        planArming()
    }

    /// Calls `handler` for each signal that fits the rule (D-Bus specification, "Match rules"), over all connections.
    /// To be called before the loop's next round.
    package func match(_ rule: String, handler: @escaping (BusSignal) -> Void) {
        precondition(bus == nil, "what is to be heard is named before the connection is made")
        matches.append(Match(rule, handler))
    }

    // MARK: The connection

    private func open() {
        guard !isClosed, bus == nil else { return }
        var made: OpaquePointer?
        guard sd_bus_new(&made) >= 0, let made else { return retry() }
        bus = made
        guard sd_bus_set_address(made, address) >= 0, sd_bus_set_bus_client(made, 1) >= 0, sd_bus_start(made) >= 0,
            install(on: made)
        else { return lost() }
        do throws(SystemError) {
            let copy = Descriptor(
                owning: try checked("dup", address) { fcntl(sd_bus_get_fd(made), F_DUPFD_CLOEXEC, 3) })
            descriptor = copy
            watch = try loop.watch(copy.number, for: .read) { [weak self] _ in self?.process() }
        } catch {
            return lost()
        }
        arm()
    }

    private func install(on bus: OpaquePointer) -> Bool {
        matches.allSatisfy { match in
            sd_bus_add_match_async(
                bus, nil, match.rule,
                { message, data, _ in
                    guard let message, let data else { return 0 }
                    SystemBus.heard(message, Unmanaged<Match>.fromOpaque(data).takeUnretainedValue())
                    return 0
                }, nil, Unmanaged.passUnretained(match).toOpaque()) >= 0
        }
    }

    private func process() {
        guard let bus, !isProcessing else { return }
        isProcessing = true
        var result: Int32 = 1
        var rounds = 0
        while result > 0, rounds < Self.bound, !isClosed {
            result = sd_bus_process(bus, nil)
            rounds += 1
        }
        isProcessing = false
        if isClosed { return drop() }
        if result < 0 || (result == 0 && sd_bus_is_open(bus) <= 0) { return lost() }
        if !isReady, sd_bus_is_ready(bus) > 0 {
            isReady = true
            pause = Self.firstPause
            onReady?(true)
        }
        if result > 0 { loop.later { [weak self] in self?.process() } } else { arm() }
    }

    private func planArming() {
        // After `process` it is done anyway.
        guard !isProcessing, !isArmingPlanned else { return }
        isArmingPlanned = true
        loop.later { [weak self] in
            self?.isArmingPlanned = false
            // What is queued is written right away, as far as the socket takes it.
            self?.process()
        }
    }

    private func arm() {
        guard let bus, let watch else { return }
        let events = sd_bus_get_events(bus)
        var interest: EventLoop.Interest = []
        if events >= 0, events & Int32(POLLIN) != 0 { interest.insert(.read) }
        if events >= 0, events & Int32(POLLOUT) != 0 { interest.insert(.write) }
        if interest != watch.interest { watch.update(interest) }
        if let timer { loop.cancel(timer) }
        timer = nil
        var due = UInt64.max
        guard sd_bus_get_timeout(bus, &due) >= 0, due != .max else { return }
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let now = UInt64(clock.tv_sec) * 1_000_000 + UInt64(clock.tv_nsec) / 1000
        let rest = due > now ? Int64(clamping: due - now) : 0
        timer = loop.setTimer(after: .microseconds(rest + 1)) { [weak self] in self?.process() }
    }

    /// The connection is of no use any more.
    private func lost() {
        let wasReady = isReady
        drop()
        // In the order in which they were made.
        let unanswered = calls.values.sorted { $0.number < $1.number }
        calls = [:]
        for call in unanswered { loop.later { call.then(.failure(.disconnected)) } }
        if wasReady { onReady?(false) }
        retry()
    }

    private func retry() {
        guard !isClosed else { return }
        loop.setTimer(after: pause) { [weak self] in self?.open() }
        pause = min(pause * 2, Self.longestPause)
    }

    private func drop() {
        isReady = false
        if let timer { loop.cancel(timer) }
        timer = nil
        watch?.cancel()
        watch = nil
        descriptor = nil
        guard let bus else { return }
        self.bus = nil
        sd_bus_close(bus)
        sd_bus_unref(bus)
    }

    // MARK: What comes

    private func answered(_ call: PendingCall, _ message: OpaquePointer) {
        guard calls.removeValue(forKey: call.number) != nil else { return }
        guard sd_bus_message_is_method_error(message, nil) <= 0 else {
            let error = sd_bus_message_get_error(message)?.pointee
            let name = error?.name.map { String(cString: $0) } ?? ""
            return call.then(
                .failure(BusError(name: name, words: error?.message.map { String(cString: $0) } ?? "")))
        }
        guard let values = BusMessage.read(message) else { return call.then(.failure(.unreadable)) }
        call.then(.success(values))
    }

    private static func heard(_ message: OpaquePointer, _ match: Match) {
        guard let path = sd_bus_message_get_path(message), let interface = sd_bus_message_get_interface(message),
            let member = sd_bus_message_get_member(message), let arguments = BusMessage.read(message)
        else { return }
        match.handler(
            BusSignal(
                path: String(cString: path), interface: String(cString: interface), member: String(cString: member),
                arguments: arguments))
    }
}
