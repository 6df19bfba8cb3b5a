import AlarmModel
import Foundation
import Glibc
import PhoneProtocol
import Testing

@Suite("a store that fails", .serialized, .timeLimit(.minutes(15)))
struct StoreTests {
    @Test(
        "on a full disk alarms are shown at once, and everything is stored in order when there is room",
        .enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
    func onAFullDiskAlarmsAreShownAtOnce() throws {
        let disk = try SmallDisk(kilobytes: 3072)
        let house = try Appliance(Configuration())
        house.stateDirectory = "\(disk.path)/state"
        try house.start()
        try house.waitUntilUp()
        let follower = try house.follow()
        try house.house("open 1")
        _ = try follower.waitForLine(containing: "Front door")
        try disk.fill()
        // The write-ahead log has pages of its own left; they are used up first.
        try eventually("the store fails; \(try house.run("status").output)") {
            try house.house("open 2", "close 2")
            return try house.status()["store"]?["problem"]?.stringValue
        }
        let status = try house.run("status")
        #expect(status.status == 0)
        #expect(status.output.contains("FAILING"), "\(status.output)")
        #expect(
            status.output.range(of: "space|full", options: .regularExpression) != nil, "what to do: \(status.output)")
        try house.house("open 3", "open 7")
        let shown = try #require(Record(try follower.waitForLine(containing: "\"seq\":null")))
        #expect(shown.type == "alarm")
        let mark = try #require(shown.json["u"]?.stringValue)
        #expect(house.daemon?.isRunning == true)
        try house.house("close 3")
        disk.free()
        let restored = try house.waitForEvent { $0.code == "STORE_OK" }
        try eventually("nothing waits") { try house.status()["store"]?["problem"] == .null ? true : nil }
        let journal = try house.journal()
        #expect(journal.map(\.seq.number) == Array(1...Int64(journal.count)))
        func place(_ code: String, zone: Int) -> Int64? {
            journal.last { $0.event.code == code && $0.event.zone == zone }?.seq.number
        }
        let failed = try #require(journal.first { $0.event.code == "STORE_FAILED" })
        let opened = try #require(place("609", zone: 3))
        let alarm = try #require(journal.first { $0.event.unstored?.text == mark })
        let closed = try #require(place("610", zone: 3))
        #expect(failed.seq.number < opened && opened < alarm.seq.number && alarm.seq.number < closed)
        #expect(closed < restored.seq.number)
        #expect(alarm.event.type == .alarm && alarm.event.message == shown.message, "the row repeats the mark")
        _ = try follower.waitForLine(containing: "STORE_OK")
        #expect(try house.stop() == 0)
        #expect(try house.sql("PRAGMA integrity_check") == "ok")
    }

    @Test(
        "on a file system that cannot be written the daemon runs, shows events and says what is wrong",
        .enabled(if: SmallDisk.isPossible, "mounting a small file system needs root"))
    func onAFileSystemThatCannotBeWrittenTheDaemonRuns() throws {
        let disk = try SmallDisk(kilobytes: 4096)
        let house = try Appliance(Configuration())
        house.stateDirectory = "\(disk.path)/state"
        try house.start()
        try house.waitUntilUp()
        #expect(try house.stop() == 0)
        try disk.setReadOnly(true)
        let daemon = try house.spawnDaemon()
        try eventually("READY=1 without a store; \(daemon.report)") {
            if !daemon.isRunning { throw HarnessError("the daemon gave up: \(daemon.report)") }
            return house.notify.isReady ? true : nil
        }
        try eventually("the session with the panel; \(daemon.report)") {
            house.notify.status.hasPrefix("panel up; storage:") ? true : nil
        }
        #expect(house.notify.status.contains("read-only"), "\(house.notify.status)")
        try house.house("open 7")
        usleep(500_000)
        #expect(daemon.isRunning)
        try disk.setReadOnly(false)
        let event = try house.waitForEvent { $0.code == "STORE_OK" }
        try eventually("commands find the daemon again") { try house.run("status").status == 0 ? true : nil }
        let journal = try house.journal()
        let alarm = try #require(journal.last { $0.event.type == .alarm })
        #expect(alarm.seq < event.seq)
        #expect(journal.map(\.seq.number) == Array(1...Int64(journal.count)))
        #expect(try house.stop() == 0)
    }

    @Test("a damaged journal is set aside and kept, said so, and a new one begun")
    func aDamagedJournalIsSetAsideAndKept() throws {
        let house = try Appliance.running()
        #expect(try house.stop() == 0)
        let path = "\(house.stateDirectory)/journal.db"
        var content = try #require(FileManager.default.contents(atPath: path))
        content.replaceSubrange(
            0..<min(content.count, 6000), with: Data(repeating: 0x5A, count: min(content.count, 6000)))
        try content.write(to: URL(fileURLWithPath: path))
        try house.start()
        let event = try house.waitForEvent { $0.code == "STORE_DAMAGED" }
        let kept = try FileManager.default.contentsOfDirectory(atPath: house.stateDirectory)
            .filter { event.event.message.contains($0) && $0 != "journal.db" }
        #expect(!kept.isEmpty, "\(event.event.message)")
        try house.waitUntilUp()
        try house.house("open 3")
        _ = try house.waitForEvent { $0.code == "609" && $0.zone == 3 }
        #expect(try house.stop() == 0)
    }
}

/// A file system in memory of a few megabytes; unmounted when let go.
private final class SmallDisk {
    let path: String
    private var filler: String { "\(path)/filler" }

    static let isPossible: Bool = {
        guard geteuid() == 0, let disk = try? SmallDisk(kilobytes: 64) else { return false }
        return !disk.path.isEmpty
    }()

    init(kilobytes: Int) throws {
        path = NSTemporaryDirectory() + "howalarming-disk-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k,mode=700") == 0 else {
            let failure = errno
            rmdir(path)
            throw HarnessError("cannot mount: \(String(cString: strerror(failure)))")
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HarnessError("cannot fill the disk") }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
    }

    func free() { unlink(filler) }

    func setReadOnly(_ isReadOnly: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard mount("tmpfs", path, "tmpfs", flags, nil) == 0 else {
            throw HarnessError("cannot remount: \(String(cString: strerror(errno)))")
        }
    }
}
