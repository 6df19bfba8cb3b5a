import AlarmModel
import ApplianceCore
import PanelLink

/// The shell's part: inputs in, effects out, and death in the middle.
extension World {
    mutating func feed(_ input: Input) throws(Violation) {
        guard var core = appliance else { return }
        // What arrives on a connection that the core has closed is heard by nobody.
        if case .received(let connection, _) = input,
            !wires.contains(where: { $0.connection == connection && $0.run == run })
        {
            return
        }
        var effects: [Effect] = []
        steps += 1
        remember(input)
        core.handle(input, at: moment, into: &effects)
        appliance = core
        try trail.follow(effects, step: steps, at: now)
        try operatorDesk.check(effects, world: self)
        checks.fed(input, effects: effects, at: now)
        for case .commit(let batch) in effects { try checks.ordered(batch, world: self) }
        if let death {
            self.death = nil
            for effect in effects.prefix(death.effect) { try carryOut(effect) }
            return die(cutsPower: death.cutsPower)
        }
        for effect in effects { try carryOut(effect) }
    }

    private mutating func carryOut(_ effect: Effect) throws(Violation) {
        switch effect {
        case .resolve(let id, _, _): later(.resolved(id, .failed(.notFound)), in: .milliseconds(20))
        case .open(let connection, _, _): open(connection)
        case .send(let connection, let bytes): send(bytes, on: connection)
        case .pause(let connection): withWire(connection) { $0.isPaused = true }
        case .resume(let connection): resume(connection)
        case .close(let connection): close(connection)
        case .commit(let batch):
            queuedBatches.append(batch)
            startTransaction()
        case .read(let id, let query):
            later(.rows(id, .page(disk.page(query))), in: chance.duration(in: .milliseconds(1)..<(.milliseconds(20))))
        case .setTimer(let id, let time):
            checks.setTimer(id, time)
            if let time { agenda.add(.timer(run: run, id, time), at: max(time, now)) }
        case .reply(let client, let reply): try operatorHears(reply, on: client)
        case .startTLS, .readMessages, .vault: break  // no phones in this world yet
        case .notify, .log: break
        case .finish:
            appliance = nil
            run += 1
            dropWires(silently: false)
            queuedBatches = []
            transaction = nil
            agenda.add(.boot, at: now + .seconds(2))
        }
    }

    private mutating func remember(_ input: Input) {
        let words =
            if case .received(_, let bytes) = input {
                String(
                    decoding: bytes.filter { $0 != 10 && $0 != 13 || $0 == 10 }.map { $0 == 10 ? 124 : $0 },
                    as: UTF8.self)
            } else {
                String("\(input)".prefix(160))
            }
        recent.append("\((now - .zero).milliseconds) ms: \(words)")
        if recent.count > 30 { recent.removeFirst() }
    }

    func pendingTimer(_ id: TimerID) -> BootTime? { checks.timers.first { $0.0 == id }?.1 }

    mutating func later(_ input: Input, in span: Duration) { agenda.add(.input(run: run, input), at: now + span) }

    mutating func boot() throws(Violation) {
        guard appliance == nil else { return }
        run += 1
        try checks.recovered(disk, world: self)
        disk.begin()
        queuedBatches = []
        transaction = nil
        checks.timers = []
        var core = Appliance(configuration: configuration)
        #if SABOTAGE
            core.sabotage = sabotage
        #endif
        appliance = core
        try feed(
            .started(
                Start(
                    configuration: configuration, snapshot: disk.snapshot, seed: seed &+ UInt64(run),
                    bootMark: hex(run), lastSequence: disk.last, newestEvent: disk.rows.last?.event.time,
                    unfinished: disk.unfinished)))
        operatorDesk.reconnect(run: run)
        try feed(.accepted(OperatorDesk.follower))
        try feed(
            .request(
                OperatorDesk.follower,
                .events(EventQuery(after: operatorDesk.seen, limit: 100), follow: true)))
    }

    mutating func die(cutsPower: Bool) {
        appliance = nil
        run += 1
        death = nil
        if cutsPower {
            disk.cutPower(during: transaction, frames: &chance)
            // The machine starts again with another boot clock in life; one clock serves both here.
            if chance.next() % 2 == 0 { isSynchronised = false }
        } else {
            disk.sync()
            if let transaction, chance.next() % 2 == 0 { disk.commit(transaction) }
        }
        checks.died()
        transaction = nil
        queuedBatches = []
        dropWires(silently: cutsPower)
        agenda.add(.boot, at: now + (cutsPower ? chance.duration(in: .seconds(5)..<(.seconds(40))) : .seconds(2)))
    }

    private func hex(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    // MARK: - Disk

    mutating func startTransaction() {
        guard transaction == nil, !queuedBatches.isEmpty else { return }
        let batches = Array(queuedBatches.prefix(64))
        queuedBatches.removeFirst(batches.count)
        transaction = batches
        let span = chance.duration(in: .milliseconds(2)..<(.milliseconds(40))) + nextStall
        nextStall = .zero
        agenda.add(.synced(run: run), at: now + span)
    }

    mutating func synced() throws(Violation) {
        guard let batches = transaction, let first = batches.first, let last = batches.last else { return }
        transaction = nil
        if let fault = disk.fault {
            queuedBatches = []
            // Sometimes everything had reached the disk before the error was reported.
            if chance.next() % 5 == 0 { disk.commit(batches) }
            return try feed(.commitFailed(from: first.id, upTo: last.id, fault))
        }
        if sabotage == .acknowledgesBeforeSync {
            disk.commitLater(batches)
            if chance.next() % 4 == 0 { disk.sync() }
        } else {
            disk.commit(batches)
        }
        checks.acknowledged(batches)
        startTransaction()
        try feed(.committed(upTo: last.id, last: disk.last))
    }
}
