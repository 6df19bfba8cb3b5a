import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Platform

/// Sends a picture to one place after the other. Confined to the loop's thread.
///
/// Guarantees: a place that does not take it keeps no other one back; a server that cannot be reached is asked once.
final class PictureSender {
    /// What is sent, and how.
    struct Parcel {
        let picture: [UInt8]
        let camera: String
        let time: WallTime
        let fileName: String
        let trust: (PictureAuthorities.Server) throws(TLSFailure) -> TLSTrust
        var link: Link
    }

    private let parcel: Parcel
    private let onSealed: (PictureReference) -> Void
    private let loop: EventLoop
    private let then: (_ sent: Int, _ why: String?) -> Void
    private var waiting: [PictureUpload]
    private var underWay: Errand?
    private var sent = 0
    private var why: String?

    /// - Parameters:
    ///   - onSealed: called later, where it lies sealed
    ///   - then: called once, later: how many places took it, and why the last of the others did not
    init(
        _ parcel: Parcel, to uploads: [PictureUpload], on loop: EventLoop,
        onSealed: @escaping (PictureReference) -> Void, then: @escaping (_ sent: Int, _ why: String?) -> Void
    ) {
        self.parcel = parcel
        self.onSealed = onSealed
        self.loop = loop
        self.then = then
        waiting = uploads
        loop.later { self.next() }
    }

    private func next() {
        underWay = nil
        guard !waiting.isEmpty else { return then(sent, why) }
        let upload = waiting.removeFirst()
        var parcel = parcel
        // The Internet's link leads to no server in the house.
        if HouseName.isInHouse(upload.server.host) { parcel.link = .any }
        let done = { [weak self] (result: Result<Void, Errand.Fault>) in
            guard let self else { return }
            self.ended(upload, result)
        }
        switch upload {
        case .topic(let url, let authorization, let title):
            underWay = PictureFile(parcel, to: url, authorization, title: title, on: loop, then: done)
        case .sealed(let url, let authorization):
            underWay = PictureFile(parcel, sealedTo: url, authorization, on: loop, onSealed: onSealed, then: done)
        case .mail(let server, let recipient, let title):
            let trust = { () throws(TLSFailure) in try parcel.trust(.mail) }
            underWay = MailErrand(
                parcel.mail(from: server.from, to: recipient, title: title), by: server, trust: trust,
                link: parcel.link,
                on: loop, then: done)
        case .broker(let broker, let topic):
            underWay = PicturePosting(parcel, to: broker, topic, on: loop, then: done)
        }
    }

    private func ended(_ upload: PictureUpload, _ result: Result<Void, Errand.Fault>) {
        let server = upload.server
        switch result {
        case .success: sent += 1
        case .failure(let fault):
            why = "\(server.host): \(fault.words)"
            if fault.isOfServer { waiting.removeAll { $0.server == server } }
        }
        loop.later { self.next() }
    }
}

extension PictureSender.Parcel {
    /// The picture behind the words.
    fileprivate func mail(from sender: String, to recipient: String, title: String) -> MailMessage {
        MailMessage(
            from: sender, to: recipient, id: MessageID("picture-" + Hex.encode(Random.bytes(8))),
            notice: Notice(title: title, text: title, subject: .otherAlarm, time: time), isAlarm: false,
            attachment: .init(name: fileName, contentType: "image/jpeg", bytes: picture))
    }
}

private struct PictureServer: Equatable {
    var host: String
    var port: UInt16
}

extension PictureUpload {
    fileprivate var server: PictureServer {
        switch self {
        case .topic(let url, _, _), .sealed(let url, _): PictureServer(host: url.host, port: url.port)
        case .mail(let server, _, _): PictureServer(host: server.host, port: server.port)
        case .broker(let broker, _): PictureServer(host: broker.host, port: broker.port)
        }
    }
}
