import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform

/// Runs programs for whoever connects to its socket, one for each connection: for hosts without a service manager that
/// does it. Confined to the loop's thread.
final class HookServer {
    private var listener: Listener?
    private static let patience = Duration.seconds(10)

    /// The socket has mode 0600, and only root and the own user are answered.
    /// - `limit`: connections, and with them programs, at a time; more are told that it is busy
    init(
        directory: String, socketDirectory: String, socketName: String, limit: Int = 8, on loop: EventLoop
    ) throws(SystemError) {
        listener = try Listener(
            directory: socketDirectory, name: socketName, on: loop, limit: limit,
            refusal: ProgramAnswer.busy.json.utf8 + [0x0A]
        ) { stream in
            HookServer.serve(stream, directory, loop)
        }
    }

    func close() {
        listener?.close()
        listener = nil
    }

    private static func serve(_ stream: Stream, _ directory: String, _ loop: EventLoop) {
        var input: [UInt8] = []
        var run: HookRun?
        let deadline = loop.setTimer(after: patience) { stream.reset() }
        stream.onReceived = { bytes in
            guard run == nil else { return }
            input += bytes
            guard let end = input.firstIndex(of: 0x0A) else {
                if input.count > HookRequest.sizeLimit { stream.reset() }
                return
            }
            loop.cancel(deadline)
            run = HookRun(Array(input[..<end]), directory: directory, on: loop) { answer in
                stream.send(answer.json.utf8 + [0x0A])
                stream.close()
            }
        }
        stream.onClosed = { _ in
            loop.cancel(deadline)
            run?.cancel()
        }
    }
}
