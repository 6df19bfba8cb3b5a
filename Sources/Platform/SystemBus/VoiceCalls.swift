import AlarmModel

/// Telephone calls by ModemManager's interface `Voice`, which needs the polkit action
/// `org.freedesktop.ModemManager1.Voice`.
///
/// Guarantees: what else keeps the line busy is hung up before we dial; each call's object is deleted when it is over; a
/// call that is hung up before it was begun is never begun. Knows nothing of how long a call may last.
final class VoiceCalls {
    static let interface = ModemManagerBus.service + ".Call"
    private static let voice = ModemManagerBus.service + ".Modem.Voice"

    private struct Call {
        var id: CallID
        var modem: String
        /// nil until ModemManager has named it.
        var path: String?
        var speech: CallSpeech?
    }

    private let bus: SystemBus
    private let loop: EventLoop
    private let onFact: (CallID, VoiceCallFact) -> Void
    private var calls: [Call] = []

    init(_ bus: SystemBus, on loop: EventLoop, onFact: @escaping (CallID, VoiceCallFact) -> Void) {
        self.bus = bus
        self.loop = loop
        self.onFact = onFact
    }

    /// The service is another one: it knows none of them.
    func forget() {
        for call in calls {
            call.speech?.stop()
            onFact(call.id, .failed(ModemFailure(.noModem)))
        }
        calls = []
    }

    func dial(_ id: CallID, _ number: String, by modem: ModemObject?) {
        guard let modem = modem?.path else { return onFact(id, .failed(ModemFailure(.noModem))) }
        calls.append(Call(id: id, modem: modem))
        let hangUp = BusCall("HangupAll", of: Self.voice, at: modem, from: ModemManagerBus.service)
        // Mostly there is nothing, and some modems cannot.
        bus.call(hangUp) { [weak self] _ in self?.create(id, number) }
    }

    private func create(_ id: CallID, _ number: String) {
        guard let modem = calls.first(where: { $0.id == id })?.modem else { return }
        let create = BusCall(
            "CreateCall", of: Self.voice, at: modem, from: ModemManagerBus.service,
            [.properties(["number": .string(number)])])
        bus.call(create) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): self.failed(id, ModemFailure(error))
            case .success(let values):
                guard let path = values.first?.text else {
                    return self.failed(id, ModemFailure(.other, "no call was made"))
                }
                guard let index = self.calls.firstIndex(where: { $0.id == id }) else {
                    return self.delete(path, at: modem)
                }
                self.calls[index].path = path
                self.start(id, path)
            }
        }
    }

    private func start(_ id: CallID, _ path: String) {
        let start = BusCall("Start", of: Self.interface, at: path, from: ModemManagerBus.service, within: .seconds(60))
        bus.call(start) { [weak self] result in
            // What becomes of it is told by its state.
            if case .failure(let error) = result { self?.failed(id, ModemFailure(error)) }
        }
    }

    /// So often the modem is asked for the port of its sound: some say that a call is taken before they have set it up.
    private static let looks = 5
    private static let lookPause = Duration.milliseconds(500)

    func speak(_ id: CallID, _ words: SpokenWords, by socket: String, looks: Int = looks) {
        guard let path = calls.first(where: { $0.id == id })?.path else { return }
        let read = BusCall(
            "GetAll", of: ModemManagerBus.properties, at: path, from: ModemManagerBus.service,
            [.string(Self.interface)])
        bus.call(read) { [weak self] result in
            guard let self, let index = self.calls.firstIndex(where: { $0.id == id }) else { return }
            // What tells nothing of itself has no port for its sound.
            let properties = (try? result.get().first) ?? .properties([:])
            guard let request = SpeechRequest(words, properties) else {
                guard looks > 1 else {
                    let why = "it carries no sound that a program could speak into"
                    return self.onFact(id, .unspoken(ModemFailure(.other, why)))
                }
                self.loop.setTimer(after: Self.lookPause) { [weak self] in
                    self?.speak(id, words, by: socket, looks: looks - 1)
                }
                return
            }
            self.calls[index].speech = CallSpeech(request, by: socket, on: self.loop) { [weak self] why in
                self?.onFact(id, .unspoken(why))
            }
        }
    }

    func sendTone(_ id: CallID, _ tone: String) {
        guard let path = calls.first(where: { $0.id == id })?.path else { return }
        let send = BusCall(
            "SendDtmf", of: Self.interface, at: path, from: ModemManagerBus.service, [.string(tone)])
        bus.call(send) { [weak self] result in
            guard let self, case .failure(let error) = result, self.calls.contains(where: { $0.id == id }) else {
                return
            }
            self.onFact(id, .toneFailed(ModemFailure(error)))
        }
    }

    func hangUp(_ id: CallID) {
        guard let call = take(id), let path = call.path else { return }
        let hangUp = BusCall("Hangup", of: Self.interface, at: path, from: ModemManagerBus.service)
        bus.call(hangUp) { [weak self] _ in self?.delete(path, at: call.modem) }
    }

    /// A signal of a call's own interface.
    func heard(_ signal: BusSignal) {
        guard let id = calls.first(where: { $0.path == signal.path })?.id else { return }
        switch signal.member {
        case "DtmfReceived":
            guard signal.arguments.first?.text?.isEmpty == false else { return }
            onFact(id, .keyPressed)
        case "StateChanged":
            guard signal.arguments.count == 3, let state = signal.arguments[1].integer else { return }
            changed(id, to: state, because: signal.arguments[2].integer)
        default: break
        }
    }

    private func changed(_ id: CallID, to state: Int, because reason: Int?) {
        // MMCallState
        switch state {
        case 4: onFact(id, .answered)
        case 7:
            // MMCallStateReason
            let failure: ModemFailure? =
                switch reason {
                case 6: ModemFailure(.other, "the call broke off")
                case 7: ModemFailure(.other, "the modem could not set up the call's sound")
                default: nil
                }
            guard let call = take(id) else { return }
            if let path = call.path { delete(path, at: call.modem) }
            onFact(id, failure.map { .failed($0) } ?? .ended)
        default: break
        }
    }

    private func failed(_ id: CallID, _ failure: ModemFailure) {
        guard let call = take(id) else { return }
        if let path = call.path { delete(path, at: call.modem) }
        onFact(id, .failed(failure))
    }

    private func take(_ id: CallID) -> Call? {
        guard let index = calls.firstIndex(where: { $0.id == id }) else { return nil }
        calls[index].speech?.stop()
        return calls.remove(at: index)
    }

    /// Whether that works does not matter: those that are over are only listed.
    private func delete(_ path: String, at modem: String) {
        let delete = BusCall(
            "DeleteCall", of: Self.voice, at: modem, from: ModemManagerBus.service, [.objectPath(path)])
        bus.call(delete) { _ in }
    }
}
