import AlarmModel
import ApplianceCore
import Foundation
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@testable import Daemon

@Suite("Pictures that are kept are sealed anew")
struct PicturesAgainWorkTests {
    /// 2026-11-18 11:06:40 UTC.
    private static let time: Int64 = 1_795_000_000

    private func keep(_ name: String, _ bench: CameraBench, _ bytes: [UInt8] = CameraBench.picture) throws {
        try AtomicFile.write("\(bench.directory)/\(name)", bytes)
    }

    private func again(_ bench: CameraBench, most: Int = 6, cameras: [String] = ["Garage", "Street 2"]) throws
        -> [PictureAnswer]
    {
        var again = PictureRequest.Again(
            from: WallTime(milliseconds: (Self.time - 5) * 1000),
            until: WallTime(milliseconds: (Self.time + 20) * 1000),
            most: most, cameras: cameras)
        var server = try bench.topic
        server.target = "/ntfy/"
        again.uploads = [.sealed(server, authorization: Secret("Bearer tk_a"))]
        bench.topicAnswer =
            #"{"attachment":{"expires":1795010800,"url":"\#(try bench.topic.origin())/file/Zx81.bin"}}"#
        return bench.work(.again(again))
    }

    private func cameras(_ answers: [PictureAnswer]) -> [String] {
        answers.compactMap { if case .sealed(let reference) = $0 { reference.camera } else { nil } }
    }

    @Test("those of the alarm's seconds, the oldest first, each with a key and a topic of its own")
    func thoseOfTheAlarmsSeconds() throws {
        let bench = try CameraBench()
        for name in [
            "2026-11-18 11.06.34 Garage.jpg", "2026-11-18 11.06.35 Garage.jpg", "2026-11-18 11.07.00 Street 2.jpg",
            "2026-11-18 11.06.42 Garage 2.jpg", "2026-11-18 11.06.42 Garage.jpg", "2026-11-18 11.07.01 Garage.jpg",
            "2026-11-18 11.06.43 Cellar 3.jpg", "2026-11-18 11.06.44 Street 2 99.jpg",
        ] {
            try keep(name, bench)
        }
        let answers = try again(bench)
        #expect(cameras(answers) == ["Garage", "Garage", "Garage", "Cellar", "Street 2", "Street 2"])
        #expect(answers.last == .done(sent: 6) && answers.count == 7)
        let topics = bench.uploads.map { String($0.head.split(separator: "\r\n")[0]) }
        #expect(Set(topics).count == 6 && topics.allSatisfy { $0.hasPrefix("PUT /ntfy/") })
        #expect(Set(bench.uploads.map(\.body)).count == 6)
        for (answer, upload) in zip(answers, bench.uploads) {
            guard case .sealed(let reference) = answer else { continue }
            let key = try Base64URL.decode(reference.key.revealed)
            #expect(
                AESGCM.seal(CameraBench.picture, key: key, nonce: [UInt8](repeating: 0, count: 12)) == upload.body)
        }
        #expect(cameras(try again(bench, most: 2)) == ["Garage", "Garage"])
        #expect(bench.uploads.count == 8 && bench.requests.isEmpty && bench.names.count == 8)
    }

    @Test("what only calls itself a picture is passed over: other names, other contents, links, folders, parts")
    func whatOnlyCallsItselfAPictureIsPassedOver() throws {
        let bench = try CameraBench()
        let stamp = "2026-11-18 11.06.41"
        for name in [
            "notes.txt", "\(stamp) Garage.txt", "\(stamp) Garage.jpg.new-17", "\(stamp).jpg", "\(stamp) .jpg",
            "\(stamp)Garage.jpg", "2026-11-18 11.06.4x Garage.jpg", "\(stamp) Stre\u{202E}et.jpg", "\(stamp) a;b.jpg",
            "\(stamp) \(String(repeating: "a", count: 41)).jpg", "\(stamp)  Garage.jpg",
        ] {
            try keep(name, bench)
        }
        try keep("\(stamp) Page.jpg", bench, Array("<svg onload='alert(1)'/>".utf8))
        try keep("\(stamp) Empty.jpg", bench, [])
        try keep("\(stamp) Big.jpg", bench, [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: PictureRing.largest))
        #expect(symlink("/etc/passwd", "\(bench.directory)/\(stamp) Passwd.jpg") == 0)
        #expect(mkdir("\(bench.directory)/\(stamp) Folder.jpg", 0o755) == 0)
        #expect(try again(bench) == [.done(sent: 0)])
        #expect(bench.uploads.isEmpty)
        try keep("\(stamp) Garage.jpg", bench)
        #expect(cameras(try again(bench)) == ["Garage"])
    }

    @Test("a server that takes no more ends it; what it took before is told; a request that is none is refused")
    func aServerThatTakesNoMoreEndsIt() throws {
        let bench = try CameraBench()
        for second in 40..<44 { try keep("2026-11-18 11.06.\(second) Garage.jpg", bench) }
        bench.topicStatus = "429 Too Many"
        #expect(try again(bench) == [.unsent("127.0.0.1: its limit for files is reached")])
        #expect(bench.uploads.count == 1)
        try FileManager.default.removeItem(atPath: bench.directory)
        #expect(try again(bench) == [.done(sent: 0)])
        let whole =
            #"{"days":30,"bytes":1000,"do":"again","from":100,"until":120,"most":6,"cameras":["a"],"#
            + #""to":[{"url":"https://h/"}]}"#
        #expect(PictureRequest(Array(whole.utf8))?.task.isAgain == true)
        let odd = [
            (#""until":120"#, #""until":99"#), (#""until":120"#, #""until":161"#), (#""from":100"#, #""from":-1"#),
            (#""until":120"#, #""until":9223372036854775807"#), (#""from":100"#, #""from":9223372036854775807"#),
            (#""most":6"#, #""most":0"#), (#""cameras":["a"],"#, ""), (#"[{"url":"https://h/"}]"#, "[]"),
            (#"{"url":"https://h/"}"#, #"{"url":"https://h/","title":"a"}"#),
            (#"{"url":"https://h/"}"#, #"{"url":"https://h/"},{"url":"https://i/"}"#),
        ]
        for (part, other) in odd {
            #expect(PictureRequest(Array(whole.replacing(part, with: other).utf8)) == nil, "\(other)")
        }
    }
}
