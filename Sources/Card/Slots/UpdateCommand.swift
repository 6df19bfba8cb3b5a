import AlarmModel
import ApplianceCore
package import CommandKit
import Glibc
import PhoneProtocol
import Platform
import Reports
import SoftwareUpdate

/// `update`: a new version from a bundle.
package struct UpdateCommand: Command, Equatable {
    enum Task: Hashable, Sendable {
        /// Root on the appliance does the work itself, everybody else asks the daemon for it.
        case update(file: String)
        case check(file: String)
        case install(file: String)
        /// What the host of the section 'updates' offers, or a question to it: the daemon has it done.
        case offered(UpdatesRequest)
        /// What the daemon was asked for lies in this file, which is removed.
        case carryOutRequest(file: String)
    }

    var task: Task
    var isOlderConfirmed: Bool
    var places: UpdatePlaces
    var stateDirectory: String

    package func run(on console: Console) -> Int32 {
        switch task {
        case .check(let file): return check(file, on: console)
        case .offered(let request): return DaemonLink.order(.updates(request), in: stateDirectory, on: console)
        case .install(let file): return install(file, isOlderConfirmed: isOlderConfirmed, on: console)
        case .update(let file):
            if geteuid() == 0, places.runningSlot != nil {
                return install(file, isOlderConfirmed: isOlderConfirmed, on: console)
            }
            return ask(file, on: console)
        case .carryOutRequest(let file):
            guard let request = UpdateRequest.take(file) else {
                return report(.failed, "the request for an update in \(file) cannot be read; ask once more", console)
            }
            return install(request.bundle, isOlderConfirmed: request.isOlderConfirmed, on: console)
        }
    }

    private func check(_ file: String, on console: Console) -> Int32 {
        do throws(UpdateStop) {
            let work = UpdateWork(places: places, isOlderConfirmed: isOlderConfirmed)
            let slotBytes = places.runningSlot.flatMap { places.slotPath($0.other) }
                .flatMap { try? BlockFile($0, isWritable: false) }.map(\.size)
            let checked = try work.check(try BundleFile(file), try work.policy(slotBytes: slotBytes))
            console.print(
                BundleText.lines(checked.header) + ["Signed by \(checked.key.name); it may be installed here."])
            return ExitStatus.done
        } catch {
            console.complain(Text.printable(error.description))
            return ExitStatus.failed
        }
    }

    private func install(_ file: String, isOlderConfirmed: Bool, on console: Console) -> Int32 {
        do throws(UpdateStop) {
            var phase: UpdateStatus.Phase?
            let work = UpdateWork(places: places, isOlderConfirmed: isOlderConfirmed) { status in
                write(status)
                if status.phase != phase { console.print(["\(status.message) …"]) }
                phase = status.phase
            }
            write(UpdateStatus(.checking, percent: 0, "The bundle is checked"))
            let (release, slot) = try work.install(try BundleFile(file))
            SlotCommand(task: .show(json: false), places: places).writeReport()
            return report(
                .done,
                "Version \(release.version) is in slot \(slot.rawValue). Restart the machine to start it; if it does not "
                    + "prove itself, the version that runs now comes back.", console)
        } catch {
            // What was in the slot may be gone by now.
            SlotCommand(task: .show(json: false), places: places).writeReport()
            switch error {
            case .refused: return report(.refused, error.description, console)
            case .failed: return report(.failed, error.description, console)
            }
        }
    }

    private func report(_ phase: UpdateStatus.Phase, _ message: String, _ console: Console) -> Int32 {
        let message = Text.printable(message)
        write(UpdateStatus(phase, percent: phase == .done ? 100 : 0, message))
        guard phase == .done else {
            console.complain(message)
            return ExitStatus.failed
        }
        console.print([message])
        return ExitStatus.done
    }

    /// For the console; that it cannot be written is no reason to stop.
    private func write(_ status: UpdateStatus) {
        guard let file = places.status else { return }
        try? AtomicFile.write(file, status.json.utf8 + [10], mode: 0o644)
    }

    private func ask(_ file: String, on console: Console) -> Int32 {
        guard let place = realpath(file, nil) else {
            console.complain("the bundle cannot be read: \(SystemError.last("open", file))")
            return ExitStatus.failed
        }
        let path = String(cString: place)
        free(place)
        let status = check(path, on: console)
        guard status == ExitStatus.done else { return status }
        return DaemonLink.order(
            .update(bundle: path, isOlderConfirmed: isOlderConfirmed), in: stateDirectory, on: console)
    }
}

extension UpdateCommand {
    package static let entry = CommandEntry(
        "update", "[FILE]", in: .phones, brief: "install a new version",
        """
        Installs the version of a bundle into the slot that does not run: signature, board, version and content are
        checked before anything is written, and what was written is read back. The new version starts at the next
        restart; if it does not prove itself within its three tries, the old one comes back. On the appliance root does
        the work, everybody else asks the daemon to have it done. A version below the security floor is never
        installed. With a host in the section 'updates' of the configuration, --offered has the daemon fetch and
        install what that offers.

        --check         only say whether it may be installed
        --install       do the work here
        --ask           ask the host what it offers
        --offered       install what the host offers
        --older         yes, an older or the same version
        --request FILE  do what the daemon asks there
        --keys DIR      public keys (\(UpdatePlaces().keys))
        --status FILE   how far it is, as JSON
        \(UpdatePlaces.options)

        howalarming update /run/howalarming-usb/sda1/howalarming-rpi-1.1.0.bundle
        howalarming update --check howalarming-rpi-1.1.0.bundle
        """
    ) { given throws(UsageError) in
        let tasks = ["--check", "--install", "--request", "--ask", "--offered"].filter { given.has($0) }
        guard tasks.count < 2 else { throw given.misuse("choose one of \(tasks.joined(separator: " and "))") }
        let task: Task
        if let request = given.value("--request") {
            guard given.operand(0) == nil, !given.has("--older") else {
                throw given.misuse("what is to be installed stands in the request")
            }
            task = .carryOutRequest(file: request)
        } else if given.has("--ask") || given.has("--offered") {
            guard given.operand(0) == nil, !given.has("--older") else {
                throw given.misuse("what is offered is neither a file nor older")
            }
            task = .offered(given.has("--ask") ? .ask : .install)
        } else {
            guard let file = given.operand(0) else { throw given.misuse("FILE is missing") }
            task =
                given.has("--check")
                ? .check(file: file) : given.has("--install") ? .install(file: file) : .update(file: file)
        }
        return UpdateCommand(
            task: task, isOlderConfirmed: given.has("--older"), places: try UpdatePlaces(given),
            stateDirectory: given.stateDirectory)
    }
}
