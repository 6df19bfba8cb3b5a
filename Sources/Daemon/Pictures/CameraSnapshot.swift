import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Platform

/// One picture of one camera. Confined to the loop's thread.
///
/// Guarantees: the password is sent at most once, and as it is only where the owner allows it or the camera has proved
/// itself; a camera that hangs, lies or sends without an end is given up in time.
final class CameraSnapshot {
    struct Limits {
        var total = Duration.seconds(15)
        var silence = Duration.seconds(8)
    }

    private let camera: Camera
    private let trust: () throws(TLSFailure) -> TLSTrust
    private let limits: Limits
    private let loop: EventLoop
    private let then: (Result<[UInt8], SnapshotFault>) -> Void
    private var exchange: PeerExchange?
    private var reader = SnapshotReader()
    private var hasLoggedIn = false

    /// - Parameters:
    ///   - trust: for a camera with an https address and without a fingerprint
    ///   - then: called once, later
    init(
        _ camera: Camera, trust: @escaping () throws(TLSFailure) -> TLSTrust, limits: Limits = Limits(),
        on loop: EventLoop, then: @escaping (Result<[UInt8], SnapshotFault>) -> Void
    ) {
        self.camera = camera
        self.trust = trust
        self.limits = limits
        self.loop = loop
        self.then = then
        ask([])
    }

    private func ask(_ fields: [HTTPField]) {
        reader = SnapshotReader()
        let bytes: [UInt8]
        do throws(HTTPRequestError) {
            bytes = try HTTPRequest(.get, camera.url.target, fields: fields).bytes(for: camera.url.origin())
        } catch {
            return loop.later { self.end(.failure(.request(error))) }
        }
        exchange = PeerExchange(
            camera.url.host, camera.url.port, bytes, security, link: .any,
            .init(total: limits.total, silence: limits.silence), on: loop,
            onBytes: { [weak self] bytes in
                guard let self, let verdict = self.reader.append(bytes) else { return }
                self.judge(verdict)
            },
            then: { [weak self] how in self?.ended(how) })
    }

    private var security: PeerExchange.Security {
        guard camera.url.isEncrypted else { return .plain }
        return camera.fingerprint.map { .pinned($0) } ?? .certified(trust)
    }

    private func ended(_ how: PeerExchange.End) {
        switch how {
        case .failed(let why), .slow(let why): end(.failure(.unreachable(why)))
        case .closed(.tls(let failure)):
            end(
                .failure(
                    .unreachable("no encrypted connection: \(failure); 'fingerprint' pins a camera's own certificate")))
        case .closed(let how):
            if let verdict = reader.finish(isOrderly: how == .finished) { judge(verdict) }
        }
    }

    private func judge(_ verdict: SnapshotReader.Verdict) {
        exchange?.stop()
        switch verdict {
        case .picture(let bytes): end(.success(bytes))
        case .refused(let fault): end(.failure(fault))
        case .challenged(let challenges): logIn(challenges)
        }
    }

    private func logIn(_ challenges: [HTTPChallenge]) {
        guard let user = camera.user, let password = camera.password else { return end(.failure(.loginMissing)) }
        guard !hasLoggedIn else { return end(.failure(.loginRefused)) }
        hasLoggedIn = true
        let answer = HTTPLogin(user: user, password: password).answer(
            to: challenges, method: .get, target: camera.url.target,
            mayAskBasic: camera.url.isEncrypted || camera.mayAskPlainBasic, nonce: Hex.encode(Random.bytes(8))
        ) { hash, bytes in
            switch hash {
            case .md5: Digest.md5(bytes)
            case .sha256: Digest.sha256(bytes)
            }
        }
        guard let answer else {
            return end(.failure(challenges.contains { $0.scheme == .basic } ? .plainBasic : .unknownLogin))
        }
        ask([HTTPField("Authorization", secret: answer)])
    }

    private func end(_ result: Result<[UInt8], SnapshotFault>) {
        exchange = nil
        loop.later { self.then(result) }
    }
}
