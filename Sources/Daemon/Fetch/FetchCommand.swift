import ApplianceCore
import Card
package import CommandKit
import PhoneProtocol
import Platform

/// `run-fetch`: goes to the host that offers versions, for the daemon and without its rights. The service manager starts it
/// with a connection as standard input and output.
package struct FetchCommand: Command {
    var settings: Fetch.Settings

    package func run(on console: Console) -> Int32 {
        StandardLine.serve(
            { FetchRequest($0) }, limit: FetchRequest.longest,
            refusal: FetchAnswer.failed("the request is not as it should be").json,
            complaint: "nothing can be fetched", on: console
        ) { request, loop in
            Fetch(request, settings, on: loop) { answer in
                let isHeard = StandardLine.write(answer.json.utf8)
                // Nobody is there any more: it is over.
                if case .progress = answer, isHeard { return }
                loop.stop()
            }
        }
    }
}

extension FetchCommand {
    package static let entry = CommandEntry(
        "run-fetch", in: .acting, brief: "ask for a newer version", isListed: false,
        """
        Asks the host of the section 'updates' for the daemon, without the daemon's rights: reads one request from
        standard input, as the unit howalarming-fetch.socket hands it over, and answers in lines of JSON. It checks what
        is offered, puts the bundle where the updater finds it, and says what came of the updater's work. It installs
        nothing itself.

        --ca-file FILE   authorities that certify the host (the system's)
        --directory DIR  for the bundle (\(FetchAnswer.directory))
        --release FILE   what runs (\(UpdatePlaces().release))
        --keys DIR       public keys (\(UpdatePlaces().keys))
        --floor FILE     the kept floor (\(UpdatePlaces().floor))
        --status FILE    how far the updater is, as JSON
        """
    ) { given throws(UsageError) in
        var settings = Fetch.Settings()
        settings.authorityFile = given.value("--ca-file")
        settings.directory = given.value("--directory") ?? settings.directory
        settings.places.release = given.value("--release") ?? settings.places.release
        settings.places.keys = given.value("--keys") ?? settings.places.keys
        settings.places.floor = given.value("--floor") ?? settings.places.floor
        settings.places.status = given.value("--status") ?? settings.places.status
        return FetchCommand(settings: settings)
    }
}
