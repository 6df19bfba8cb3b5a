import AlarmModel
import ApplianceCore
import PhoneLink
import Platform

/// A picture as a file at a topic server, sealed or as it is. Confined to the loop's thread.
final class PictureFile: Errand {
    private let url: HTTPURL
    private let camera: String
    private let onSealed: (PictureReference) -> Void
    private var reader = HTTPResponseReader()
    private var sealed: SealedPicture?
    private var answer: [UInt8] = []

    /// - Parameter then: called once, later
    init(
        _ parcel: PictureSender.Parcel, to topic: HTTPURL, _ authorization: Secret?, title: String, on loop: EventLoop,
        then: @escaping (Result<Void, Fault>) -> Void
    ) {
        (url, camera, onSealed) = (topic, parcel.camera, { _ in })
        super.init(on: loop, then: then)
        let fields = [
            HTTPField("Filename", parcel.fileName), HTTPField("Title", title), HTTPField("Content-Type", "image/jpeg"),
            // The alarm's own words have made the noise.
            HTTPField("Priority", "3"), HTTPField("Tags", "camera"),
        ]
        put(parcel.picture, fields, authorization, parcel)
    }

    /// - Parameters:
    ///   - server: its topic is made here, for this file alone
    ///   - onSealed: called where the file lies, before `then`
    ///   - then: called once, later
    init(
        _ parcel: PictureSender.Parcel, sealedTo server: HTTPURL, _ authorization: Secret?, on loop: EventLoop,
        onSealed: @escaping (PictureReference) -> Void, then: @escaping (Result<Void, Fault>) -> Void
    ) {
        var topic = server
        topic.target += SealedPicture.topic()
        (url, camera, self.onSealed) = (topic, parcel.camera, onSealed)
        super.init(on: loop, then: then)
        do throws(SealedPicture.Fault) {
            let sealed = try SealedPicture(parcel.picture)
            self.sealed = sealed
            let fields = [HTTPField("Filename", "picture"), HTTPField("Content-Type", "application/octet-stream")]
            put(sealed.bytes, fields, authorization, parcel)
        } catch {
            end(.failure(Fault(words: error.description)))
        }
    }

    private func put(
        _ body: [UInt8], _ fields: [HTTPField], _ authorization: Secret?, _ parcel: PictureSender.Parcel
    ) {
        var fields = fields
        if let authorization { fields.append(HTTPField("Authorization", secret: authorization)) }
        let bytes: [UInt8]
        do throws(HTTPRequestError) {
            bytes = try HTTPRequest(.put, url.target, fields: fields, body: body).bytes(for: url.origin())
        } catch {
            return end(.failure(Fault(words: error.description)))
        }
        let trust = { () throws(TLSFailure) in try parcel.trust(.topics) }
        exchange = PeerExchange(
            url.host, url.port, bytes, url.isEncrypted ? .certified(trust) : .plain, link: parcel.link,
            Self.limits, on: loop,
            onBytes: { [weak self] bytes in
                self?.reader.append(bytes)
                self?.read()
            },
            then: { [weak self] how in self?.ended(how) })
    }

    private func read() {
        while isOpen, let event = reader.next() {
            switch event {
            case .head(let head) where head.isSuccess:
                // What is not sealed is done: the rest of the answer says nothing.
                if sealed == nil { end(.success(())) }
            case .head(let head): end(.failure(Fault(words: Self.words(for: head.status))))
            case .body(let bytes): answer += bytes
            case .end: finishSealed()
            case .failed(let error): end(.failure(Fault(words: error.description)))
            }
        }
    }

    private static func words(for status: Int) -> String {
        switch status {
        case 401, 403: "it does not let this box send files there"
        case 413: "files are too big for it, or it takes none from this box today"
        case 429: "its limit for files is reached"
        default: "it answered \(status)"
        }
    }

    private func finishSealed() {
        guard let sealed else { return }
        do throws(SealedPicture.Fault) {
            onSealed(try sealed.reference(answer, from: url, camera: camera))
            end(.success(()))
        } catch {
            end(.failure(Fault(words: error.description)))
        }
    }
}
