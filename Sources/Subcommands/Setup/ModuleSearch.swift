import AlarmModel
import Platform

/// Looks for a module: asks addresses of the networks that this machine is in, and no others, whether something greets
/// there like an EnvisaLink module.
struct ModuleSearch {
    /// Addresses that are asked at the most.
    static let limit = 1024
    static let perSecond = 20
    private static let patience = Duration.seconds(2)
    private static let greeting = Array("5053CD\r\n".utf8)

    /// The private networks of these interfaces, as if each had 256 addresses, and their addresses in the order in which
    /// they are asked.
    static func addresses(_ interfaces: [InterfaceList.Interface]) -> (networks: [String], addresses: [IPAddress]) {
        var networks: [String] = []
        var addresses: [IPAddress] = []
        for own in interfaces.filter(\.isUp).flatMap(\.addresses) where isPrivate(own) {
            let front = Array(own.bytes.prefix(3))
            let name = front.map { "\($0)" }.joined(separator: ".") + ".0/24"
            guard !networks.contains(name), addresses.count + 254 <= limit else { continue }
            networks.append(name)
            addresses += (1...254).compactMap { IPAddress(bytes: front + [UInt8($0)]) }.filter { $0 != own }
        }
        return (networks, addresses)
    }

    /// RFC 1918.
    private static func isPrivate(_ address: IPAddress) -> Bool {
        switch (address.bytes.count, address.bytes[0], address.bytes[1]) {
        case (4, 10, _), (4, 172, 16...31), (4, 192, 168): true
        default: false
        }
    }

    /// Asks one after the other, at most `perSecond`, and does not wait for answers in between. A module is let go at
    /// once: it has only one session.
    ///
    /// - Returns: those that greeted, in the order in which they did
    static func search(_ endpoints: [Endpoint]) throws(SystemError) -> [Endpoint] {
        guard !endpoints.isEmpty else { return [] }
        let loop = try EventLoop()
        let search = ModuleSearch.Run(loop, endpoints)
        search.next()
        loop.run()
        return search.found
    }

    private final class Run {
        private let loop: EventLoop
        private var rest: ArraySlice<Endpoint>
        private var open = 0
        private var attempts: [ConnectAttempt] = []
        private var streams: [Stream] = []
        var found: [Endpoint] = []

        init(_ loop: EventLoop, _ endpoints: [Endpoint]) {
            self.loop = loop
            rest = endpoints[...]
        }

        func next() {
            guard let endpoint = rest.popFirst() else {
                if open == 0 { loop.stop() }
                return
            }
            open += 1
            attempts.append(
                Connector(on: loop).open(endpoint, within: ModuleSearch.patience) { [self] result in
                    switch result {
                    case .failure: ended()
                    case .success(let stream): listen(to: stream, at: endpoint)
                    }
                })
            loop.setTimer(after: .milliseconds(1000 / ModuleSearch.perSecond)) { [self] in next() }
        }

        private func listen(to stream: Stream, at endpoint: Endpoint) {
            var heard: [UInt8] = []
            var isOver = false
            let end = { [self] in
                guard !isOver else { return }
                isOver = true
                stream.reset()
                ended()
            }
            stream.onReceived = { [self] bytes in
                heard += bytes
                guard heard.count >= ModuleSearch.greeting.count else { return }
                if heard.starts(with: ModuleSearch.greeting), !isOver { found.append(endpoint) }
                end()
            }
            stream.onClosed = { _ in end() }
            loop.setTimer(after: ModuleSearch.patience, end)
            streams.append(stream)
        }

        private func ended() {
            open -= 1
            if open == 0, rest.isEmpty { loop.stop() }
        }
    }
}
