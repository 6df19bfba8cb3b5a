import AlarmModel
import ApplianceCore
import Foundation
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@testable import Daemon

@Suite("A picture is put sealed where the app finds it")
struct SealedPictureTests {
    private static let time = WallTime(milliseconds: 1_795_000_000_000)

    private func shot(_ bench: CameraBench) throws -> PictureRequest.Task {
        var shot = PictureRequest.Shot(camera: Camera(name: "Garage", url: try bench.url()), time: Self.time)
        var server = try bench.topic
        server.target = "/ntfy/"
        shot.uploads = [.sealed(server, authorization: Secret("Bearer tk_a"))]
        return .take(shot)
    }

    private func file(_ bench: CameraBench, at url: String? = nil, expires: String = "1795010800") throws -> String {
        let url = try url ?? "\(bench.topic.origin())/file/Zx81.bin"
        return #"{"id":"a","attachment":{"name":"picture","size":50022,"expires":\#(expires),"url":"\#(url)"}}"#
    }

    @Test("the server gets nothing but bytes for a topic of their own; what is told opens them")
    func theServerGetsNothingButBytes() throws {
        let bench = try CameraBench()
        bench.topicAnswer = try file(bench)
        var topics: [String] = []
        var keys: [String] = []
        for count in 1...2 {
            let answers = bench.work(try shot(bench))
            #expect(answers.count == 3 && answers.first == .kept(bytes: CameraBench.picture.count))
            #expect(answers.last == .done(sent: 1))
            guard case .sealed(let reference) = answers[1] else {
                Issue.record("it does not say where it lies")
                return
            }
            #expect(bench.uploads.count == count)
            let upload = bench.uploads[count - 1]
            let line = upload.head.split(separator: "\r\n")
            #expect(line.contains("Authorization: Bearer tk_a") && line.contains("Filename: picture"))
            for word in ["Garage", "Title", "2026", "image"] { #expect(!upload.head.contains(word), "\(word)") }
            topics.append(String(line[0]))
            keys.append(reference.key.revealed)
            #expect(reference.url == "\(try bench.topic.origin())/file/Zx81.bin" && reference.camera == "Garage")
            #expect(reference.bytes == upload.body.count && reference.expires.seconds == 1_795_010_800)
            #expect(reference.hash == Base64URL.encode(OpenSSLCrypto().sha256(upload.body)))
            // Browsers open it in Tests/AppTests.
            let key = try Base64URL.decode(reference.key.revealed)
            let nonce = [UInt8](repeating: 0, count: 12)
            #expect(AESGCM.seal(CameraBench.picture, key: key, nonce: nonce) == upload.body)
        }
        let length = "PUT /ntfy/ HTTP/1.1".utf8.count + 24
        #expect(topics.allSatisfy { $0.hasPrefix("PUT /ntfy/") && $0.utf8.count == length })
        #expect(Set(topics).count == 2 && Set(keys).count == 2)
    }

    @Test("it is AES-256-GCM (test case 14 of its authors)")
    func itIsAESGCM() throws {
        let zeros = [UInt8](repeating: 0, count: 32)
        let sealed = AESGCM.seal(Array(zeros[..<16]), key: zeros, nonce: Array(zeros[..<12]))
        #expect(try sealed == Hex.decode("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"))
        #expect(AESGCM.seal([], key: Array(zeros[..<31]), nonce: Array(zeros[..<12])) == nil)
    }

    @Test("of an odd answer nothing is told on, and the picture is kept", arguments: 0..<9)
    func ofAnOddAnswerNothingIsToldOn(_ kind: Int) throws {
        let bench = try CameraBench()
        let origin = try bench.topic.origin().description
        let elsewhere = "look at 'base-url' in its configuration"
        let noFile = "look at 'attachment-cache-dir' in its configuration"
        let (answer, why) =
            try [
                (file(bench, at: "http://127.0.0.1:1/file/a"), elsewhere),
                (file(bench, at: "https\(origin.dropFirst(4))/file/a"), elsewhere),
                (file(bench, at: "http://evil.example/file/a"), elsewhere),
                (file(bench, at: "\(origin)/\(String(repeating: "a", count: 500))"), elsewhere),
                (file(bench, expires: "-1"), noFile), (file(bench, expires: "\"soon\""), noFile),
                (#"{"id":"a","message":"You received a file"}"#, noFile), ("[]", noFile),
                (String(repeating: "[", count: 2000), noFile),
            ][kind]
        bench.topicAnswer = answer
        let answers = bench.work(try shot(bench))
        #expect(answers.count == 2 && answers.first == .kept(bytes: CameraBench.picture.count))
        guard case .unsent(let said)? = answers.last else {
            Issue.record("\(answers)")
            return
        }
        #expect(said.hasPrefix("127.0.0.1: ") && said.hasSuffix(why), "\(said)")
    }

    @Test("a server that never ends, or refuses, is said to")
    func aServerThatNeverEnds() throws {
        let bench = try CameraBench()
        bench.topicAnswer = String(repeating: " ", count: 70_000)
        guard case .unsent? = bench.work(try shot(bench)).last else {
            Issue.record("an answer without an end is none")
            return
        }
        (bench.topicStatus, bench.topicAnswer) = ("413 Too Large", "{}")
        #expect(
            bench.work(try shot(bench)).last
                == .unsent("127.0.0.1: files are too big for it, or it takes none from this box today"))
    }
}
