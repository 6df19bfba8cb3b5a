import AlarmModel
import Companion
import PhoneProtocol
import Platform
import Simulation

/// Mounts a virtual phone on the phones' port of a simulated push service. Confined to the loop's thread.
final class PhoneShell {
    private(set) var phone: VirtualPhone<OpenSSLCrypto>
    /// Every line that the phone prints.
    var onLine: ((String) -> Void)?
    var onQuit: (() -> Void)?
    /// Something could not be stored; the phone must not go on.
    var onFailure: ((String) -> Void)?
    private var file: PhoneKeyFile
    private let loop: EventLoop
    private let endpoint: Endpoint
    private var attempt: ConnectAttempt?
    private var stream: Stream?
    private var lines = PhoneLineSplitter()
    private var timer: TimerToken?

    init(_ file: PhoneKeyFile, name: String, push endpoint: Endpoint, on loop: EventLoop) throws {
        self.file = file
        self.endpoint = endpoint
        self.loop = loop
        phone = VirtualPhone(
            token: file.token, name: name, signers: try file.signers(), crypto: OpenSSLCrypto(), stored: file.stored)
    }

    /// Goes on trying once a second.
    func connect() {
        attempt = Connector(on: loop).open(endpoint) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let stream): connected(stream)
            case .failure: loop.setTimer(after: .seconds(1)) { [weak self] in self?.connect() }
            }
        }
    }

    func perform(_ word: PhoneWord) { change { $0.perform(word, at: $1, into: &$2) } }

    /// Takes the phone away; nothing is sent or stored after this.
    func close() {
        attempt?.cancel()
        stream?.onClosed = nil
        stream?.close()
        if let timer { loop.cancel(timer) }
    }

    private func connected(_ stream: Stream) {
        self.stream = stream
        lines = PhoneLineSplitter()
        stream.onReceived = { [weak self] bytes in self?.received(bytes) }
        stream.onClosed = { [weak self] _ in
            guard let self else { return }
            self.stream = nil
            change { phone, _, actions in phone.disconnected(into: &actions) }
            loop.setTimer(after: .seconds(1)) { [weak self] in self?.connect() }
        }
        change { phone, _, actions in phone.connected(into: &actions) }
    }

    private func received(_ bytes: [UInt8]) {
        for line in lines.add(bytes) {
            guard let json = try? JSON(parsing: line) else { continue }
            change { $0.heard(json, at: $1, into: &$2) }
        }
    }

    private func change(
        _ body: (inout VirtualPhone<OpenSSLCrypto>, Moment, inout [VirtualPhone<OpenSSLCrypto>.Action]) -> Void
    ) {
        var actions: [VirtualPhone<OpenSSLCrypto>.Action] = []
        body(&phone, SystemClock.moment(isTrusted: false), &actions)
        for action in actions {
            switch action {
            case .tell(let json): stream?.send(Array("\(json.text)\n".utf8))
            case .print(let line): onLine?(line)
            case .store:
                do {
                    try file.store(token: phone.token, phone.phone?.secrets, phone.phone?.memory)
                } catch {
                    // A counter that is not kept must not be used.
                    onFailure?("\(error)")
                    return
                }
            case .quit: onQuit?()
            }
        }
        if let timer { loop.cancel(timer) }
        timer = phone.nextDeadline.map { deadline in
            loop.setTimer(at: deadline) { [weak self] in self?.change { $0.timerFired(at: $1, into: &$2) } }
        }
    }
}

/// Cuts a stream into lines.
struct PhoneLineSplitter {
    private var partial: [UInt8] = []

    mutating func add(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                partial.append(byte)
                continue
            }
            if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
            lines.append(String(decoding: partial, as: UTF8.self))
            partial = []
        }
        return lines
    }

    /// A last line without its end.
    mutating func finish() -> String? {
        guard !partial.isEmpty else { return nil }
        defer { partial = [] }
        return String(decoding: partial, as: UTF8.self)
    }
}
