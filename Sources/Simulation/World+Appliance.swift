import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import PhoneProtocol
import Simulators

/// The shell's part: inputs in, effects out, and death in the middle.
extension World {
    func feed(_ input: Input) throws(Violation) {
        guard running != nil else { return }
        // What arrives on a connection that the core has closed is heard by nobody.
        if case .received(let connection, _) = input,
            !panelHost.has(connection, run: run),
            !pushHost.has(connection), hosts.index(of: connection) == nil
        {
            return
        }
        if case .closed(let connection, _) = input {
            pushHost.forget(connection)
            hosts.forget(connection)
        }
        var effects: [Effect] = []
        observers.begin(input, at: now)
        let moment = moment
        // In place: a copy would make every array that the core changes be copied, too.
        running?.handle(input, at: moment, into: &effects)
        try observers.follow(input, at: moment, effects, from: standpoint)
        try checks.checkReplies(effects, on: store.disk, from: standpoint)
        checks.fed(input, effects: effects, at: now)
        if uplinks?.modem != nil {
            modemChecks.fed(input, store, log: store.log, at: now)
        }
        for case .commit(let batch) in effects {
            if try checks.ordered(batch, from: standpoint) { beliefChecks.ordered(batch) }
            phoneChecks.ordered(batch)
            try checkAudience(batch)
            try truthPromises.check(batch)
            try phoneChecks.checkAudience(of: batch, after: input, store, ownersFile, from: standpoint)
            try checkLinkEvents(batch)
            if uplinks?.modem != nil { try modemChecks.ordered(batch, clock, from: standpoint) }
        }
        if let death = daemon.takeDeath() {
            for effect in effects.prefix(death.effect) { try carryOut(effect) }
            return die(cutsPower: death.cutsPower)
        }
        for effect in effects { try carryOut(effect) }
    }

    private func carryOut(_ effect: Effect) throws(Violation) {
        if case .modem(let order) = effect { return try carryOutModem(order) }
        if carriedOutByLinks(effect) { return }
        switch effect {
        case .resolve(let id, let name, _):
            let service = hosts.index(named: name).map { hosts[$0] }
            let isAway = (service?.backAt ?? pushHost.backAt) > now
            let address = isAway ? nil : service?.address ?? IPAddress("192.0.2.20")
            later(
                .resolved(id, address.map { .addresses([$0]) } ?? .failed(.notFound)),
                in: isAway ? .seconds(5) : .milliseconds(20))
        case .open(let connection, let endpoint, _) where Self.isPush(connection):
            if let index = hosts.index(at: endpoint) {
                hosts.open(connection, index, at: standpoint, &chances.channels, &agenda)
            } else {
                pushHost.open(connection, at: standpoint, &chances.phones, &agenda)
            }
        case .openLocal(let connection, _):
            if let index = hosts.index(.program) {
                hosts.open(connection, index, at: standpoint, &chances.channels, &agenda)
            } else {
                later(.closed(connection, .refused), in: .milliseconds(1))
            }
        case .locate(let id, _, _): later(.located(id, .records([])), in: .milliseconds(5))
        case .compute(let id, let job):
            later(.computed(id, ToyCrypto.answer(job, &chances.phones)), in: .milliseconds(1))
        case .derive(let id, let job):
            if uplinks?.modem != nil {
                try modemChecks.checkTry(job, store, runSince: runSince, from: standpoint)
            }
            later(.derived(id, ToyCrypto.answer(job)), in: .milliseconds(200))
        case .startTLS(let connection, _, _, let time):
            let index = hosts.index(of: connection)
            if let objection = SimulatedClock.objection(at: time ?? moment.wall, now: now) {
                hangUp(connection)
                return later(.closed(connection, .tls(objection)), in: .milliseconds(30))
            }
            if let index {
                hosts.secure(connection, index, at: standpoint, &chances.channels, &agenda)
            } else {
                pushHost.secure(connection, at: standpoint, &chances.phones, &agenda)
            }
        case .send(let connection, let bytes) where Self.isPush(connection):
            if let index = hosts.index(of: connection) {
                try sendChannel(bytes, on: connection, index)
            } else {
                try ChannelChecks.checkSecrets(bytes, towards: "push", from: standpoint)
                guard pushHost.has(connection) else { return }
                try phoneChecks.checkSending(bytes, on: connection, store, from: standpoint)
                pushHost.send(bytes, on: connection, at: standpoint, &chances.phones, &agenda)
            }
        case .close(let connection) where Self.isPush(connection): hangUp(connection)
        case .open(let connection, _, _): panelHost.open(connection, at: standpoint, &chances.world, &agenda)
        case .send(let connection, let bytes):
            phoneChecks.sendsToPanel(bytes)
            panelHost.send(bytes, on: connection, at: standpoint, &chances.world, &agenda)
        case .pause(let connection): panelHost.pause(connection, run: run)
        case .resume(let connection): panelHost.resume(connection, at: standpoint, &chances.world, &agenda)
        case .close(let connection): panelHost.close(connection, at: standpoint, &chances.world, &agenda)
        case .commit(let batch):
            try store.order(
                batch, keys: vault.keys(of: batch.phoneBook?.phones.map(\.id) ?? []),
                codes: vault.codes(of: batch.phoneBook?.codes.map(\.person) ?? []), from: standpoint)
            startTransaction()
        case .read(let id, let query):
            let rows = store.answer(query, at: now)
            later(.rows(id, rows), in: chances.world.duration(in: .milliseconds(1)..<(.milliseconds(20))))
        case .setTimer(let id, let time):
            checks.setTimer(id, time, at: now)
            if let time { agenda.add(.timer(run: run, id, time), at: max(time, now)) }
        case .reply(let client, let reply): try operatorHears(reply, on: client)
        case .readMessages(let id, let query):
            let rows = store.answer(query, at: now)
            later(
                .rows(id, rows), in: chances.phones.duration(in: .milliseconds(1)..<(.milliseconds(20))))
        case .vault(let id, let job): try carryOut(job, id)
        case .notify(.alive): checks.lastPing = now
        case .log(let entry):
            try ChannelChecks.checkSecrets(Array(entry.message.utf8), towards: "the log", from: standpoint)
        case .watchLinks, .readLinks, .useNameServers, .modem, .reboot, .update, .stick, .healthy, .notify: break
        case .finish:
            running = nil
            daemon.end()
            panelHost.drop(silently: false, at: now, &chances.world, &agenda)
            leavePhones(silently: false)
            agenda.add(.boot, at: now + .seconds(2))
        }
    }

    /// The box closes a connection to a service.
    private func hangUp(_ connection: ConnectionID) {
        if let index = hosts.index(of: connection) {
            hosts.close(connection, index, at: standpoint, &chances.channels, &agenda)
        } else {
            pushHost.close(connection, at: standpoint, &chances.phones, &agenda)
        }
    }

    private func carryOut(_ job: VaultJob, _ id: VaultJobID) throws(Violation) {
        if case .seal(let phone, let message, _) = job {
            try phoneChecks.checkSealing(message, for: phone, store, from: standpoint)
            if message.kind == .status, message.rid == nil { modemChecks.shows(phone, at: now) }
        }
        guard let answer = vault.carryOut(job) else { return }
        if case .seal(let phone, let message, _) = job, case .sealed(let envelope) = answer {
            phoneChecks.seals(message, for: phone, envelope)
        }
        later(.vault(id, answer), in: .zero)
    }

    func pendingTimer(_ id: TimerID) -> BootTime? { checks.timers.first { $0.id == id }?.due }

    func later(_ input: Input, in span: Duration) { agenda.add(.input(run: run, input), at: now + span) }

    func boot() throws(Violation) {
        guard running == nil else { return }
        daemon.begin(at: now)
        try checks.recovered(store.disk, from: standpoint)
        store.begin()
        checks.timers = []
        checks.lastPing = now
        leavePhones(silently: false)
        vault = KeyVault(crypto: ToyCrypto(seed: chances.phones.next()))
        vault.load(store.disk.phones.keys, codes: codeHolder.kept)
        #if SABOTAGE
            if sabotage == .forgetsPhones { vault.load([]) }
        #endif
        var core = Appliance(configuration: ownersFile.configuration)
        #if SABOTAGE
            core.sabotage = sabotage
        #endif
        running = RunningCore(core)
        observers.meet(core, seed)
        modemMeetsDaemon()
        var start = store.start(
            ownersFile.configuration, seed: seed &+ UInt64(run), bootMark: run.padded(8, radix: 16))
        start.watchdog = Self.watchdog
        #if SABOTAGE
            if sabotage == .forgetsPhones { start.phoneBook = PhoneBook() }
        #endif
        phoneChecks.started(with: start.phoneBook)
        try feed(.started(start))
        boxOperator.reconnect(run: run)
        try follow()
    }

    /// The operator follows the events from where he was.
    func follow() throws(Violation) {
        try feed(.accepted(BoxOperator.follower))
        try feed(
            .request(
                BoxOperator.follower,
                .events(EventQuery(after: boxOperator.seen, limit: 100), follow: true)))
    }

    /// The daemon ends: nothing of what it had with phones goes on.
    private func leavePhones(silently: Bool) {
        pushHost.drop(silently: silently, at: now, &chances.phones, &agenda)
        hosts.drop(silently: silently, at: now, &chances.channels, &agenda)
        contacts.restarted()
        codeHolder.restarted()
        household.restarted()
        store.forget()
        phoneChecks.restarted()
    }

    private func wrote(_ file: SimulatedStore.PhoneFile) {
        phoneChecks.fileHolds(file.book, at: now)
        codeHolder.keeps(file.codes)
        for contact in channelChecks.note(file.book, at: now) { contacts.note(contact) }
    }

    /// - Parameter span: until the box starts again; nil: as long as a start takes
    func die(cutsPower: Bool, for span: Duration? = nil) {
        running = nil
        daemon.end()
        daemon.outlives()
        if let file = store.interrupt(cutsPower: cutsPower, &chances.world, &chances.phones) { wrote(file) }
        // The machine starts again with another boot clock in life; one clock serves both here.
        if cutsPower, chances.world.next() % 2 == 0 { clock.isSynchronised = false }
        if cutsPower { modemGoesAway(until: now + .seconds(3)) }
        checks.died()
        panelHost.drop(silently: cutsPower, at: now, &chances.world, &agenda)
        leavePhones(silently: cutsPower)
        if let span { return agenda.add(.boot, at: now + span) }
        agenda.add(
            .boot, at: now + (cutsPower ? chances.world.duration(in: .seconds(5)..<(.seconds(40))) : .seconds(2)))
    }

    // MARK: - Disk

    func startTransaction() {
        guard let end = store.beginTransaction(at: now, &chances.world) else { return }
        agenda.add(.synced(run: run), at: end)
    }

    func synced() throws(Violation) {
        let lies = sabotage == .acknowledgesBeforeSync
        let answer = store.endTransaction(at: standpoint, lies: lies, &chances.world, &chances.phones)
        if let file = answer.file { wrote(file) }
        if !answer.stored.isEmpty {
            checks.acknowledged(answer.stored)
            startTransaction()
        }
        if let input = answer.input { try feed(input) }
    }
}
