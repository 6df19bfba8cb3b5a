import AlarmModel

/// What is written to the store.
extension EffectForm {
    mutating func write(_ batch: Batch) {
        write("commit \(batch.id.number)")
        for event in batch.events { write(event) }
        if let snapshot = batch.snapshot { write(snapshot) }
        for row in batch.ledger {
            write("ledger \(row.command.number) \(row.summary)")
            write("\(row.origin) \(row.time.milliseconds)")
            if let outcome = row.outcome { write(stored: outcome) }
        }
        if let step = batch.retention {
            write("retention \(step.olderThan?.milliseconds ?? -1) \(step.keepAtMost ?? -1) \(step.limit)")
            write("\(step.now?.milliseconds ?? -1)")
        }
        for row in batch.outbox {
            write("message \(row.message) to \(row.address.number) of \(row.event) \(row.priority.rawValue)")
            write("\(row.createdAt.milliseconds) \(row.expiresAt.milliseconds)")
        }
        for change in batch.outboxChanges {
            write(
                "message \(change.message) is \(change.state.rawValue) \(change.time.milliseconds) \(change.detail ?? "-")"
            )
        }
        for row in batch.phoneLedger {
            write("counter \(row.phone) \(row.counter) \(row.time.milliseconds)")
            write(row.digest)
            if let result = row.result { write("\(result.out.rawValue) \(result.why ?? "-")") }
        }
        for owner in batch.phoneLedgerOwners {
            switch owner {
            case .added(let phone): write("counter-of \(phone)")
            case .removed(let phone): write("no-counter-of \(phone)")
            }
        }
        if let book = batch.phoneBook { write(stored: book) }
        if let log = batch.newLog { write("log-number \(log)") }
    }

    private mutating func write(_ event: Event) {
        write("event \(event.type.rawValue) \(event.code) \(event.time.milliseconds) \(event.isTimeTrusted)")
        write(event.raw)
        write(event.message)
        write("partition \(event.partition ?? -1) \(event.partitionName ?? "-")")
        write("zone \(event.zone ?? -1) \(event.zoneName ?? "-")")
        write("user \(event.user ?? -1) \(event.userName ?? "-")")
        write("flags \(event.flags.rawValue) flaps \(event.flapCount ?? -1) command \(event.command?.number ?? 0)")
        write("mark \(event.unstored?.text ?? "-")")
    }

    private mutating func write(_ snapshot: Snapshot) {
        write("snapshot \(snapshot.panel.link.rawValue) \(snapshot.isMaintenance) \(snapshot.nextCommand.number)")
        for partition in snapshot.panel.partitions { write(stored: partition) }
        for zone in snapshot.panel.zones { write(stored: zone) }
        write(stored: snapshot.panel.system)
        for known in snapshot.addresses { write("\(known.name) \(known.address)") }
        write("seen \(snapshot.seenUpTo?.number ?? -1) refused \(snapshot.refusedPIN ?? 0)")
        if let console = snapshot.console { write(stored: console) }
        for usage in snapshot.linkUsage ?? [] { write(stored: usage) }
        if let software = snapshot.software { write("\(software.version) \(software.hadSession)") }
        for heard in snapshot.heardCommands ?? [] { write("heard \(heard.channel) \(heard.from) \(heard.id)") }
        for lock in snapshot.codeLocks ?? [] { write(stored: lock) }
        if let time = snapshot.acceptedTime { write("accepted \(time.milliseconds)") }
        if let ups = snapshot.ups { write(stored: ups) }
        if let receiver = snapshot.receiver { write(stored: receiver) }
        for watch in snapshot.watch ?? [] { write(stored: watch) }
    }
}
