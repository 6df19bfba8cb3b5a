import AlarmModel

/// The texts that lie at the modem. Each that was received in full is told once and then deleted, because the memory of a
/// SIM is small, and a full one receives nothing more.
///
/// ModemManager names them in the property `Messages` of the modem's interface `Messaging` and tells of each change of it;
/// whether one was received says its own property `State`. Reading needs no permission; deleting needs the same polkit
/// action as sending, `org.freedesktop.ModemManager1.Messaging`.
///
/// Guarantees: one call at a time; of a flood 20 texts a minute are told and the others deleted; a text of ours, which is
/// never in the state "received", is neither told nor deleted here. Knows nothing of what a text means.
final class TextInbox {
    static let perMinute = 20
    /// Letters of a number and of a text; the rest is cut off.
    static let longest = 32
    /// After so long what has failed is tried again, and a text whose other parts have not come is deleted.
    static let patience = Duration.minutes(10)

    private enum Known {
        case unread
        /// Not received in full, as far as is known. With `isPartial` a part of it was.
        case waiting(isPartial: Bool)
        /// Told, or passed over; it is to be deleted.
        case taken
    }

    private let bus: SystemBus
    private let loop: EventLoop
    private let patience: Duration
    private let onText: (_ number: String, _ text: String) -> Void
    private var modem: String?
    /// In the order in which they came.
    private var paths: [String] = []
    private var known: [String: Known] = [:]
    private var isReading = false
    /// Answers to calls of another life of the service say nothing of this one's texts.
    private var life = 0
    /// When texts were told, in the last minute.
    private var told: [BootTime] = []

    init(
        _ bus: SystemBus, on loop: EventLoop, patience: Duration,
        onText: @escaping (_ number: String, _ text: String) -> Void
    ) {
        self.bus = bus
        self.loop = loop
        self.patience = patience
        self.onText = onText
    }

    /// The service is another one, which may give its texts the same names.
    func forget() {
        life += 1
        isReading = false
        (modem, paths, known) = (nil, [], [:])
    }

    /// The modem and the names of its texts as they are now.
    func look(at modem: ModemObject?) {
        self.modem = modem?.path
        paths = (modem?.textPaths ?? []).sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        var known: [String: Known] = [:]
        for path in paths { known[path] = self.known[path] ?? .unread }
        self.known = known
        readNext()
    }

    /// Properties of this text have changed.
    func changed(_ path: String) {
        guard case .waiting = known[path] else { return }
        known[path] = .unread
        readNext()
    }

    private func readNext() {
        let next = paths.first { if case .unread = known[$0] { true } else { false } }
        guard !isReading, let modem, let path = next else { return }
        isReading = true
        known[path] = .waiting(isPartial: false)
        let call = BusCall(
            "GetAll", of: ModemManagerBus.properties, at: path, from: ModemManagerBus.service,
            [.string(ModemManagerBus.textInterface)])
        let life = life
        bus.call(call) { [weak self] result in
            guard let self, self.life == life else { return }
            self.isReading = false
            // Otherwise it is gone, or it has changed in the meantime and is read again.
            if case .waiting = self.known[path] { self.hasRead(path, try? result.get().first, at: modem) }
            self.readNext()
        }
    }

    private func hasRead(_ path: String, _ properties: BusValue?, at modem: String) {
        // MMSmsState
        switch properties?["State"]?.integer {
        case 3:
            known[path] = .taken
            tell(properties)
            delete(path, at: modem)
        case 2:
            known[path] = .waiting(isPartial: true)
            tryLater(path)
        // One that we are sending.
        case .some: break
        case nil: tryLater(path)
        }
    }

    private func tell(_ properties: BusValue?) {
        // MMSmsPduType: unknown, deliver and the same of CDMA. A report on a text of ours is none.
        guard let number = properties?["Number"]?.text, let text = properties?["Text"]?.text,
            [0, 1, 32].contains(properties?["PduType"]?.integer ?? 0)
        else { return }
        let now = SystemClock.bootTime()
        told.removeAll { $0 + .minutes(1) <= now }
        guard told.count < Self.perMinute else { return }
        told.append(now)
        onText(Self.cut(number), Self.cut(text))
    }

    private func delete(_ path: String, at modem: String) {
        let call = BusCall(
            "Delete", of: ModemManagerBus.service + ".Modem.Messaging", at: modem, from: ModemManagerBus.service,
            [.objectPath(path)])
        let life = life
        bus.call(call) { [weak self] result in
            guard let self, self.life == life, case .failure = result else { return }
            self.tryLater(path)
        }
    }

    private func tryLater(_ path: String) {
        let life = life
        loop.setTimer(after: patience) { [weak self] in
            guard let self, self.life == life, let modem = self.modem else { return }
            switch self.known[path] {
            case .taken: self.delete(path, at: modem)
            case .waiting(isPartial: true):
                self.known[path] = .taken
                self.delete(path, at: modem)
            case .waiting(isPartial: false): self.changed(path)
            case .unread, nil: break
            }
        }
    }

    /// A letter may carry any number of accents, so scalars are counted.
    private static func cut(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest)))
    }
}
