import AlarmModel
package import CommandKit
import Glibc
import PhoneProtocol
import Platform

/// `run-speech`: speaks in a telephone call of the modem, beside the daemon. The service manager starts it with a
/// connection as standard input and output; it speaks until that connection ends.
package struct SpeechCommand: Command {
    var program: String
    var devices: String
    var directory: String

    package func run(on console: Console) -> Int32 {
        var end: Watch?
        defer { end?.cancel() }
        return StandardLine.serve(
            { SpeechRequest($0) }, limit: SpeechRequest.longest,
            refusal: SpeechRequest.failure("the request is not as it should be"),
            complaint: "nothing can be spoken", on: console
        ) { request, loop in
            let places = SpeechWork.Places(program: program, devices: devices, directory: directory)
            let work = SpeechWork(request, places, on: loop) { why in
                StandardLine.write(SpeechRequest.failure(why).utf8)
                loop.stop()
            }
            // The daemon says nothing more: what comes is the end.
            end = try? loop.watch(STDIN_FILENO, for: .read) { _ in
                work.cancel()
                loop.stop()
            }
            return work
        }
    }
}

extension SpeechCommand {
    package static let entry = CommandEntry(
        "run-speech", in: .acting, brief: "speak in a telephone call", isListed: false,
        """
        Speaks in a call of the modem for the daemon: reads one request from standard input, as the unit
        howalarming-speech.socket hands it over, has espeak-ng make the words sound, and plays them into the modem's port
        again and again until standard input ends. Answers only where that fails, in one line of JSON.

        --program FILE     the program that speaks (/usr/bin/espeak-ng)
        --devices DIR      where the modem's port is (/dev)
        --directory DIR    where the sound may lie meanwhile (/tmp)
        """
    ) { given throws(UsageError) in
        SpeechCommand(
            program: given.value("--program") ?? "/usr/bin/espeak-ng", devices: given.value("--devices") ?? "/dev",
            directory: given.value("--directory") ?? "/tmp")
    }
}
