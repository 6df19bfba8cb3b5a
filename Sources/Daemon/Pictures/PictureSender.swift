import AlarmModel
import ApplianceCore
import PhoneLink
import Platform

/// Sends a picture to topics as a file, one after the other, sealed or as it is. Confined to the loop's thread.
final class PictureSender {
    private let picture: [UInt8]
    private let fileName: String
    private let camera: String
    private let onSealed: (PictureReference) -> Void
    private let trust: () throws(TLSFailure) -> TLSTrust
    private let link: Link
    private let loop: EventLoop
    private let then: (_ sent: Int, _ why: String?) -> Void
    private var waiting: [PictureUpload]
    private var exchange: WebExchange?
    private var reader = HTTPResponseReader()
    /// What is under way.
    private var sealed: SealedPicture?
    private var answer: [UInt8] = []
    private var sent = 0
    private var why: String?

    private static let limits = WebExchange.Limits(total: .seconds(20), silence: .seconds(10))

    /// - Parameters:
    ///   - onSealed: called later, where it lies sealed
    ///   - then: called once, later: how many topics took it, and why the last of the others did not
    init(
        _ picture: [UInt8], of camera: String, named fileName: String, to uploads: [PictureUpload],
        trust: @escaping () throws(TLSFailure) -> TLSTrust, link: Link, on loop: EventLoop,
        onSealed: @escaping (PictureReference) -> Void,
        then: @escaping (_ sent: Int, _ why: String?) -> Void
    ) {
        self.picture = picture
        self.fileName = fileName
        self.camera = camera
        self.onSealed = onSealed
        self.trust = trust
        self.link = link
        self.loop = loop
        self.then = then
        waiting = uploads
        loop.later { self.next() }
    }

    private func next() {
        guard !waiting.isEmpty else { return then(sent, why) }
        var upload = waiting.removeFirst()
        (sealed, answer) = (nil, [])
        var fields: [HTTPField]
        if let title = upload.title {
            fields = [
                HTTPField("Filename", fileName), HTTPField("Title", title), HTTPField("Content-Type", "image/jpeg"),
                // The alarm's own words have made the noise.
                HTTPField("Priority", "3"), HTTPField("Tags", "camera"),
            ]
        } else {
            do throws(SealedPicture.Fault) { sealed = try SealedPicture(picture) } catch {
                return failed(error.description)
            }
            upload.url.target += SealedPicture.topic()
            fields = [HTTPField("Filename", "picture"), HTTPField("Content-Type", "application/octet-stream")]
        }
        if let authorization = upload.authorization { fields.append(HTTPField("Authorization", secret: authorization)) }
        let bytes: [UInt8]
        do throws(HTTPRequestError) {
            bytes = try HTTPRequest(.put, upload.url.target, fields: fields, body: sealed?.bytes ?? picture).bytes(
                for: upload.url.origin())
        } catch {
            return failed(error.description)
        }
        reader = HTTPResponseReader()
        exchange = WebExchange(
            upload.url, bytes, upload.url.isEncrypted ? .certified(trust) : .plain, link: link, Self.limits, on: loop,
            onBytes: { [weak self] bytes in
                self?.reader.append(bytes)
                self?.read(upload)
            },
            then: { [weak self] how in
                switch how {
                case .failed(let why): self?.failed("\(upload.url.host): \(why)")
                case .closed(let how): self?.failed("\(upload.url.host): the connection ended (\(how))")
                }
            })
    }

    private func read(_ upload: PictureUpload) {
        while exchange != nil, let event = reader.next() {
            switch event {
            case .head(let head) where head.isSuccess && sealed != nil: break
            case .head(let head):
                exchange?.stop()
                exchange = nil
                guard !head.isSuccess else {
                    sent += 1
                    return loop.later { self.next() }
                }
                let words =
                    switch head.status {
                    case 401, 403: "it does not let this box send files there"
                    case 413: "files are too big for it, or it takes none from this box today"
                    case 429: "its limit for files is reached"
                    default: "it answered \(head.status)"
                    }
                return failed("\(upload.url.host): \(words)")
            case .body(let bytes): answer += bytes
            case .end:
                guard let sealed else { break }
                exchange?.stop()
                exchange = nil
                do throws(SealedPicture.Fault) {
                    onSealed(try sealed.reference(answer, from: upload.url, camera: camera))
                } catch {
                    return failed("\(upload.url.host): \(error)")
                }
                sent += 1
                return loop.later { self.next() }
            case .failed(let error): return failed("\(upload.url.host): \(error)")
            }
        }
    }

    private func failed(_ words: String) {
        exchange?.stop()
        exchange = nil
        why = words
        loop.later { self.next() }
    }
}
