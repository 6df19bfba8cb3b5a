package import AlarmModel

/// The modem, through ModemManager on the system bus: tells its status whenever it changes and carries out orders, all
/// without waiting. Of several modems the first counts. Confined to the loop's thread.
package final class ModemManagerBus {
    static let service = "org.freedesktop.ModemManager1"
    static let root = "/org/freedesktop/ModemManager1"
    static let modemInterface = "org.freedesktop.ModemManager1.Modem"
    static let bearerInterface = "org.freedesktop.ModemManager1.Bearer"
    static let textInterface = "org.freedesktop.ModemManager1.Sms"
    static let properties = "org.freedesktop.DBus.Properties"

    let bus: SystemBus
    private let loop: EventLoop
    private let onFact: (ModemFact) -> Void
    /// By path, in the order in which they came.
    private(set) var modems: [ModemObject] = []
    private var isServiceThere: Bool?
    private var told: ModemStatus?
    private var isTellingPlanned = false
    private var isLookingLater = false
    /// nil: nothing was sent yet that could be answered, and texts stay where they are.
    private var inbox: TextInbox?
    private let textPatience: Duration
    private(set) lazy var voice = VoiceCalls(bus, on: loop) { [weak self] in self?.tell(.call($0, $1)) }

    /// Looks for the service and the modem at once, tells what there is, and from then on what changes.
    ///
    /// - Parameters:
    ///   - address: as of `SystemBus`
    ///   - textPatience: as of `TextInbox.patience`
    ///   - onFact: called from the loop, never from within a call to this object
    package init(
        on loop: EventLoop, address: String? = nil, textPatience: Duration? = nil,
        onFact: @escaping (ModemFact) -> Void
    ) {
        self.loop = loop
        self.onFact = onFact
        self.textPatience = textPatience ?? TextInbox.patience
        bus = SystemBus(on: loop, address: address)
        bus.onReady = { [weak self] isReady in if isReady { self?.refresh() } else { self?.serviceLost() } }
        let from = "type='signal',sender='\(Self.service)'"
        bus.match("\(from),path_namespace='\(Self.root)',interface='\(Self.properties)',member='PropertiesChanged'") {
            [weak self] in self?.propertiesChanged($0)
        }
        bus.match("\(from),path='\(Self.root)',interface='org.freedesktop.DBus.ObjectManager'") {
            [weak self] in self?.objectsChanged($0)
        }
        bus.match("\(from),path_namespace='\(Self.root)',interface='\(VoiceCalls.interface)'") { [weak self] in
            self?.voice.heard($0)
        }
        bus.match(
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
                + "arg0='\(Self.service)'"
        ) { [weak self] signal in
            guard let self, let owner = signal.arguments.last?.text else { return }
            // A new owner knows nothing of the old one's modems.
            self.serviceLost()
            if !owner.isEmpty { self.refresh() }
        }
    }

    /// Ends it; nothing is told any more.
    package func close() { bus.close() }

    /// From now on received texts are told and deleted, those that lie at the modem too: a full SIM would receive no answer.
    func takeTexts() {
        guard inbox == nil else { return }
        inbox = TextInbox(bus, on: loop, patience: textPatience) { [weak self] in
            self?.tell(.textReceived(number: $0, text: $1))
        }
        inbox?.look(at: modems.first)
    }

    func tell(_ fact: ModemFact) { loop.later { [onFact] in onFact(fact) } }

    // MARK: What there is

    /// Reads all modems anew.
    func refresh(then: ((Result<Void, BusError>) -> Void)? = nil) {
        let call = BusCall(
            "GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", at: Self.root, from: Self.service)
        bus.call(call) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values):
                self.take(values.first)
                then?(.success(()))
            case .failure(let error):
                self.serviceLost()
                self.lookLater()
                then?(.failure(error))
            }
        }
    }

    /// A service that only starts slowly has the same owner when it is ready, and nothing tells of that.
    private func lookLater() {
        guard !isLookingLater else { return }
        isLookingLater = true
        loop.setTimer(after: .seconds(60)) { [weak self] in
            guard let self else { return }
            self.isLookingLater = false
            if self.isServiceThere != true, self.bus.isReady { self.refresh() }
        }
    }

    private func take(_ objects: BusValue?) {
        serviceFound()
        let found = (objects?.entries ?? []).compactMap { entry in entry.key.text.map { ($0, entry.value) } }
        modems.removeAll { modem in !found.contains { $0.0 == modem.path } }
        for (path, interfaces) in found.sorted(by: { ($0.0.count, $0.0) < ($1.0.count, $1.0) }) {
            add(path, interfaces)
        }
        planTelling()
    }

    private func add(_ path: String, _ interfaces: BusValue) {
        guard interfaces[Self.modemInterface] != nil else { return }
        let index: Int
        if let known = modems.firstIndex(where: { $0.path == path }) {
            index = known
        } else {
            modems.append(ModemObject(path: path))
            index = modems.count - 1
        }
        for entry in interfaces.entries ?? [] {
            guard let interface = entry.key.text else { continue }
            modems[index].merge(entry.value, of: interface)
        }
        readBearers(of: path)
    }

    private func objectsChanged(_ signal: BusSignal) {
        guard signal.arguments.count == 2, let path = signal.arguments[0].text else { return }
        if signal.member == "InterfacesAdded" {
            add(path, signal.arguments[1])
        } else if signal.member == "InterfacesRemoved" {
            // A modem has always all of its interfaces or none, but for those that depend on its state.
            let removed = (signal.arguments[1].elements ?? []).compactMap(\.text)
            if removed.isEmpty || removed.contains(Self.modemInterface) { modems.removeAll { $0.path == path } }
        }
        planTelling()
    }

    private func propertiesChanged(_ signal: BusSignal) {
        guard signal.arguments.count >= 2, let interface = signal.arguments[0].text else { return }
        if let index = modems.firstIndex(where: { $0.path == signal.path }) {
            let before = modems[index].bearerPaths
            modems[index].merge(signal.arguments[1], of: interface)
            if modems[index].bearerPaths != before { readBearers(of: signal.path) }
        } else if interface == Self.bearerInterface,
            let index = modems.firstIndex(where: { $0.bearerPaths.contains(signal.path) })
        {
            modems[index].mergeBearer(signal.path, signal.arguments[1])
        } else if interface == Self.textInterface {
            inbox?.changed(signal.path)
        }
        planTelling()
    }

    private func readBearers(of modem: String) {
        guard let paths = modems.first(where: { $0.path == modem })?.bearerPaths else { return }
        for path in paths { readBearer(path, of: modem) }
    }

    /// Reads a bearer's properties, which the object manager does not tell.
    func readBearer(_ path: String, of modem: String, then: (() -> Void)? = nil) {
        let call = BusCall(
            "GetAll", of: Self.properties, at: path, from: Self.service, [.string(Self.bearerInterface)])
        bus.call(call) { [weak self] result in
            if let self, let index = self.modems.firstIndex(where: { $0.path == modem }),
                let properties = try? result.get().first
            {
                self.modems[index].mergeBearer(path, properties)
                self.planTelling()
            }
            then?()
        }
    }

    // MARK: What is told

    private func serviceFound() {
        guard isServiceThere != true else { return }
        isServiceThere = true
        tell(.service(isThere: true))
    }

    private func serviceLost() {
        modems = []
        inbox?.forget()
        voice.forget()
        planTelling()
        guard isServiceThere != false else { return }
        isServiceThere = false
        tell(.service(isThere: false))
    }

    /// Several changes of one round of the loop are told as one.
    private func planTelling() {
        guard !isTellingPlanned else { return }
        isTellingPlanned = true
        loop.later { [weak self] in
            guard let self else { return }
            self.isTellingPlanned = false
            self.inbox?.look(at: self.modems.first)
            let status = self.modems.first?.status
            guard status != self.told else { return }
            self.told = status
            self.onFact(.modem(status))
        }
    }

    /// Tells the status again, changed or not.
    func tellAgain() {
        told = nil
        if modems.isEmpty { tell(.modem(nil)) } else { planTelling() }
    }
}
