import AlarmModel
import ApplianceCore
import Foundation
import PhoneLink
import Platform
import Testing

@testable import Daemon

@Suite("A picture of a camera")
struct SnapshotTests {
    private static let unauthorized = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: "

    private static func logIn(_ camera: inout Camera) {
        camera.user = "alarm"
        camera.password = Secret("S3cret")
    }

    private func fault(_ result: Result<[UInt8], SnapshotFault>) -> SnapshotFault? {
        if case .failure(let fault) = result { fault } else { nil }
    }

    @Test("it is asked for in the words of every box")
    func itIsAskedForInTheWordsOfEveryBox() throws {
        let bench = try CameraBench()
        #expect(try bench.snapshot() == .success(CameraBench.picture))
        #expect(
            bench.requests == [
                "GET /snapshot.jpg?channel=1 HTTP/1.1\r\nHost: \(try bench.url().origin().authority)\r\n"
                    + "User-Agent: HowAlarming\r\nAccept-Encoding: identity\r\n\r\n"
            ])
    }

    @Test("one that wants Digest gets it once, and a camera that refuses it is not asked again")
    func oneThatWantsDigestGetsItOnce() throws {
        let bench = try CameraBench()
        let challenge =
            Self.unauthorized + "Digest realm=\"cam\", nonce=\"n1\", qop=\"auth\"\r\nContent-Length: 0\r\n\r\n"
        bench.camera = { request in
            request.contains("Authorization: Digest ")
                ? .bytes(CameraBench.ok(CameraBench.picture), thenEnds: true)
                : .bytes(Array(challenge.utf8), thenEnds: false)
        }
        #expect(try bench.snapshot(Self.logIn) == .success(CameraBench.picture))
        #expect(bench.requests.count == 2)
        #expect(bench.requests.allSatisfy { !$0.contains("S3cret") })
        bench.camera = { _ in .bytes(Array(challenge.utf8), thenEnds: false) }
        #expect(fault(try bench.snapshot(Self.logIn)) == .loginRefused)
        #expect(bench.requests.count == 4)
        #expect(fault(try bench.snapshot()) == .loginMissing)
    }

    @Test("Basic goes over an encrypted connection, or where its owner names it, and nowhere else")
    func basicGoesOverAnEncryptedConnection() throws {
        let bench = try CameraBench()
        let challenge = Self.unauthorized + "Basic realm=\"cam\"\r\nContent-Length: 0\r\n\r\n"
        bench.camera = { request in
            request.contains("Authorization: Basic YWxhcm06UzNjcmV0\r\n")
                ? .bytes(CameraBench.ok(CameraBench.picture), thenEnds: true)
                : .bytes(Array(challenge.utf8), thenEnds: false)
        }
        #expect(fault(try bench.snapshot(Self.logIn)) == .plainBasic)
        #expect(bench.requests.count == 1)
        let allowed = try bench.snapshot {
            Self.logIn(&$0)
            $0.mayAskPlainBasic = true
        }
        #expect(allowed == .success(CameraBench.picture))
        let pin = bench.fingerprint
        let encrypted = try bench.snapshot(
            {
                Self.logIn(&$0)
                $0.fingerprint = pin
            }, isEncrypted: true)
        #expect(encrypted == .success(CameraBench.picture))
    }

    @Test("a certificate that is pinned alone is believed; nothing is asked of another one")
    func aCertificateThatIsPinnedAloneIsBelieved() throws {
        let bench = try CameraBench()
        let pin = bench.fingerprint
        #expect(try bench.snapshot({ $0.fingerprint = pin }, isEncrypted: true) == .success(CameraBench.picture))
        let asked = bench.requests.count
        var other = pin
        other[31] ^= 1
        guard case .unreachable(let why)? = fault(try bench.snapshot({ $0.fingerprint = other }, isEncrypted: true))
        else {
            Issue.record("another certificate was believed")
            return
        }
        let shown = pin.map { $0.padded(radix: 16, uppercase: true) }.joined(separator: ":")
        #expect(why == "its certificate is not the one that is expected: its fingerprint is \(shown)")
        guard case .unreachable? = fault(try bench.snapshot(isEncrypted: true)) else {
            Issue.record("an unknown authority was believed")
            return
        }
        #expect(bench.requests.count == asked)
    }

    @Test("one that hangs, drips nothing, or sends without an end is given up in time")
    func oneThatHangsIsGivenUpInTime() throws {
        let bench = try CameraBench()
        bench.camera = { _ in .nothing }
        #expect(fault(try bench.snapshot()) == .unreachable("it fell silent"))
        bench.camera = { _ in
            .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n".utf8) + [0xFF, 0xD8, 0xFF], thenEnds: false)
        }
        #expect(fault(try bench.snapshot()) == .unreachable("it fell silent"))
        let head = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [0xFF, 0xD8, 0xFF]
        var isFirst = true
        bench.camera = { _ in
            defer { isFirst = false }
            return .endless(head + [UInt8](repeating: 0, count: 64 * 1024))
        }
        #expect(fault(try bench.snapshot()) == .tooLong)
        #expect(!isFirst)
    }

    @Test(
        "what is no picture is said to be none, with what to do",
        arguments: [
            ("HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n", SnapshotFault.redirect),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", .status(404)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", .notJPEG),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .notJPEG),
            ("HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n", .tooLong),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n<html>", .http(.encoded("gzip"))),
            ("RTSP/1.0 200 OK\r\n\r\n", .http(.notHTTP)),
            ("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n", .unknownLogin),
        ])
    func whatIsNoPictureIsSaidToBeNone(_ answer: String, _ expected: SnapshotFault) throws {
        let bench = try CameraBench()
        bench.camera = { _ in .bytes(Array(answer.utf8), thenEnds: true) }
        #expect(fault(try bench.snapshot(Self.logIn)) == expected)
        #expect(bench.requests.count == 1)
    }

    /// A whole picture of 8 by 8 points, with a comment as some cameras write it.
    private static let small: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
        + [0xFF, 0xFE, 0, 8] + Array("DHAV".utf8) + [0xFB, 0] + [0xFF, 0xDB, 0, 67, 0]
        + [UInt8](repeating: 3, count: 64)
        + [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0] + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0x3F, 0]
        + [0xD2, 0xFF, 0x00, 0xCF, 0xFF, 0xD0, 0x20, 0xFF, 0xD9]

    @Test("a picture that breaks off is none, wherever it does; what is behind its end does not matter")
    func aPictureThatBreaksOffIsNone() throws {
        let bench = try CameraBench()
        bench.camera = { _ in .bytes(CameraBench.ok(Array(Self.small.prefix(28))), thenEnds: true) }
        let result = fault(try bench.snapshot())
        #expect(result == .notWhole && result?.description.contains("breaks off before the end") == true)
        for length in 3..<Self.small.count { #expect(!JPEGEnd.isWhole(Array(Self.small.prefix(length))), "\(length)") }
        for tail in ["", "\0\0\0\r\n", "camera 7, 03:10:02"] {
            #expect(JPEGEnd.isWhole(Self.small + Array(tail.utf8)), "\(tail)")
        }
        // The end of a thumbnail is not the picture's.
        let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE1, 0, 8, 0xFF, 0xD8, 0xFF, 0xD9, 1, 1, 0xFF, 0xDB, 0, 67, 0, 3]
        #expect(!JPEGEnd.isWhole(thumbnail) && !JPEGEnd.isWhole([0xFF, 0xD8, 0xFF, 0xD9]))
    }

    @Test("cut anywhere, an answer comes to the same")
    func cutAnywhereAnAnswerComesToTheSame() {
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]
        for answer in [
            CameraBench.ok(picture), Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + picture,
            Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n".utf8) + picture[..<4]
                + Array("\r\n5\r\n".utf8)
                + picture[4...] + Array("\r\n0\r\n\r\n".utf8),
        ] {
            for cut in answer.indices {
                var reader = SnapshotReader()
                let verdict =
                    reader.append(Array(answer[..<cut])) ?? reader.append(Array(answer[cut...]))
                    ?? reader.finish(isOrderly: true)
                #expect(verdict == .picture(picture))
            }
        }
    }

    @Test("of hostile answers none stops the taker or makes it keep more than its bound")
    func hostileAnswers() {
        var state: UInt64 = 20_261_126
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let pieces: [[UInt8]] =
            [
                "HTTP/1.1 ", "200 OK", "401 No", "\r\n", "Content-Length: ", "99999999999", "7",
                "Transfer-Encoding: chunked",
                "WWW-Authenticate: Digest realm=\"a\"", "WWW-Authenticate: Basic", ": ", "ffffff", "0\r\n\r\n", "\0",
            ].map { Array($0.utf8) } + [
                [0xFF, 0xD8, 0xFF], [UInt8](repeating: 0x41, count: 5000), [0x80, 0xFF], [0xFF, 0xD9],
            ]
        // Each place of an answer is reached, not its first line alone.
        let beginnings: [[UInt8]] = [
            [], Array("HTTP/1.1 200 OK\r\n".utf8), Array("HTTP/1.1 401 No\r\n".utf8),
            Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [0xFF, 0xD8, 0xFF],
            Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n".utf8) + [0xFF, 0xD8, 0xFF, 0x0D, 0x0A],
        ]
        var pictures = 0
        for round in 0..<Self.rounds {
            var reader = SnapshotReader()
            var verdict: SnapshotReader.Verdict?
            verdict = reader.append(beginnings[round % beginnings.count])
            for _ in 0..<random(120) where verdict == nil { verdict = reader.append(pieces[random(pieces.count)]) }
            verdict = verdict ?? reader.finish(isOrderly: round.isMultiple(of: 3))
            guard case .picture(let bytes)? = verdict else { continue }
            pictures += 1
            #expect(bytes.count <= SnapshotReader.limit)
        }
        #expect(pictures > 0)
    }

    /// All 100 000 with HA_HOSTILE_CAMERAS=100000.
    private static let rounds = ProcessInfo.processInfo.environment["HA_HOSTILE_CAMERAS"].flatMap { Int($0) } ?? 3000
}
