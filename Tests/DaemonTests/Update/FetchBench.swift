import AlarmModel
import ApplianceCore
import Foundation
import PhoneProtocol
import Platform
import SoftwareUpdate
import Testing

@testable import Card
@testable import Daemon

/// A host with files over TLS, as hostile as it is told, a box that asks it, and the box's card.
final class FetchBench {
    /// How the host answers a path.
    enum Answer {
        case file([UInt8])
        /// The bytes that leave, whatever they are.
        case raw([UInt8], thenEnds: Bool)
        /// A body without end.
        case endless
        /// One byte in so many milliseconds.
        case drip([UInt8], Int)
        /// So many bytes of the file, then nothing, and the connection stays.
        case stalls([UInt8], after: Int)
    }

    let update: UpdateBench
    let loop: EventLoop
    var host: [String: Answer] = [:]
    /// As they came.
    var requests: [String] = []
    var settings = Fetch.Settings()
    let authority: Authority
    private var listener: Listener?
    private var kept: [AnyObject] = []
    static let now = SystemClock.wallTime().seconds

    init() throws {
        update = try UpdateBench()
        loop = try EventLoop()
        authority = try Authority()
        try AtomicFile.write(update.path("ca.pem"), Array(authority.certificatePEM.utf8))
        try FileManager.default.createDirectory(atPath: update.path("fetched"), withIntermediateDirectories: true)
        settings.directory = update.path("fetched")
        settings.places = update.places
        settings.authorityFile = update.path("ca.pem")
        settings.pace = .milliseconds(20)
        let identity = try authority.issue(.init(names: ["localhost"], validUntil: .seconds(20 * 86_400)))
        listener = try Listener(
            loopback: Endpoint(address: try #require(IPAddress("127.0.0.1")), port: 0), on: loop, limit: 16
        ) {
            [weak self] stream in self?.serve(stream, identity)
        }
    }

    var port: UInt16 { listener?.port ?? 0 }
    var bundle: String { update.path("fetched/update.bundle") }
    var names: [String] { DirectoryList.names(in: settings.directory).sorted() }

    private func serve(_ plain: Platform.Stream, _ identity: TLSIdentity) {
        let stream = SecureStream(server: plain, identity: identity, on: loop)
        kept.append(stream)
        var input: [UInt8] = []
        var isAnswered = false
        stream.onReceived = { [weak self] bytes in
            input += bytes
            let text = String(decoding: input, as: UTF8.self)
            guard let self, !isAnswered, text.hasSuffix("\r\n\r\n") else { return }
            isAnswered = true
            requests.append(text)
            let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            answer(
                host[path] ?? .raw(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8), thenEnds: true),
                stream)
        }
        stream.startHandshake()
    }

    private static func head(_ count: Int?) -> [UInt8] {
        Array(("HTTP/1.1 200 OK\r\n" + (count.map { "Content-Length: \($0)\r\n" } ?? "") + "\r\n").utf8)
    }

    private func answer(_ answer: Answer, _ stream: SecureStream) {
        switch answer {
        case .file(let bytes): stream.send(Self.head(bytes.count) + bytes)
        case .raw(let bytes, let ends):
            stream.send(bytes)
            if ends { stream.close() }
        case .endless:
            stream.send(Self.head(nil))
            pour(stream)
        case .drip(let bytes, let pause):
            stream.send(Self.head(bytes.count))
            drip(bytes[...], pause, stream)
        case .stalls(let bytes, let count): stream.send(Self.head(bytes.count) + bytes.prefix(count))
        }
    }

    private func pour(_ stream: SecureStream) {
        if stream.unsentCount < 1 << 20 { stream.send([UInt8](repeating: 0x41, count: 64 * 1024)) }
        _ = loop.setTimer(after: .milliseconds(1)) { [weak self, weak stream] in
            if let stream { self?.pour(stream) }
        }
    }

    private func drip(_ bytes: ArraySlice<UInt8>, _ pause: Int, _ stream: SecureStream) {
        guard let first = bytes.first else { return }
        stream.send([first])
        _ = loop.setTimer(after: .milliseconds(pause)) { [weak self, weak stream] in
            if let stream { self?.drip(bytes.dropFirst(), pause, stream) }
        }
    }

    /// Puts a signed offer and its bundle there; what is in both can be changed before.
    func publish(
        _ release: ReleaseDescription = UpdateBench.release("1.1.0", 1_001_000), number: Int64 = 7,
        expires: Int64 = now + 1000, key: String = "key", _ change: (inout UpdateOffer) -> Void = { _ in }
    ) throws {
        let content = try update.read((try update.bundle(release, key: key) as NSString).lastPathComponent)
        var offer = UpdateOffer(
            number: number, expires: expires, release: release,
            bundle: BundleManifest.Part(
                name: "new.bundle", bytes: content.count, sha256: OpenSSLCrypto().sha256(content)))
        change(&offer)
        let seed = try Hex.decode(String(decoding: try update.read(key).dropLast(), as: UTF8.self))
        let signer = try #require(OpenSSLSigner(ed25519Seed: seed))
        let signature = try #require(signer.sign(SignedOffer.signedBytes(of: offer.bytes)))
        let signed = SignedOffer(
            offer: offer, offerBytes: offer.bytes,
            signatures: [.init(keyID: BundleHeader.keyID(of: signer.publicKey, OpenSSLCrypto()), bytes: signature)])
        host["/box/virt.offer"] = .file(signed.bytes)
        host["/box/new.bundle"] = .file(content)
    }

    /// What is said, up to the last word.
    func fetch(
        _ task: FetchRequest.Task, seen: Int64 = 0, now: Int64 = now, url: String? = nil, name: String = "localhost",
        authorities: String? = nil,
        within: Duration = .seconds(20)
    ) -> [FetchAnswer] {
        let request = FetchRequest(
            task, url: url ?? "https://\(name):\(port)/box/virt.offer", authorities: authorities, link: nil, seen: seen,
            now: now)
        var answers: [FetchAnswer] = []
        let fetch = Fetch(request, settings, on: loop) { [loop] answer in
            answers.append(answer)
            if case .progress = answer { return }
            loop.stop()
        }
        let deadline = loop.setTimer(after: within) { [loop] in loop.stop() }
        loop.run()
        loop.cancel(deadline)
        withExtendedLifetime(fetch) {}
        return answers
    }
}
