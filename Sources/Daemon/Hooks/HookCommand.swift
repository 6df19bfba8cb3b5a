import AlarmModel
package import CommandKit
import Glibc
import PhoneLink
import PhoneProtocol
import Platform

/// `run-hook`: runs programs for the daemon, without the daemon's rights. The service manager starts it with a
/// connection as standard input and output; with `--listen` it waits for connections itself.
package struct HookCommand: Command {
    static let directory = "/etc/howalarming/hooks"

    var directory: String
    /// The socket's path; nil: one request from standard input.
    var listen: String?

    package func run(on console: Console) -> Int32 {
        do throws(SystemError) {
            let loop = try EventLoop()
            if let listen { try serve(listen, on: loop) } else { answerOne(on: loop) }
            return ExitStatus.done
        } catch {
            console.complain("programs cannot be run: \(error)")
            return ExitStatus.failed
        }
    }

    private func serve(_ path: String, on loop: EventLoop) throws(SystemError) {
        SignalSource.blockSignals()
        let signals = try SignalSource(on: loop) { signal in
            switch signal {
            case .terminate, .interrupt: loop.stop()
            case .hangup, .user1: break
            }
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let place = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
        let server = try HookServer(
            directory: directory, socketDirectory: place.isEmpty ? "/" : place, socketName: String(parts.last ?? ""),
            on: loop)
        loop.run()
        server.close()
        withExtendedLifetime(signals) {}
    }

    /// A connection that ends without a word only looked whether we are there.
    private func answerOne(on loop: EventLoop) {
        guard let line = StandardLine.read(limit: HookRequest.sizeLimit), !line.isEmpty else { return }
        var answer: ProgramAnswer?
        let run = HookRun(line, directory: directory, on: loop) {
            answer = $0
            loop.stop()
        }
        loop.run()
        withExtendedLifetime(run) {}
        if let answer { StandardLine.write(answer.json.utf8) }
    }
}

extension HookCommand {
    package static let entry = CommandEntry(
        "run-hook", in: .acting, brief: "run a hook program", isListed: false,
        """
        Runs a program of the house for the daemon, without the daemon's rights: reads one request from standard input,
        as the unit howalarming-hook.socket hands it over, gives the event to the program, kills it with its children
        after its time, and answers how it ended. With --listen it waits for requests itself, as the daemon's user,
        where no service manager does.

        --directory DIR  where programs may be (\(HookCommand.directory))
        --listen PATH    make this socket and serve until stopped

        howalarming run-hook --listen /run/howalarming-hook/socket
        """
    ) { HookCommand(directory: $0.value("--directory") ?? directory, listen: $0.value("--listen")) }
}
