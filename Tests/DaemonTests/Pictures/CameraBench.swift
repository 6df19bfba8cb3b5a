import AlarmModel
import ApplianceCore
import Foundation
import PhoneLink
import Platform
import Testing

@testable import Daemon

/// A camera that answers as it is told, a topic server beside it, and a directory for pictures. Confined to one test.
final class CameraBench {
    enum Answer {
        /// The bytes that leave; then the connection ends or stays.
        case bytes([UInt8], thenEnds: Bool)
        /// Bytes without end.
        case endless([UInt8])
        case nothing
    }

    static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 50_000) + [0xFF, 0xD9]

    let loop: EventLoop
    let directory: String
    let authority: Authority
    var camera: (_ request: String) -> Answer = { _ in .bytes(CameraBench.ok(CameraBench.picture), thenEnds: false) }
    /// As they came.
    var requests: [String] = []
    /// What the topic server got, and what it answers.
    var uploads: [(head: String, body: [UInt8])] = []
    var topicStatus = "200 OK"
    var topicAnswer = "{}"
    private var plain: Listener?
    private var secure: Listener?
    private var topics: Listener?
    private(set) var fingerprint: [UInt8] = []
    private var kept: [AnyObject] = []

    init() throws {
        loop = try EventLoop()
        directory = NSTemporaryDirectory() + "pictures-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        authority = try Authority()
        let identity = try authority.issue(.init(names: ["localhost"]))
        fingerprint = identity.fingerprint
        let here = Endpoint(address: try #require(IPAddress("127.0.0.1")), port: 0)
        plain = try Listener(loopback: here, on: loop, limit: 16) { [weak self] in self?.serve($0) }
        secure = try Listener(loopback: here, on: loop, limit: 16) { [weak self] stream in
            guard let self else { return }
            let secure = SecureStream(server: stream, identity: identity, on: self.loop)
            self.serve(secure)
            secure.startHandshake()
        }
        topics = try Listener(loopback: here, on: loop, limit: 16) { [weak self] in self?.takeUpload($0) }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    static func ok(_ body: [UInt8]) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }

    func url(isEncrypted: Bool = false) throws -> HTTPURL {
        let port = (isEncrypted ? secure : plain)?.port ?? 0
        return try HTTPURL("\(isEncrypted ? "https" : "http")://127.0.0.1:\(port)/snapshot.jpg?channel=1")
    }

    var topic: HTTPURL { get throws { try HTTPURL("http://127.0.0.1:\(topics?.port ?? 0)/topic0123456789abcd") } }
    var names: [String] { PictureRing.names(in: directory) }

    private func serve(_ stream: any ByteStream) {
        kept.append(stream)
        var input: [UInt8] = []
        stream.onReceived = { [weak self, weak stream] bytes in
            input += bytes
            let text = String(decoding: input, as: UTF8.self)
            guard let self, let stream, text.hasSuffix("\r\n\r\n") else { return }
            input = []
            self.requests.append(text)
            switch self.camera(text) {
            case .bytes(let bytes, let ends):
                stream.send(bytes)
                if ends { stream.close() }
            case .endless(let bytes): self.pour(bytes, stream)
            case .nothing: break
            }
        }
    }

    private func pour(_ bytes: [UInt8], _ stream: any ByteStream) {
        if stream.unsentCount < 1 << 20 { stream.send(bytes) }
        _ = loop.setTimer(after: .milliseconds(1)) { [weak self, weak stream] in
            if let stream { self?.pour(bytes, stream) }
        }
    }

    private func takeUpload(_ stream: any ByteStream) {
        kept.append(stream)
        var input: [UInt8] = []
        stream.onReceived = { [weak self] bytes in
            input += bytes
            guard let self, let end = input.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            let head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
            let length =
                head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
                .flatMap { Int($0.dropFirst(16)) } ?? 0
            guard input.count - end.upperBound >= length else { return }
            self.uploads.append((head, Array(input[end.upperBound...])))
            input = []
            let body = self.topicAnswer
            stream.send(
                Array("HTTP/1.1 \(self.topicStatus)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
        }
    }

    // MARK: What is asked of it

    func snapshot(
        _ change: (inout Camera) -> Void = { _ in }, isEncrypted: Bool = false,
        limits: CameraSnapshot.Limits = .init(total: .seconds(5), silence: .milliseconds(400))
    ) throws -> Result<[UInt8], SnapshotFault> {
        var camera = Camera(name: "Garage", url: try url(isEncrypted: isEncrypted))
        change(&camera)
        var result: Result<[UInt8], SnapshotFault>?
        let trust = { () throws(TLSFailure) -> TLSTrust in try TLSTrust() }
        let snapshot = CameraSnapshot(camera, trust: trust, limits: limits, on: loop) { [loop] taken in
            result = taken
            loop.stop()
        }
        run()
        withExtendedLifetime(snapshot) {}
        return try #require(result)
    }

    func work(
        _ task: PictureRequest.Task, keptDays: Int = 30, keptBytes: Int = 1 << 20, at now: WallTime? = nil
    ) -> [PictureAnswer] {
        var answers: [PictureAnswer] = []
        let request = PictureRequest(task, keptDays: keptDays, keptBytes: keptBytes, now: now)
        let work = PictureWork(request, directory, on: loop) { [loop] answer in
            answers.append(answer)
            if answer.isLast { loop.stop() }
        }
        run()
        withExtendedLifetime(work) {}
        return answers
    }

    private func run() {
        let deadline = loop.setTimer(after: .seconds(10)) { [loop] in loop.stop() }
        loop.run()
        loop.cancel(deadline)
    }
}
