import AlarmModel
import Companion
import PhoneProtocol
import Platform
import Simulators

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
    /// Something is to be stored, at the latest when this fires.
    private var storing: TimerToken?
    private var keptSecrets: PhoneSecrets?
    /// How often the file was written.
    private(set) var storeCount = 0

    /// The whole file is written each time, which in a burst of events would be all that the phone does.
    private static let storeInterval: Duration = .milliseconds(200)

    init(_ file: PhoneKeyFile, name: String, push endpoint: Endpoint, on loop: EventLoop) throws {
        self.file = file
        self.endpoint = endpoint
        self.loop = loop
        keptSecrets = file.stored?.secrets
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
        if storing != nil { _ = store() }
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

    /// Keys and a new token cannot be had again: they are stored at once.
    private func storeSoon() -> Bool {
        guard phone.token == file.token, phone.phone?.secrets == keptSecrets else { return store() }
        if storing == nil {
            storing = loop.setTimer(after: Self.storeInterval) { [weak self] in _ = self?.store() }
        }
        return true
    }

    /// False when it could not be stored; the phone must not go on then.
    private func store() -> Bool {
        if let storing { loop.cancel(storing) }
        storing = nil
        storeCount += 1
        do {
            try file.store(token: phone.token, phone.phone?.secrets, phone.phone?.memory)
            keptSecrets = phone.phone?.secrets
            return true
        } catch {
            onFailure?("\(error)")
            return false
        }
    }

    private func change(
        _ body: (inout VirtualPhone<OpenSSLCrypto>, Moment, inout [VirtualPhone<OpenSSLCrypto>.Action]) -> Void
    ) {
        var actions: [VirtualPhone<OpenSSLCrypto>.Action] = []
        body(&phone, SystemClock.moment(isTrusted: false), &actions)
        for action in actions {
            switch action {
            case .tell(let json):
                // What it tells the box may be a receipt or a command: what that stands on must not be lost.
                if json["send"] != nil, storing != nil, !store() { return }
                stream?.send(Array("\(json.text)\n".utf8))
            case .print(let line): onLine?(line)
            case .store: if !storeSoon() { return }
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
