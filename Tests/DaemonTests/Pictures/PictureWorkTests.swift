import AlarmModel
import ApplianceCore
import Foundation
import PhoneLink
import Platform
import Testing

@testable import Daemon

@Suite("Pictures are kept, sent and deleted")
struct PictureWorkTests {
    private static let time = WallTime(milliseconds: 1_795_000_000_000)

    private func shot(_ bench: CameraBench, uploads: Int = 0, after seconds: Int = 0) throws -> PictureRequest.Task {
        var shot = PictureRequest.Shot(
            camera: Camera(name: "Garage", url: try bench.url()), time: Self.time + .seconds(seconds))
        for _ in 0..<uploads {
            shot.uploads.append(
                .topic(try bench.topic, authorization: Secret("Bearer tk_a"), title: "Bild: Garage"))
        }
        return .take(shot)
    }

    @Test("a picture is kept under its time and its camera's name, readable by its group alone")
    func aPictureIsKeptUnderItsTime() throws {
        let bench = try CameraBench()
        let size = CameraBench.picture.count
        #expect(bench.work(try shot(bench)) == [.kept(bytes: size), .done(sent: 0)])
        #expect(bench.work(try shot(bench)) == [.kept(bytes: size), .done(sent: 0)])
        #expect(bench.names == ["2026-11-18 11.06.40 Garage 2.jpg", "2026-11-18 11.06.40 Garage.jpg"])
        let path = "\(bench.directory)/\(bench.names[1])"
        #expect(try FileReader.read(path, limit: 1 << 20) == CameraBench.picture)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test("it is sent to each topic as a file with a title; a topic that refuses keeps no other one back")
    func itIsSentToEachTopic() throws {
        let bench = try CameraBench()
        #expect(bench.work(try shot(bench, uploads: 2)).last == .done(sent: 2))
        #expect(bench.uploads.count == 2)
        let upload = try #require(bench.uploads.first)
        #expect(upload.body == CameraBench.picture)
        for line in [
            "PUT /topic0123456789abcd HTTP/1.1", "Filename: 2026-11-18 11.06.40 Garage.jpg", "Title: Bild: Garage",
            "Authorization: Bearer tk_a", "Content-Type: image/jpeg",
        ] {
            #expect(upload.head.split(separator: "\r\n").contains { $0 == line })
        }
        bench.topicStatus = "413 Too Large"
        #expect(
            bench.work(try shot(bench, uploads: 2)).last
                == .unsent("127.0.0.1: files are too big for it, or it takes none from this box today"))
        #expect(bench.uploads.count == 4)
    }

    @Test("a camera without a picture is a failure with its reason, and nothing is kept")
    func aCameraWithoutAPictureIsAFailure() throws {
        let bench = try CameraBench()
        bench.camera = { _ in .bytes(Array("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".utf8), thenEnds: true) }
        #expect(bench.work(try shot(bench, uploads: 1)) == [.failed("it answered 404; check 'url' in 'cameras'")])
        #expect(bench.names.isEmpty && bench.uploads.isEmpty)
    }

    @Test("the oldest go when there are too many bytes, or when their days are over; other files stay")
    func theOldestGo() throws {
        let bench = try CameraBench()
        let size = CameraBench.picture.count
        try AtomicFile.write("\(bench.directory)/notes.txt", [1])
        try AtomicFile.write("\(bench.directory)/x.jpg.new-17", [1])
        for second in 0..<6 {
            let answers = bench.work(try shot(bench, after: second), keptBytes: 3 * size + 10)
            #expect(answers.first == .kept(bytes: size))
        }
        #expect(bench.names.count == 3 && bench.names.first?.contains("11.06.43") == true)
        let left = try FileManager.default.contentsOfDirectory(atPath: bench.directory)
        #expect(left.contains("notes.txt") && left.contains("x.jpg.new-17"))
        let ring = PictureRing(directory: bench.directory, keptBytes: 1 << 30, keptDays: 2)
        try ring.tidy(now: SystemClock.wallTime() + .hours(47))
        #expect(bench.names.count == 3)
        // What a power cut left of a picture goes as soon as nobody can be writing it any more.
        #expect(access("\(bench.directory)/x.jpg.new-17", F_OK) != 0)
        try ring.tidy(now: SystemClock.wallTime() + .hours(49))
        #expect(bench.names.isEmpty)
    }

    @Test("all of them are deleted when somebody wants it; a directory that is missing is said")
    func allOfThemAreDeleted() throws {
        let bench = try CameraBench()
        _ = bench.work(try shot(bench))
        #expect(bench.work(.forget) == [.done(sent: 0)])
        #expect(bench.names.isEmpty)
        try FileManager.default.removeItem(atPath: bench.directory)
        guard case .failed(let why)? = bench.work(.forget).first else {
            Issue.record("a missing directory is nothing")
            return
        }
        #expect(why.hasPrefix("the card cannot be written"))
        // Who is told sees it all the same.
        let answers = bench.work(try shot(bench, uploads: 1))
        #expect(bench.uploads.count == 1)
        guard case .failed? = answers.last else {
            Issue.record("a picture that is not kept is none of the kept")
            return
        }
    }
}
