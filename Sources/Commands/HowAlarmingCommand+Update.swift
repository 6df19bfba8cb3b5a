import AlarmModel
import Card
import CommandKit
import Glibc
import Platform
import SoftwareUpdate

extension HowAlarmingCommand {
    static func update(_ given: ParsedArguments) throws(UsageError) -> Invocation {
        let tasks = ["--check", "--install", "--request"].filter { given.has($0) }
        guard tasks.count < 2 else {
            throw UsageError("choose one of \(tasks.joined(separator: " and "))", command: given.command)
        }
        let task: UpdateCommand.Task
        if let request = given.value("--request") {
            guard given.operand(0) == nil, !given.has("--older") else {
                throw UsageError("what is to be installed stands in the request", command: given.command)
            }
            task = .carryOutRequest(file: request)
        } else {
            guard let file = given.operand(0) else { throw UsageError("FILE is missing", command: given.command) }
            task =
                given.has("--check")
                ? .check(file: file) : given.has("--install") ? .install(file: file) : .update(file: file)
        }
        return .update(
            UpdateCommand(
                task: task, isOlderConfirmed: given.has("--older"), places: try places(given),
                stateDirectory: given.stateDirectory))
    }

    static func slot(_ given: ParsedArguments) throws(UsageError) -> Invocation {
        let part: SlotPart? = try given.choice(0, what: "the part of 'slot'")
        let task: SlotCommand.Task = part == .good ? .markGood : .show(json: given.has("--json"))
        return .slot(SlotCommand(task: task, places: try places(given)))
    }

    static func bundle(_ word: String, _ given: ParsedArguments) throws(UsageError) -> Invocation {
        switch word {
        case "keygen": return .bundle(.keygen(file: try needed("--out", given)))
        case "make":
            let release = ReleaseDescription(
                board: try needed("--board", given), version: try needed("--version", given),
                number: try number("--number", given), floor: try number("--floor", given),
                built: given.value("--built") ?? builtNow)
            do throws(BundleError) {
                _ = try ReleaseDescription(release.json)
            } catch {
                throw UsageError("no box would take this: \(error)", command: given.command)
            }
            return .bundle(
                .make(
                    release, slot: try needed("--slot", given), key: try needed("--key", given),
                    output: try needed("--out", given)))
        default: return .bundle(.show(file: given.operands[0]))
        }
    }

    private enum SlotPart: String, CaseIterable { case good }

    private static func places(_ given: ParsedArguments) throws(UsageError) -> UpdatePlaces {
        var places = UpdatePlaces()
        places.disk = given.value("--disk")
        places.slotA = given.value("--slot-a")
        places.slotB = given.value("--slot-b")
        places.report = given.value("--report")
        if let text = given.value("--running") {
            guard let slot = BootSlot(rawValue: text) else {
                throw UsageError("option '--running' takes A or B", command: given.command)
            }
            places.running = slot
        }
        places.release = given.value("--release") ?? places.release
        places.keys = given.value("--keys") ?? places.keys
        places.floor = given.value("--floor") ?? places.floor
        places.status = given.value("--status") ?? places.status
        return places
    }

    private static func needed(_ name: String, _ given: ParsedArguments) throws(UsageError) -> String {
        guard let value = given.value(name) else {
            throw UsageError("option '\(name)' is missing", command: given.command)
        }
        return value
    }

    private static func number(_ name: String, _ given: ParsedArguments) throws(UsageError) -> Int64 {
        guard let number = Int64(try needed(name, given)), number >= 0 else {
            throw UsageError("option '\(name)' takes a number", command: given.command)
        }
        return number
    }

    /// So that two builds of the same source are equal.
    private static var builtNow: String {
        let asked = getenv("SOURCE_DATE_EPOCH").flatMap { Int64(String(cString: $0)) }
        let time = CivilTime(secondsSince1970: asked ?? SystemClock.wallTime().seconds, offset: 0)
        return String(time.text.map { $0 == " " ? "T" : $0 }) + "Z"
    }
}
