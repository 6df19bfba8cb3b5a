import AlarmModel
import ApplianceCore
import CommandKit
import PhoneProtocol
import Platform
import Reports

/// One connection of a console to the daemon. It is open once the daemon knows that it is a console's: before, nothing
/// else is asked on it. Confined to the loop's thread.
final class ConsoleChannel {
    enum Happening {
        case opened(ConsoleReport)
        case heard(ControlReply, code: Secret?)
        /// It is tried again, unless it is disconnected.
        case closed(String)
    }

    private let directory: String
    private let loop: EventLoop
    private let onHappening: (Happening) -> Void
    private var attempt: ConnectAttempt?
    private var stream: Stream?
    private var retry: TimerToken?
    private var isOpen = false
    private var partial: [UInt8] = []
    private static let pause = Duration.seconds(1)
    private static let longestLine = 4 * 1024 * 1024

    init(directory: String, on loop: EventLoop, _ onHappening: @escaping (Happening) -> Void) {
        self.directory = directory
        self.loop = loop
        self.onHappening = onHappening
    }

    /// Anew, where there is a connection already.
    func connect() {
        disconnect()
        attempt = Connector(on: loop).openUnix(directory: directory, name: ControlSocket.name, within: .seconds(5)) {
            [weak self] result in
            guard let self else { return }
            attempt = nil
            switch result {
            case .success(let stream): adopt(stream)
            case .failure(let failure):
                let isAbsent = failure.end == .refused || failure.cause.map { [2, 20].contains($0.number) } ?? false
                ended(isAbsent ? "the daemon does not run" : failure.description)
            }
        }
    }

    /// For good.
    func disconnect() {
        attempt?.cancel()
        attempt = nil
        if let retry { loop.cancel(retry) }
        retry = nil
        letGo()
    }

    func send(_ request: ControlRequest) {
        guard isOpen else { return }
        write(request)
    }

    private func write(_ request: ControlRequest) { stream?.send(Array(request.json.text.utf8) + [10]) }

    private func adopt(_ stream: Stream) {
        self.stream = stream
        stream.onReceived = { [weak self] bytes in self?.received(bytes) }
        stream.onClosed = { [weak self] end in
            self?.stream = nil
            self?.ended("it closed the connection: \(end)")
        }
        write(.console(.begin))
    }

    private func letGo() {
        isOpen = false
        partial = []
        stream?.onReceived = nil
        stream?.onClosed = nil
        stream?.close()
        stream = nil
    }

    private func ended(_ why: String) {
        letGo()
        if retry == nil {
            retry = loop.setTimer(after: Self.pause) { [weak self] in
                self?.retry = nil
                self?.connect()
            }
        }
        onHappening(.closed(why))
    }

    private func received(_ bytes: [UInt8]) {
        for byte in bytes {
            guard byte == 10 else {
                partial.append(byte)
                if partial.count > Self.longestLine { return ended("its answer is longer than a console takes") }
                continue
            }
            let line = partial
            partial = []
            take(line)
            // What was told may have ended this connection.
            if stream == nil { return }
        }
    }

    private func take(_ line: [UInt8]) {
        let reply: ControlReply
        let code: Secret?
        do {
            let limits = JSON.Limits(depth: 32, bytes: Self.longestLine)
            let (document, secret) = PairingText.split(try JSON(parsing: line, limits: limits))
            reply = try DaemonLink.reply(document)
            code = secret
        } catch {
            return ended("its answer is not understood; are both of the same version?")
        }
        if isOpen { return onHappening(.heard(reply, code: code)) }
        if case .console(let report) = reply {
            isOpen = true
            onHappening(.opened(report))
        } else if case .error(let why) = reply {
            ended(Text.printable(why))
        } else {
            ended("its answer is not understood; are both of the same version?")
        }
    }
}
