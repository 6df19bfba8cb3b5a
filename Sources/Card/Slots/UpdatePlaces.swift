import CommandKit
import Glibc
import Platform
package import SoftwareUpdate

/// Where an update finds what it needs; on the appliance everything is where it says here.
package struct UpdatePlaces: Equatable, Sendable {
    /// The whole disk, with the slot state; nil: the one on which the data lies.
    package var disk: String?
    /// nil: the partitions of the disk.
    package var slotA: String?
    package var slotB: String?
    /// nil: what the boot loader told.
    package var running: BootSlot?
    package var commandLine = "/proc/cmdline"
    package var release = "/usr/lib/howalarming/release.json"
    package var keys = "/usr/lib/howalarming/update-keys"
    /// The highest floor of all releases that have proved themselves.
    package var floor = "/data/howalarming-update/floor"
    package var status: String? = "/run/howalarming-update/status.json"
    /// What is in the slots, written there for those who may not read the disk.
    package var report: String?

    package static let slots = "/run/howalarming-update/slots.json"

    package init() {}

    var runningSlot: BootSlot? { running ?? BootWords(file: commandLine).slot }

    var stateForm: SlotStateCopies.Form { BootWords(file: commandLine).stateForm }

    var diskPath: String? { disk ?? DiskLocation.disk(of: "/data") ?? DiskLocation.disk(of: "/") }

    func slotPath(_ slot: BootSlot) -> String? {
        let given =
            switch slot {
            case .a: slotA
            case .b: slotB
            }
        return given ?? diskPath.map { DiskLocation.partition(slot.partition, of: $0) }
    }

    package func installed() throws(UpdateStop) -> ReleaseDescription {
        do {
            return try ReleaseDescription(file: try FileReader.read(release, limit: 64 * 1024))
        } catch {
            throw .failed(
                "this machine does not say what it runs (\(error)); updates by bundle are for the appliance only")
        }
    }

    package func policy(slotBytes: Int?, isOlderConfirmed: Bool) throws(UpdateStop) -> UpdatePolicy {
        UpdatePolicy(
            installed: try installed(), keptFloor: try keptFloor(), keys: updateKeys(), slotBytes: slotBytes,
            isOlderConfirmed: isOlderConfirmed)
    }

    /// In the order of their names; a file that is no key is passed over.
    func updateKeys() -> [UpdateKey] {
        DirectoryList.names(in: keys).filter { $0.hasSuffix(".pub") }.compactMap { name in
            (try? FileReader.read("\(keys)/\(name)", limit: 1024)).flatMap { UpdateKey(name: name, file: $0) }
        }
    }

    /// 0 where none was ever kept.
    func keptFloor() throws(UpdateStop) -> Int64 {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileReader.read(floor, limit: 64)
        } catch {
            if [ENOENT, ENOTDIR].contains(error.number) { return 0 }
            throw .failed("the lowest version that may be installed is not known (\(error)); restart and try again")
        }
        let text = String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
        guard let number = Int64(text), number >= 0 else {
            throw .failed(
                "the lowest version that may be installed is not known: \(floor) holds no number; flash a card anew")
        }
        return number
    }

    /// Never lower than before.
    func keepFloor(_ number: Int64) throws(UpdateStop) {
        guard number > (try keptFloor()) else { return }
        if let slash = floor.lastIndex(of: "/"), slash != floor.startIndex {
            _ = mkdir(String(floor[..<slash]), 0o755)
        }
        do throws(SystemError) {
            try AtomicFile.write(floor, Array("\(number)\n".utf8), mode: 0o644)
        } catch {
            throw .failed("the lowest version that may be installed cannot be kept: \(error)")
        }
    }
}

extension BootWords {
    /// - Parameter file: the kernel's command line; what cannot be read says nothing
    init(file: String) {
        let bytes = try? FileReader.read(file, limit: 64 * 1024)
        self.init(commandLine: String(decoding: bytes ?? [], as: UTF8.self))
    }
}

/// Why an update ended before it was done.
package enum UpdateStop: Error, Equatable, Sendable, CustomStringConvertible {
    case refused(UpdateRefusal)
    case failed(String)

    package var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .failed(let why): why
        }
    }
}

/// The options of `update` and `slot` that name other places.
extension UpdatePlaces {
    static let options = """
        --disk PATH     the card (the one with /data)
        --slot-a PATH   slot A (partition 2 of the card)
        --slot-b PATH   slot B (partition 3 of the card)
        --running A|B   the slot that runs (/proc/cmdline)
        --release FILE  what runs (\(UpdatePlaces().release))
        --floor FILE    the kept floor (\(UpdatePlaces().floor))
        --report FILE   write what is in the slots there, as JSON
        """

    init(_ given: ParsedArguments) throws(UsageError) {
        disk = given.value("--disk")
        slotA = given.value("--slot-a")
        slotB = given.value("--slot-b")
        report = given.value("--report")
        running = try given.read("--running", "A or B") { BootSlot(rawValue: $0) }
        release = given.value("--release") ?? release
        keys = given.value("--keys") ?? keys
        floor = given.value("--floor") ?? floor
        status = given.value("--status") ?? status
    }
}
