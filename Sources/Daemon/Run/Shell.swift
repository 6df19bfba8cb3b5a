import AlarmModel
import ApplianceCore
import Card
import Glibc
import PhoneProtocol
import Platform
import YAMLConfiguration

/// Mounts the core on the machine: inputs from sockets, clocks, disk and signals; effects into system calls.
///
/// Confined to the loop's thread. Nothing here decides: what to do is in `Appliance`, how to do it in Platform and
/// EventStore.
final class Shell {
    let loop: EventLoop
    let log: LogWriter
    let disk: Disk
    private let resolver: Resolver
    private var core: Appliance
    private let reports: ServiceReports
    private let connector: Connector
    private let configurationFile: String
    private var connections: [ConnectionID: Connection] = [:]
    private var clients: [ConnectionID: ControlClient] = [:]
    private var nextClient = Appliance.firstClient
    private var timers: [TimerID: TimerToken] = [:]
    private var isClockSynchronised = false
    private var askClockAt = BootTime.zero
    private var vault: KeyVault<OpenSSLCrypto>
    private let trusts = TLSTrustCache()
    private let computer: TransportComputer
    /// From the first time that links are watched.
    private var links: LinkWatch?
    /// nil: nothing is recorded.
    private let recorder: FlightRecorder?
    /// From the first order to a modem.
    private var modems: ModemManagerBus?
    /// Facts that came up while the core's orders were being carried out.
    private var facts: [Input] = []
    private var isFeeding = false
    private var isFinished = false
    private(set) var exitStatus: Int32 = 0

    /// A connection that the core ordered: first an attempt, then a stream.
    private enum Connection {
        case attempt(ConnectAttempt)
        case stream(any ByteStream)
    }

    init(
        configuration: Configuration, configurationFile: String, disk: Disk, loop: EventLoop, log: LogWriter,
        vault: KeyVault<OpenSSLCrypto>, pushKey: StoredPushKey, recorder: FlightRecorder?
    ) {
        self.recorder = recorder
        self.vault = vault
        self.loop = loop
        self.log = log
        self.disk = disk
        self.configurationFile = configurationFile
        reports = ServiceReports(on: loop)
        connector = Connector(on: loop)
        resolver = Resolver(on: loop)
        computer = TransportComputer(on: loop, pushKey: pushKey)
        core = Appliance(configuration: configuration)
    }

    func start(_ start: Start, _ content: VaultContent) {
        vault.load(content.keys, codes: content.codes)
        feed(.started(start))
    }

    /// One fact into the core, its orders into the machine; then what came up meanwhile, in order.
    func feed(_ input: Input) {
        facts.append(input)
        guard !isFeeding else { return }
        isFeeding = true
        defer { isFeeding = false }
        while !facts.isEmpty, !isFinished {
            var effects: [Effect] = []
            let fact = facts.removeFirst()
            let now = moment()
            recorder?.begins(fact, at: now)
            CrashRecord.begins(core.channel(of: fact))
            core.handle(fact, at: now, into: &effects)
            recorder?.ended(effects)
            for effect in effects { carryOut(effect) }
        }
    }

    /// The kernel is asked at most once a second whether the clock is synchronised.
    private func moment() -> Moment {
        let now = SystemClock.moment(isTrusted: isClockSynchronised)
        guard now.boot >= askClockAt else { return now }
        isClockSynchronised = SystemClock.isSynchronised
        askClockAt = now.boot + .seconds(1)
        return SystemClock.moment(isTrusted: isClockSynchronised)
    }

    #if SABOTAGE
        /// A part of the core stops making progress.
        func freeze(_ part: Freeze) { core.frozen = part }

        /// A deliberate bug from here on.
        func sabotage(_ bug: Sabotage) { core.sabotage = bug }
    #endif

    private func carryOut(_ effect: Effect) {
        switch effect {
        case .resolve(let id, let name, let link): resolve(id, name, link)
        case .open(let id, let endpoint, let link): open(id, endpoint, link)
        case .openLocal(let id, let path): openLocal(id, path)
        case .startTLS(let id, let name, let file, let time):
            startTLS(id, serverName: name, authorityFile: file, at: time)
        case .send(let id, let bytes):
            if case .stream(let stream)? = connections[id] { stream.send(bytes) }
        case .pause(let id):
            if case .stream(let stream)? = connections[id] { stream.pauseReading() }
        case .resume(let id):
            if case .stream(let stream)? = connections[id] { stream.resumeReading() }
        case .close(let id): close(id)
        case .commit(let batch): disk.commit(batch, VaultBytes(vault, for: batch))
        case .read(let id, let query): disk.read(query) { [weak self] rows in self?.feed(.rows(id, rows)) }
        case .readMessages(let id, let query):
            disk.readMessages(query) { [weak self] rows in self?.feed(.rows(id, rows)) }
        case .vault(let id, let job):
            if let answer = vault.carryOut(job) { facts.append(.vault(id, answer)) }
        case .compute(let id, let job): compute(id, job)
        case .derive(let id, let job):
            computer.derive(job) { [weak self] answer in self?.feed(.derived(id, answer)) }
        case .locate(let id, let service, let link):
            resolver.locate(service, link: link) { [weak self] in self?.feed(.located(id, $0)) }
        case .setTimer(let id, let time): setTimer(id, time)
        case .reply(let id, let reply): self.reply(reply, to: id)
        case .watchLinks(let interfaces): watchLinks(interfaces)
        case .readLinks: if let links { facts.append(.links(links.read())) }
        case .useNameServers(let servers, let link): resolver.setServers(servers.isEmpty ? nil : servers, for: link)
        case .modem(let order): carryOut(order)
        case .notify(let note): reports.tell(note)
        case .log(let entry): log.write(entry)
        case .reboot: reboot()
        case .healthy: tellHealthy()
        case .update(let bundle, let older): update(bundle, isOlderConfirmed: older)
        case .stick(let request): stick(request)
        case .finish(let status): finish(status)
        }
    }

    private func setTimer(_ id: TimerID, _ time: BootTime?) {
        if let token = timers.removeValue(forKey: id) { loop.cancel(token) }
        guard let time else { return }
        timers[id] = loop.setTimer(at: time) { [weak self] in
            self?.timers[id] = nil
            self?.feed(.timer(id))
        }
    }

    // MARK: Connections

    private func resolve(_ id: ResolveID, _ name: String, _ link: Link) {
        resolver.resolve(name, link: link) { [weak self] result in
            switch result {
            case .success(let addresses): self?.feed(.resolved(id, .addresses(addresses)))
            case .failure(let error): self?.feed(.resolved(id, .failed(error.failure)))
            }
        }
    }

    private func open(_ id: ConnectionID, _ endpoint: Endpoint, _ link: Link) {
        let attempt = connector.open(endpoint, link: link) { [weak self] result in
            switch result {
            case .success(let stream): self?.opened(id, stream)
            case .failure(let failure): self?.notOpened(id, failure.end)
            }
        }
        connections[id] = .attempt(attempt)
    }

    private func openLocal(_ id: ConnectionID, _ path: String) {
        let attempt = connector.openUnix(path) { [weak self] result in
            switch result {
            case .success(let stream): self?.opened(id, stream)
            case .failure(let failure): self?.notOpened(id, failure.end)
            }
        }
        connections[id] = .attempt(attempt)
    }

    private func opened(_ id: ConnectionID, _ stream: Stream) {
        adopt(stream, as: id)
        feed(.connected(id))
    }

    private func notOpened(_ id: ConnectionID, _ end: ConnectionEnd) {
        connections[id] = nil
        feed(.closed(id, end))
    }

    private func compute(_ id: ComputeID, _ job: TransportJob) {
        computer.carryOut(job) { [weak self] connection in
            guard case .stream(let stream)? = self?.connections[connection] else { return nil }
            return stream
        } then: { [weak self] answer in
            self?.feed(.computed(id, answer))
        }
    }

    /// Encrypts a connection that stands; until that is done nothing of it reaches the core.
    private func startTLS(_ id: ConnectionID, serverName: String, authorityFile: String?, at time: WallTime?) {
        guard case .stream(let plain)? = connections[id] else { return }
        do throws(TLSFailure) {
            let trust = try trusts.trust(caFile: authorityFile)
            let stream = try SecureStream(client: plain, serverName: serverName, trust: trust, at: time, on: loop)
            adopt(stream, as: id)
            stream.onSecured = { [weak self] in self?.feed(.secured(id)) }
            stream.startHandshake()
        } catch {
            connections[id] = nil
            plain.close()
            facts.append(.closed(id, .tls(error)))
        }
    }

    private func adopt(_ stream: any ByteStream, as id: ConnectionID) {
        stream.onReceived = { [weak self] bytes in self?.feed(.received(id, bytes)) }
        stream.onSent = { [weak self] total in self?.feed(.sent(id, upTo: total)) }
        stream.onClosed = { [weak self] end in
            guard let self, connections.removeValue(forKey: id) != nil else { return }
            feed(.closed(id, end))
        }
        connections[id] = .stream(stream)
    }

    private func close(_ id: ConnectionID) {
        switch connections.removeValue(forKey: id) {
        case .attempt(let attempt): attempt.cancel()
        case .stream(let stream): stream.close()
        case nil: clients.removeValue(forKey: id)?.close()
        }
    }

    // MARK: Links

    private func watchLinks(_ interfaces: [String]) {
        do throws(SystemError) {
            if links == nil { links = try LinkWatch(on: loop) { [weak self] facts in self?.feed(.links(facts)) } }
            links?.watch(interfaces)
        } catch {
            log.write(LogEntry(.error, "the network interfaces cannot be watched: \(error)"))
        }
    }

    private func carryOut(_ order: ModemOrder) {
        let bus = modems ?? ModemManagerBus(on: loop) { [weak self] fact in self?.feed(.modem(fact)) }
        modems = bus
        bus.carryOut(order)
    }

    // MARK: Keys

    /// What is to be scanned goes from the vault to the screen that asked for it, past the core.
    private func reply(_ reply: ControlReply, to id: ConnectionID) {
        var shown: Secret?
        if case .pairing(.ready) = reply { shown = vault.pairingText }
        if case .pairing(.codesReady) = reply { shown = vault.codesText }
        if let shown {
            clients[id]?.send(reply, with: .init(key: "code", value: .string(shown.revealed)))
        } else {
            clients[id]?.send(reply)
        }
    }

    // MARK: Control clients

    func accepted(_ stream: Stream) {
        let id = nextClient
        nextClient = ConnectionID(id.number + 1)
        clients[id] = ControlClient(
            stream, on: loop,
            onInput: { [weak self] line in
                switch line {
                case .success(let request): self?.feed(.request(id, request))
                case .failure(let error): self?.feed(.badRequest(id, error))
                }
            },
            onSent: { [weak self] count in self?.feed(.sent(id, upTo: count)) },
            onClosed: { [weak self] end in
                self?.clients[id] = nil
                self?.feed(.closed(id, end))
            })
        feed(.accepted(id))
    }

    // MARK: Life

    func caught(_ signal: ProcessSignal) {
        switch signal {
        case .terminate, .interrupt: feed(.signal(.terminate))
        case .hangup: reload()
        case .user1: break
        }
    }

    private func reload() {
        let result = ConfigurationReader.read(file: configurationFile, files: SystemConfigurationFiles())
        for problem in result.problems.filter({ $0.severity == .warning }).prefix(Configuration.problemLimit) {
            log.write(LogEntry(.warning, problem.description))
        }
        if let configuration = result.configuration {
            feed(.reload(.configuration(configuration)))
        } else {
            feed(.reload(.refused(result.problems.filter { $0.severity == .error }.map(\.description))))
        }
    }

    private func reboot() {
        do throws(SystemError) {
            try RebootRequest().make()
        } catch {
            log.write(LogEntry(.error, "the restart of the machine cannot be asked for: \(error)"))
        }
    }

    private func tellHealthy() {
        do throws(SystemError) {
            try HealthyMark().make()
        } catch {
            log.write(LogEntry(.error, "that this version is good cannot be told: \(error)"))
        }
    }

    private func update(_ bundle: String, isOlderConfirmed: Bool) {
        do throws(SystemError) {
            try UpdateRequest(bundle: bundle, isOlderConfirmed: isOlderConfirmed).make()
        } catch {
            log.write(LogEntry(.error, "the update cannot be asked for: \(error)"))
        }
    }

    private func stick(_ request: StickRequest) {
        do throws(SystemError) {
            try StickPlaces().ask(request)
        } catch {
            log.write(LogEntry(.error, "the stick cannot be asked for: \(error)"))
        }
    }

    private func finish(_ status: Int32) {
        isFinished = true
        exitStatus = status
        if status == Effect.restartStatus {
            do {
                try PlannedRestart().remember()
            } catch {
                log.write(LogEntry(.error, "the restart cannot be remembered: \(error)"))
            }
        }
        // What was ordered to be sent still leaves: the loop ends a little after the last round.
        for client in clients.values { client.close() }
        _ = loop.setTimer(after: .milliseconds(50)) { [loop] in loop.stop() }
    }
}
