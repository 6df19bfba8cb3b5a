import AlarmModel
import CAres
import CLinux
import Glibc

/// The name servers of one link: a c-ares channel whose sockets and deadlines the loop watches.
final class ResolverChannel {
    /// Told once no question is left; the channel is closed then.
    var onIdle: ((ResolverChannel) -> Void)?

    private let loop: EventLoop
    /// nil once it is closed. c-ares calls back into this object until then, with an unretained pointer.
    private var channel: OpaquePointer?
    private let interface: String?
    private let hasOwnServers: Bool
    private var watches: [Int32: Watch] = [:]
    private var timer: TimerToken?
    private var questionCount = 0
    private var isClosePlanned = false

    init(on loop: EventLoop, link: Link, servers: [Endpoint]?) throws(NameError) {
        self.loop = loop
        hasOwnServers = servers != nil
        switch link {
        case .any: interface = nil
        case .interface(let name): interface = name
        }
        guard Self.isLibraryReady else { throw NameError(.serverFailed) }
        try open(servers)
    }

    deinit { close() }

    private func open(_ servers: [Endpoint]?) throws(NameError) {
        let lookups = strdup("fb")
        defer { free(lookups) }
        var options = ares_options()
        options.timeout = 1500
        options.tries = 3
        options.lookups = lookups
        options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        options.sock_state_cb = { data, socket, readable, writable in
            guard let data else { return }
            let channel = Unmanaged<ResolverChannel>.fromOpaque(data).takeUnretainedValue()
            channel.socketChanged(socket, isReading: readable != 0, isWriting: writable != 0)
        }
        let mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB
        guard ares_init_options(&channel, &options, Int32(mask)) == ha_ares_success else {
            channel = nil
            throw NameError(.serverFailed)
        }
        if interface != nil {
            // c-ares would go on silently when binding fails, and ask over another link.
            ares_set_socket_configure_callback(
                channel,
                { socket, _, data in
                    guard let data else { return -1 }
                    let channel = Unmanaged<ResolverChannel>.fromOpaque(data).takeUnretainedValue()
                    return channel.bind(socket) ? 0 : -1
                }, Unmanaged.passUnretained(self).toOpaque())
        }
        if let servers {
            let list = servers.map { Endpoint(address: $0.address, port: $0.port == 0 ? 53 : $0.port).description }
            guard ares_set_servers_ports_csv(channel, list.joined(separator: ",")) == ha_ares_success else {
                throw NameError(.noServers)
            }
        }
    }

    func resolve(
        _ name: String, within span: Duration, then: @escaping (Result<[IPAddress], NameError>) -> Void
    ) {
        questionCount += 1
        let question = ResolverQuestion(on: loop, within: span) { [weak self] result in
            then(result.mapError { self?.sharpened($0) ?? $0 })
            self?.questionEnded()
        }
        for family in [AF_INET6, AF_INET] {
            var hints = ares_addrinfo_hints()
            hints.ai_family = family
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            hints.ai_flags = Int32(ARES_AI_NOSORT)
            // c-ares calls back exactly once, at the latest when the channel is destroyed.
            let pointer = Unmanaged.passRetained(question.half(family)).toOpaque()
            ares_getaddrinfo(
                channel, name, nil, &hints,
                { data, status, _, answer in
                    guard let data else { return }
                    let half = Unmanaged<ResolverQuestion.Half>.fromOpaque(data).takeRetainedValue()
                    half.answered(status: status, answer)
                    if let answer { ares_freeaddrinfo(answer) }
                }, pointer)
        }
        rearm()
    }

    func locate(_ service: String, within span: Duration, then: @escaping (ServiceLookup) -> Void) {
        questionCount += 1
        let question = ServiceQuestion(on: loop, within: span) { [weak self] answer in
            if case .failed(let failure) = answer, let self {
                then(.failed(sharpened(NameError(failure)).failure))
            } else {
                then(answer)
            }
            self?.questionEnded()
        }
        // c-ares calls back exactly once, at the latest when the channel is destroyed.
        let pointer = Unmanaged.passRetained(question).toOpaque()
        ha_ares_query_srv(
            channel, service,
            { data, status, _, bytes, count in
                guard let data else { return }
                let question = Unmanaged<ServiceQuestion>.fromOpaque(data).takeRetainedValue()
                question.answered(status: status, bytes, count: count)
            }, pointer)
        rearm()
    }

    // MARK: Sockets and time

    private func socketChanged(_ socket: Int32, isReading: Bool, isWriting: Bool) {
        var interest: EventLoop.Interest = []
        if isReading { interest.insert(.read) }
        if isWriting { interest.insert(.write) }
        if interest.isEmpty {
            watches.removeValue(forKey: socket)?.cancel()
        } else if let watch = watches[socket] {
            watch.update(interest)
        } else {
            // A socket that cannot be watched is one whose question times out.
            watches[socket] = try? loop.watch(socket, for: interest) { [weak self] ready in
                self?.process(
                    reading: ready.contains(.read) ? socket : ARES_SOCKET_BAD,
                    writing: ready.contains(.write) ? socket : ARES_SOCKET_BAD)
            }
        }
    }

    private func process(reading: Int32, writing: Int32) {
        guard let channel else { return }
        ares_process_fd(channel, reading, writing)
        rearm()
    }

    private func rearm() {
        if let timer { loop.cancel(timer) }
        timer = nil
        var span = timeval()
        guard let channel, ares_timeout(channel, nil, &span) != nil else { return }
        let wait = Duration.microseconds(Int64(span.tv_sec) * 1_000_000 + Int64(span.tv_usec)) + .milliseconds(1)
        timer = loop.setTimer(after: wait) { [weak self] in
            self?.process(reading: ARES_SOCKET_BAD, writing: ARES_SOCKET_BAD)
        }
    }

    private func bind(_ socket: Int32) -> Bool {
        guard let interface else { return true }
        return (try? SocketOption.bind(socket, toInterface: interface)) != nil
    }

    // MARK: The end

    private func questionEnded() {
        questionCount -= 1
        guard questionCount == 0, !isClosePlanned else { return }
        isClosePlanned = true
        loop.later { self.closeIfIdle() }
    }

    /// Not within a callback of c-ares, whose channel would vanish under it.
    private func closeIfIdle() {
        isClosePlanned = false
        guard questionCount == 0 else { return }
        onIdle?(self)
        close()
    }

    private func close() {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard let channel else { return }
        self.channel = nil
        ares_destroy(channel)
        for watch in watches.values { watch.cancel() }
        watches = [:]
    }

    /// Without servers in /etc/resolv.conf c-ares asks this machine, where nobody answers.
    private func sharpened(_ error: NameError) -> NameError {
        guard !hasOwnServers, error.failure != .notFound,
            let bytes = try? FileReader.read("/etc/resolv.conf", limit: 64 * 1024)
        else { return error }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        let isAny = lines.contains { $0.drop { $0 == " " || $0 == "\t" }.hasPrefix("nameserver") }
        return isAny ? error : NameError(.noServers)
    }

    private static let isLibraryReady = ares_library_init(Int32(ARES_LIB_INIT_NONE)) == 0
}
