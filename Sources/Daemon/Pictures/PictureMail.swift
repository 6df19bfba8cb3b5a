import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Platform

/// A picture behind the words of a mail. Confined to the loop's thread.
final class PictureMail: PictureErrand {
    private let trust: () throws(TLSFailure) -> TLSTrust
    private var session: SMTPSession
    private var message: MailMessage?

    /// - Parameter then: called once, later
    init(
        _ parcel: PictureSender.Parcel, by server: MailSettings, to recipient: String, title: String,
        on loop: EventLoop, then: @escaping (Result<Void, Fault>) -> Void
    ) {
        let trust = { () throws(TLSFailure) in try parcel.trust(.mail) }
        self.trust = trust
        session = SMTPSession(settings: server)
        message = MailMessage(
            from: server.from, to: recipient, id: MessageID("picture-" + Hex.encode(Random.bytes(8))),
            notice: Notice(title: title, text: title, subject: .otherAlarm, time: parcel.time), isAlarm: false,
            attachment: .init(name: parcel.fileName, contentType: "image/jpeg", bytes: parcel.picture))
        super.init(on: loop, then: then)
        exchange = PeerExchange(
            server.host, server.port, [], server.security == .tls ? .certified(trust) : .plain, link: parcel.link,
            Self.limits, on: loop,
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
