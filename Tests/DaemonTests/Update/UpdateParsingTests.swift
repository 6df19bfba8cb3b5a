import Foundation
import Platform
import SoftwareUpdate
import Testing

@testable import Card
@testable import CommandKit
@testable import Subcommands

@Suite struct UpdateParsingTests {
    private func parse(_ line: String) throws(UsageError) -> any Command {
        try HowAlarmingCommand.parse(line.split(separator: " ").map(String.init))
    }

    private func refusal(_ line: String) -> String? {
        do {
            _ = try parse(line)
            return nil
        } catch { return error.description }
    }

    @Test("the lines of the units and of the image's builder are understood")
    func theLinesOfTheUnitsAndOfTheImagesBuilderAreUnderstood() throws {
        let update = try #require(
            try parse("update --request /run/howalarming/update --report /run/howalarming-update/slots.json")
                as? UpdateCommand)
        let slot = try #require(
            try parse("slot good --report /run/howalarming-update/slots.json --running B") as? SlotCommand)
        let bundle = try parse(
            "bundle make --board rpi --version 1.1.0 --number 7 --floor 5 --slot s --key k --out o --built 2026")
        #expect(update.task == .carryOutRequest(file: "/run/howalarming/update"))
        #expect(update.places.report == UpdatePlaces.slots)
        #expect(slot.task == .markGood)
        #expect((try parse("slot damaged") as? SlotCommand)?.task == .markDamaged)
        #expect(slot.places.running == .b)
        let release = ReleaseDescription(board: "rpi", version: "1.1.0", number: 7, floor: 5, built: "2026")
        #expect(bundle as? BundleCommand == .make(release, slot: "s", signing: .key(file: "k"), output: "o"))
        #expect((try parse("update --check f") as? UpdateCommand)?.task == .check(file: "f"))
        #expect((try parse("update f") as? UpdateCommand)?.task == .update(file: "f"))
    }

    @Test(
        "slips are told",
        arguments: [
            ("update", "FILE is missing"), ("update --check --install f", "choose one"),
            ("update --request r f", "stands in the request"), ("slot bad", "the part of 'slot'"),
            ("slot --running C", "takes A or B"), ("bundle", "keygen, make, offer, refresh, sign, show"),
            ("bundle keygen", "'--out' is missing"),
            ("bundle make --board r --version v --number x --floor 1 --slot s --key k --out o", "takes a number"),
            (
                "bundle make --board r --version v --number 1 --floor 2 --slot s --key k --out o",
                "no box would take this"
            ),
        ])
    func slipsAreTold(_ line: String, _ words: String) {
        #expect(refusal(line)?.contains(words) ?? false, "\(refusal(line) ?? "taken")")
    }

    @Test("the card is found behind partitions, verified roots and plain disks")
    func theCardIsFoundBehindPartitions() throws {
        let sys = NSTemporaryDirectory() + "sys-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: sys) }
        var status = stat()
        #expect(stat("/tmp", &status) == 0)
        let device = UInt64(status.st_dev)
        let name = "\((device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)):\((device & 0xFF) | (device >> 12 & ~0xFF))"
        let manager = FileManager.default
        for place in [
            "devices/mmc/block/mmcblk0/mmcblk0p4", "devices/virtual/block/dm-0/slaves", "devices/sd/block/sda",
            "dev/block",
        ] {
            try manager.createDirectory(atPath: "\(sys)/\(place)", withIntermediateDirectories: true)
        }
        try Data().write(to: URL(fileURLWithPath: "\(sys)/devices/mmc/block/mmcblk0/mmcblk0p4/partition"))
        try manager.createSymbolicLink(
            atPath: "\(sys)/devices/virtual/block/dm-0/slaves/mmcblk0p4",
            withDestinationPath: "../../../../mmc/block/mmcblk0/mmcblk0p4")
        for (target, disk) in [
            ("mmc/block/mmcblk0/mmcblk0p4", "mmcblk0"), ("virtual/block/dm-0", "mmcblk0"), ("sd/block/sda", "sda"),
        ] {
            let link = "\(sys)/dev/block/\(name)"
            try? manager.removeItem(atPath: link)
            try manager.createSymbolicLink(atPath: link, withDestinationPath: "../../devices/\(target)")
            #expect(DiskLocation.disk(of: "/tmp", sys: sys) == "/dev/\(disk)")
        }
        #expect(DiskLocation.disk(of: "/tmp", sys: sys + "/none") == nil)
        #expect(DiskLocation.partition(2, of: "/dev/mmcblk0") == "/dev/mmcblk0p2")
        #expect(DiskLocation.partition(3, of: "/dev/vda") == "/dev/vda3")
    }
}
