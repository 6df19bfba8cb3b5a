import ApplianceCore
import Card
import CommandKit
import Platform
import Reports

/// `stick`: the service of the appliance that works with a USB stick.
struct StickCommand: Command, Equatable {
    var places: StickPlaces
    var stateDirectory: String

    func run(on console: Console) -> Int32 {
        guard let request = places.takeRequest() else {
            console.complain("there is no request in \(places.request); this is for howalarming-stick.service alone")
            return ExitStatus.failed
        }
        func tell(_ words: String) { places.write(StickReport(id: request.id, .working, words)) }
        tell("The stick is at work …")
        let work = StickWork(
            places: places, stateDirectory: stateDirectory, time: SystemClock.wallTime(), rules: LocalTime.rules(),
            tell: tell)
        do throws(StickFile.Trouble) {
            var report = try work.carryOut(request.task)
            report.id = request.id
            places.write(report)
            console.print([report.message])
            return ExitStatus.done
        } catch {
            let message = Text.printable(error.description)
            places.write(StickReport(id: request.id, .failed, message))
            console.complain(message)
            return ExitStatus.failed
        }
    }
}

extension StickCommand {
    static let entry = CommandEntry(
        "stick", in: .daemon, brief: "work with a USB stick", isListed: false,
        """
        Does with the mounted stick what the console has asked for, as the unit howalarming-stick.service: backup,
        restore, copy of the journal, support archive. What came of it is in report.json beside the request.

        --mount DIR     where the stick is (\(StickPlaces().mount))
        --problem FILE  why it is not there (\(StickPlaces().problem))
        --requests DIR  where the request is (\(StickPlaces().directory))

        howalarming stick --state /var/lib/howalarming
        """
    ) { given in
        var places = StickPlaces()
        places.mount = given.value("--mount") ?? places.mount
        places.problem = given.value("--problem") ?? places.problem
        places.directory = given.value("--requests") ?? places.directory
        return StickCommand(places: places, stateDirectory: given.stateDirectory)
    }
}
