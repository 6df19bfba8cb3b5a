import AlarmModel
import CAres
import Glibc

/// A name that ends in `.local`, asked of the neighbours themselves: a one-shot question by multicast (RFC 6762 5.1)
/// from a port that lives as long as the question. Answers are taken from port 5353 of the link's own network, for this
/// question only. IPv4; whoever is in the network can answer for anybody, so what is found proves nothing.
final class MulticastQuestion {
    private struct Asked {
        var socket: Descriptor
        var watch: Watch?
        var address: UInt32
        var mask: UInt32
    }

    private let loop: EventLoop
    private let question: [UInt8]
    private var then: ((Result<[IPAddress], NameError>) -> Void)?
    private var asked: [Asked] = []
    private var found: [IPAddress] = []
    /// Datagrams that may still be looked at, whoever sends them.
    private var looks = MulticastQuestion.lookLimit
    private var deadline: TimerToken?
    private var again: TimerToken?
    private var patience: TimerToken?

    private static let lookLimit = 64
    private static let addressLimit = 8
    private static let port: UInt16 = 5353
    private static let group: [UInt8] = [224, 0, 0, 251]
    /// How long a second answer is waited for.
    private static let gathering = Duration.milliseconds(100)

    static func isFor(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".local") || name.hasSuffix(".local.")
    }

    /// - Parameters:
    ///   - link: the interface to ask on; any: all that are up
    ///   - then: called once, later
    init(
        _ name: String, link: Link, on loop: EventLoop, within span: Duration,
        then: @escaping (Result<[IPAddress], NameError>) -> Void
    ) {
        self.loop = loop
        self.then = then
        question = Self.question(name.hasSuffix(".") ? name.dropLast() : name[...], number: Random.bytes(2)) ?? []
        if !question.isEmpty { open(link) }
        guard !asked.isEmpty else {
            loop.later { self.finish() }
            return
        }
        deadline = loop.setTimer(after: span) { self.finish() }
        ask()
    }

    /// The name in labels, type A, class IN; nil where it is no name.
    private static func question(_ name: Substring, number: [UInt8]) -> [UInt8]? {
        var bytes = number + [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...63).contains(label.count) else { return nil }
            bytes.append(UInt8(label.count))
            bytes += label
        }
        return bytes + [0, 0, 1, 0, 1]
    }

    private func open(_ link: Link) {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return }
        defer { freeifaddrs(first) }
        var next = first
        let wanted = UInt32(IFF_UP) | UInt32(IFF_MULTICAST)
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let name = entry.ifa_name, entry.ifa_flags & wanted == wanted,
                entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, let address = entry.ifa_addr, let mask = entry.ifa_netmask,
                Int32(address.pointee.sa_family) == AF_INET
            else { continue }
            let interface = String(cString: name)
            if case .interface(let only) = link, only != interface { continue }
            open(interface, Self.number(address), Self.number(mask))
        }
    }

    private static func number(_ address: UnsafeMutablePointer<sockaddr>) -> UInt32 {
        UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
    }

    private func open(_ interface: String, _ address: UInt32, _ mask: UInt32) {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let opened = try? checked("socket") { socket(AF_INET, kind, 0) }
        guard let number = opened else { return }
        let descriptor = Descriptor(owning: number)
        var own = in_addr(s_addr: address)
        // An answer comes from the link that was asked, and the question leaves by it.
        guard (try? SocketOption.bind(number, toInterface: interface)) != nil,
            setsockopt(number, Int32(IPPROTO_IP), IP_MULTICAST_IF, &own, socklen_t(MemoryLayout<in_addr>.size)) == 0
        else { return }
        let watch = try? loop.watch(number, for: .read) { [weak self] _ in self?.hear(number) }
        asked.append(Asked(socket: descriptor, watch: watch, address: address, mask: mask))
    }

    private func ask() {
        guard let address = IPAddress(bytes: Self.group) else { return }
        let group = SocketAddress(Endpoint(address: address, port: Self.port))
        for place in asked {
            _ = group.with { sendto(place.socket.number, question, question.count, 0, $0, $1) }
        }
        // Not sooner than after a second (RFC 6762 5.1 and 5.2).
        again = loop.setTimer(after: .seconds(1)) { [weak self] in self?.ask() }
    }

    // MARK: Answers

    private func hear(_ number: Int32) {
        guard let place = asked.first(where: { $0.socket.number == number }) else { return }
        var bytes = [UInt8](repeating: 0, count: 1500)
        while looks > 0 {
            var from = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(number, &bytes, bytes.count, 0, $0, &length)
                }
            }
            guard count > 0 else { return }
            looks -= 1
            let isNeighbour = from.sin_addr.s_addr & place.mask == place.address & place.mask
            guard isNeighbour, UInt16(bigEndian: from.sin_port) == Self.port else { continue }
            take(bytes.prefix(count))
        }
        finish()
    }

    private func take(_ answer: ArraySlice<UInt8>) {
        // The answer to a one-shot question repeats its number and the question itself (RFC 6762 6.7).
        let bytes = Array(answer)
        guard bytes.count >= question.count, bytes[0] == question[0], bytes[1] == question[1], bytes[2] & 0xF8 == 0x80,
            bytes[4...5] == [0, 1],
            Self.lowered(bytes[12..<question.count - 4]) == Self.lowered(question[12..<question.count - 4])
        else { return }
        for address in Self.addresses(bytes) where !found.contains(address) && found.count < Self.addressLimit {
            found.append(address)
        }
        guard !found.isEmpty, patience == nil else { return }
        patience = loop.setTimer(after: Self.gathering) { self.finish() }
    }

    private static func lowered(_ name: ArraySlice<UInt8>) -> [UInt8] {
        name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    private static func addresses(_ bytes: [UInt8]) -> [IPAddress] {
        var records = [ares_addrttl](repeating: ares_addrttl(), count: addressLimit)
        var count = Int32(addressLimit)
        guard ha_ares_parse_a(bytes, Int32(bytes.count), &records, &count) == ha_ares_success else { return [] }
        return records.prefix(Int(count)).compactMap { record in
            IPAddress(bytes: withUnsafeBytes(of: record.ipaddr) { Array($0) })
        }
    }

    private func finish() {
        guard let then else { return }
        self.then = nil
        for token in [deadline, again, patience] { if let token { loop.cancel(token) } }
        for place in asked { place.watch?.cancel() }
        asked = []
        then(found.isEmpty ? .failure(NameError(.notFound)) : .success(found))
    }
}
