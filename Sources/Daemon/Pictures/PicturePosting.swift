import AlarmModel
import ApplianceCore
import PhoneLink
import Platform

/// A picture as a message to a broker. Confined to the loop's thread.
final class PicturePosting: Errand {
    private var posting: MQTTPosting

    /// - Parameter then: called once, later
    init(
        _ parcel: PictureSender.Parcel, to broker: MQTTSettings, _ topic: String, on loop: EventLoop,
        then: @escaping (Result<Void, Fault>) -> Void
    ) {
        posting = MQTTPosting(broker, topic: topic, payload: parcel.picture)
        super.init(on: loop, then: then)
        let security: PeerExchange.Security =
            switch broker.security {
            case .plain: .plain
            case .tls: .certified({ () throws(TLSFailure) in try parcel.trust(.broker) })
            }
        exchange = PeerExchange(
            broker.host, broker.port, posting.opening, security, link: parcel.link, Self.limits, on: loop,
            onBytes: { [weak self] bytes in self?.received(bytes) },
            then: { [weak self] how in self?.ended(how) })
    }

    private func received(_ bytes: [UInt8]) {
        for word in posting.received(bytes) {
            switch word {
            case .send(let bytes): exchange?.send(bytes)
            case .taken: end(.success(()))
            case .failed(let why): end(.failure(Fault(words: why, isOfServer: true)))
            }
        }
    }
}
