import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What the shell answers: the store, the vault, the workers; each answer goes to whoever asked.
extension Appliance {
    mutating func committed(upTo id: BatchID, last: SequenceNumber, _ step: inout Step) {
        health.sawStore(at: step.now.boot)
        let committed = journal.committed(upTo: id, last: last, &step)
        for numbered in committed.numbered { commands.noteStoredArming(numbered.event, numbered.seq) }
        for numbered in committed.numbered { lastResort.alarmNumbered(numbered.event, numbered.seq, step) }
        deliveries.outbox.committed(upTo: id) { batch, index in
            committed.numbered.first { $0.batch == batch && $0.index == index }?.seq
        }
        if committed.wasBad { deliveries.outbox.storeRecovered() }
        goOn(upTo: id, stored: true, &step)
        control.feedFollowers(&step)
    }

    mutating func commitFailed(from: BatchID, upTo id: BatchID, _ failure: StoreFailure, _ step: inout Step) {
        let wasGood = step.isStoreGood
        switch journal.commitFailed(from: from, upTo: id, failure, &step) {
        case .setAside(let batch, let events, let isWhole):
            deliveries.outbox.setAside(batch, isWhole: isWhole)
            // While the store failed followers had them already.
            if wasGood { control.sendUnstored(events, &step) }
            if isWhole { goOn(upTo: batch, stored: false, &step) }
        case .failing(let waiting):
            deliveries.outbox.storeFailed()
            control.sendUnstored(waiting, &step)
        case .retried: break
        }
        // A disk that refuses a row answers again.
        if !wasGood, step.isStoreGood {
            deliveries.outbox.storeRecovered()
            journal.noteRestored(&step)
        }
    }

    /// Whatever waited for these batches goes on.
    ///
    /// - Parameter stored: they are durable; else they never will be, or not soon
    mutating func goOn(upTo id: BatchID, stored: Bool, _ step: inout Step) {
        for continuation in journal.takeContinuations(upTo: id) { goOn(continuation, stored: stored, &step) }
    }

    private mutating func goOn(_ continuation: Continuation, stored: Bool, _ step: inout Step) {
        switch continuation.step {
        case .submit(let order): submit(order, &step)
        case .replyOutcome, .replyMaintenance, .replyChanged, .reboot, .update, .stick, .tellContact, .tellHouse,
            .endVault, .codesStored:
            step.goOn(continuation.step, stored: stored)
        case .healthy: stored ? step.effects.append(.healthy) : health.trial?.tryAgain()
        case .updates(let client, let request): updates(&step) { $0.begin(request, for: client, $1, &$2) }
        case .judge(let accepted): commands(&step) { $0.judge(accepted, stored: stored, &$1) }
        case .tellPhone(let phone, let counter, let event):
            commands.tellResult(phone, counter, journal.committedNumber(continuation.batch, event), &step)
        case .carryOut(let order): commands(&step) { $0.carryOut(order, stored: stored, &$1) }
        case .tellLegacy(let token): commands.sendLegacyStatus(to: token, &step)
        case .acknowledge(let inbound): channels(&step) { $0.acknowledge(inbound, &$1) }
        case .paired(let phone, let client, let undo):
            pairing(&step) { $0.pairingStored(phone, client, undo, stored: stored, &$1) }
        case .checkPIN(let client, let pin, let new): control.checkPIN(pin, new: new, for: client, &step)
        case .replyConsole(let client, let answer):
            step.finishRequest(of: client, with: .console(control.consoleReport(answer, for: client, step)))
        case .contactPaired(let address, let client):
            pairing(&step) { $0.contactPairingStored(address, client, stored: stored, &$1) }
        case .leave(let phone): directory(&step) { $0.left(phone, &$1) }
        }
    }

    // MARK: Questions

    mutating func rowsArrived(_ id: QueryID, _ rows: Rows, _ step: inout Step) {
        switch step.questions.answered(id) {
        case .outbox: deliveries(&step) { $0.outboxArrived(rows, &$1) }
        case .ping(let phone, let rid): deliveries.pingArrived(phone, rid, rows, &step)
        case .sync(let phone, let rid, let from): deliveries.syncArrived(phone, rid, from: from, rows, &step)
        case .arming(let partition): commands.armingArrived(partition, rows, &step)
        case .dead(let client): deliveries.deadArrived(rows, for: client, &step)
        case .log(let address): commands.logArrived(rows, for: address, &step)
        case .client(let client): control.rowsArrived(id, rows, for: client, &step)
        case nil: break
        }
    }

    mutating func vaultAnswered(_ id: VaultJobID, _ answer: VaultAnswer, _ step: inout Step) {
        let envelope: [UInt8]? = if case .sealed(let bytes) = answer { bytes } else { nil }
        switch step.questions.answered(id) {
        case .openInbound(let inbound): commands(&step) { $0.opened(answer, from: inbound, &$1) }
        case .handshake(let inbound):
            channels(&step) { $0.acknowledge(inbound, &$1) }
            pairing(&step) { $0.shookHands(answer, with: inbound, &$1) }
        case .sealMessage(let entry): deliveries(&step) { $0.sealedMessage(entry, envelope, &$1) }
        case .sealAnswer(let message): deliveries(&step) { $0.sealedAnswer(message, envelope, &$1) }
        case .beginPairing: pairing(&step) { $0.codeIsReady(id, answer, &$1) }
        case .confirm(let client): pairing(&step) { $0.compared(id, answer, for: client, &$1) }
        case .nonce(let phone, let address): directory.gotNonce(answer, phone, address, &step)
        case .beginCodes: pairing.codesAreReady(id, &step)
        case .confirmCodes(let client): pairing(&step) { $0.comparedCodes(id, answer, for: client, &$1) }
        case .code(let order): commands(&step) { $0.checkedCode(order, answer, &$1) }
        case .houseCode(let order): commands(&step) { $0.checkedHouseCode(order, answer, &$1) }
        case nil: break
        }
    }

    mutating func computed(_ id: ComputeID, _ answer: TransportAnswer, _ step: inout Step) {
        switch step.questions.answered(id) {
        case .transport(let channel, let job):
            channels(&step) { $0.drive(channel, &$1) { $0.computed(job, answer, at: $1, into: &$2) } }
        case .contactSecrets: pairing(&step) { $0.gotContactSecrets(answer, &$1) }
        case .buttons(let entry, let address, let verbs):
            deliveries(&step) { $0.gotButtons(answer, entry, address, verbs, &$1) }
        case .pressed(let topic): commands(&step) { $0.pressed(answer, from: topic, &$1) }
        case nil: break
        }
    }
}
