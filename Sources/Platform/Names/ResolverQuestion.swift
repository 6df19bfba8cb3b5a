import AlarmModel
import CAres
import Glibc

/// One name, asked for in both families. The answer is given when both have come, or a little after the first that
/// found something: a name server that never answers AAAA must not cost the IPv4 address.
final class ResolverQuestion {
    /// The part of one family; c-ares holds it until it has answered.
    final class Half {
        private let question: ResolverQuestion
        private let family: Int32

        init(_ question: ResolverQuestion, _ family: Int32) {
            self.question = question
            self.family = family
        }

        func answered(status: Int32, _ answer: UnsafeMutablePointer<ares_addrinfo>?) {
            let addresses = Self.addresses(answer).filter { $0.isIPv6 == (family == AF_INET6) }
            question.answered(family, status == 0 ? .success(addresses) : .failure(Self.failure(status)))
        }

        /// More of them are not looked at: an answer by TCP holds thousands.
        private static let addressLimit = 64

        private static func addresses(_ answer: UnsafeMutablePointer<ares_addrinfo>?) -> [IPAddress] {
            var found: [IPAddress] = []
            var next = answer?.pointee.nodes
            while let node = next, found.count < addressLimit {
                if let address = node.pointee.ai_addr, let value = Self.address(address, node.pointee.ai_addrlen),
                    !found.contains(value)
                {
                    found.append(value)
                }
                next = node.pointee.ai_next
            }
            return found
        }

        private static func address(_ address: UnsafeMutablePointer<sockaddr>, _ length: socklen_t) -> IPAddress? {
            let raw = UnsafeRawPointer(address)
            switch Int32(address.pointee.sa_family) {
            case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
                let inner = raw.loadUnaligned(as: sockaddr_in.self)
                return IPAddress(bytes: withUnsafeBytes(of: inner.sin_addr) { Array($0) })
            case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
                let inner = raw.loadUnaligned(as: sockaddr_in6.self)
                return IPAddress(bytes: withUnsafeBytes(of: inner.sin6_addr) { Array($0) })
            default: return nil
            }
        }

        private static func failure(_ status: Int32) -> NameError {
            switch status {
            case ha_ares_not_found, ha_ares_no_data, ha_ares_no_name, ha_ares_bad_name, ha_ares_bad_string:
                NameError(.notFound)
            case ha_ares_timeout: NameError(.timedOut)
            default: NameError(.serverFailed)
            }
        }
    }

    private let loop: EventLoop
    private var then: ((Result<[IPAddress], NameError>) -> Void)?
    private var answers: [(family: Int32, answer: Result<[IPAddress], NameError>)] = []
    private var deadline: TimerToken?
    private var patience: TimerToken?

    init(on loop: EventLoop, within span: Duration, then: @escaping (Result<[IPAddress], NameError>) -> Void) {
        self.loop = loop
        self.then = then
        deadline = loop.setTimer(after: span) { self.finish() }
    }

    func half(_ family: Int32) -> Half { Half(self, family) }

    private func answered(_ family: Int32, _ answer: Result<[IPAddress], NameError>) {
        guard then != nil else { return }
        answers.append((family, answer))
        if answers.count == 2 {
            // c-ares may answer within the call that asked.
            loop.later { self.finish() }
        } else if case .success(let addresses) = answer, !addresses.isEmpty {
            patience = loop.setTimer(after: .milliseconds(250)) { self.finish() }
        }
    }

    private func finish() {
        guard let then else { return }
        self.then = nil
        for token in [deadline, patience] { if let token { loop.cancel(token) } }
        then(result)
    }

    private var result: Result<[IPAddress], NameError> {
        let sorted = answers.sorted { $0.family == AF_INET6 && $1.family != AF_INET6 }
        let addresses = sorted.flatMap { (try? $0.answer.get()) ?? [] }
        guard addresses.isEmpty else { return .success(addresses) }
        if answers.count < 2 { return .failure(NameError(.timedOut)) }
        let failures = answers.compactMap { entry -> ResolveFailure? in
            if case .failure(let error) = entry.answer { error.failure } else { nil }
        }
        // "Not found" only when nobody says otherwise.
        return .failure(NameError(failures.first { $0 != .notFound } ?? .notFound))
    }
}
