import AlarmModel
import PhoneLink
import Platform

/// A mail to a server. Confined to the loop's thread.
final class MailErrand: Errand {
    /// A mail server may think before it greets, and look through what it was given. RFC 5321 4.5.3.2 asks for 5 minutes at
    /// each step, and for 10 at the end; the process that sends a mail lives for 5.
    static let patience = PeerExchange.Limits(total: .seconds(240), silence: .seconds(120))

    private let trust: () throws(TLSFailure) -> TLSTrust
    private var session: SMTPSession
    private var message: MailMessage?

    /// - Parameter then: called once, later
    init(
        _ message: MailMessage, by server: MailSettings, trust: @escaping () throws(TLSFailure) -> TLSTrust, link: Link,
        _ limits: PeerExchange.Limits = patience, on loop: EventLoop, then: @escaping (Result<Void, Fault>) -> Void
    ) {
        self.trust = trust
        self.message = message
        session = SMTPSession(settings: server)
        super.init(on: loop, then: then)
        exchange = PeerExchange(
            server.host, server.port, [], server.security == .tls ? .certified(trust) : .plain, link: link, limits,
            on: loop,
            onBytes: { [weak self] bytes in
                self?.session.append(bytes)
                self?.read()
            },
            then: { [weak self] how in self?.ended(how) })
    }

    private func read() {
        var hasMore = true
        while hasMore, isOpen {
            var orders: [SMTPAction] = []
            hasMore = session.takeNext(into: &orders)
            orders.forEach(carryOut)
        }
    }

    private func drive(_ step: (inout SMTPSession, inout [SMTPAction]) -> Void) {
        var orders: [SMTPAction] = []
        step(&session, &orders)
        orders.forEach(carryOut)
    }

    private func carryOut(_ order: SMTPAction) {
        guard isOpen else { return }
        switch order {
        case .send(let bytes): exchange?.send(bytes)
        case .upgrade:
            do throws(TLSFailure) {
                exchange?.encrypt(try trust()) { [weak self] in self?.drive { $0.secured(into: &$1) } }
            } catch {
                end(.failure(Fault(words: "no encrypted connection: \(error)", isOfServer: true)))
            }
        case .ready:
            guard let message else { return }
            self.message = nil
            drive { $0.send(message, into: &$1) }
        case .delivered: end(.success(()))
        case .refused(let refusal): end(.failure(Fault(words: refusal.why)))
        case .failed(let failure): end(.failure(Fault(words: failure.problem.description, isOfServer: true)))
        }
    }
}
