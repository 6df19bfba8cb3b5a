import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Uplinks

/// Lets a machine act and carries out what it orders: each order at once and with all that follows from it, before the
/// next.
extension Appliance {
    mutating func panel(_ step: inout Step, _ act: (inout PanelConnection, inout Step) -> Void) {
        act(&panelConnection, &step)
        for action in panelConnection.takeActions() {
            if panelConnection.perform(action, &step) {
                panel(&step) { _, _ in }
                continue
            }
            guard case .session(let told) = action else { continue }
            switch told {
            case .event(let event): happened(event, &step)
            case .outcome(let id, let outcome): commands(&step) { $0.ended(id, outcome, &$1) }
            case .trace(let line): control.trace(line, &step)
            case .connect, .close, .send, .log: break
            }
        }
    }

    /// The panel tells a fact.
    private mutating func happened(_ event: Event, _ step: inout Step) {
        var event = event
        if let named = commands.attribute(&event) {
            panelConnection.nameLastChange(of: named.partition, named.name, &step)
        }
        commands.noteArming(event)
        step.record(event)
    }

    mutating func links(_ step: inout Step, _ act: (inout Links, inout Step) -> Void) {
        act(&links, &step)
        for action in links.takeActions() {
            switch action {
            case .dialer, .failover, .modem, .dialFailed, .closed, .leave, .redial, .linksRemoved, .modemRemoved:
                links(&step) { $0.perform(action, &$1) }
            case .tell(.updates, let fact): updates(&step) { $0.take(fact, $1, &$2) }
            case .tell(.cameras, let fact): cameras(&step) { $0.take(fact, $1, &$2) }
            case .tell(.history, let fact):
                let around = CameraSurroundings(UpdateSurroundings(self, step))
                reminders(&step) { $0.take(fact, around, &$1) }
            case .tell(.ups, let fact): power(&step) { $0.take(fact, &$1) }
            case .tell(.calls, let fact): lastResort(&step) { $0.take(fact, &$1) }
            case .lastResort(let fact): lastResort(&step) { $0.take(fact, &$1) }
            case .tell(let owner, let fact): channels(&step) { $0.take(fact, owner, &$1) }
            case .networkChanged:
                for owner in step.lineOwners { channels(&step) { $0.networkChanged(owner, &$1) } }
                lastResort(&step) { $0.networkChanged(&$1) }
            }
        }
    }

    mutating func channels(_ step: inout Step, _ act: (inout Channels, inout Step) -> Void) {
        act(&channels, &step)
        for action in channels.takeActions() {
            switch action {
            case .transport(let action, let owner):
                if !channels.perform(action, of: owner, &step) { perform(action, of: owner, &step) }
            case .pinged: channels.tellPing(&step)
            case .ended(let owner):
                links.removeLines(of: owner)
                if case .channel(let kind) = owner { deliveries.forgetHealth(of: kind) }
            }
        }
    }

    private mutating func perform(_ action: TransportAction, of owner: LineOwner, _ step: inout Step) {
        switch action {
        case .connect(let slot, let target): links(&step) { $0.connect(owner, slot, to: target, &$1) }
        case .cancelConnect(let slot): links(&step) { $0.cancelConnect(owner, slot, &$1) }
        case .send(let connection, let bytes):
            step.effects.append(.send(connection, bytes))
            links.ordered(bytes.count, on: connection, &step)
        case .close(let connection): links(&step) { $0.close(connection, &$1) }
        case .serverTime(let time, let server): health.heard(time, of: server, &step)
        case .presence(let presence): reminders(&step) { machine, _ in machine.heard(presence) }
        case .locate, .ready, .notReady, .accepted, .received, .refused, .returned, .inbound, .upgrade, .compute,
            .problem, .log:
            if case .channel(let kind) = owner { told(action, by: kind, &step) }
        }
    }

    /// What a channel to people has to tell others.
    private mutating func told(_ action: TransportAction, by kind: ChannelKind, _ step: inout Step) {
        switch action {
        case .locate(let job, let service):
            step.locate(service, by: links.failover?.link ?? .any, for: .transport(kind, job))
        case .ready:
            if kind == .ccs { commands.legacy.connectionReady(at: step.now.boot) }
            channels.becameReady(kind, &step)
            deliveries.sendMissedHeartbeats(by: kind, channels.reach, &step)
            pairing.hurryWelcomes(step)
        case .notReady:
            if kind == .ccs { commands.legacy.connectionLost(at: step.now.boot) }
            channels.becameUnready(kind, &step)
        case .inbound(let inbound):
            // Words are acknowledged whatever comes of them: whoever repeats them is not obeyed twice.
            if case .text = inbound.body { channels(&step) { $0.acknowledge(inbound, &$1) } }
            commands(&step) { $0.heard(inbound, &$1) }
        case .accepted, .received, .refused, .returned:
            var told = action
            links(&step) { told = $0.told(action, by: kind, &$1) }
            deliveries(&step) { $0.told(told, by: kind, &$1) }
        case .connect, .cancelConnect, .send, .close, .log, .serverTime, .upgrade, .compute, .problem, .presence: break
        }
    }

    mutating func deliveries(_ step: inout Step, _ act: (inout Deliveries, inout Step) -> Void) {
        act(&deliveries, &step)
        for action in deliveries.takeActions() {
            switch action {
            case .send(let delivery, let channel): send(delivery, by: channel, &step)
            case .refused(let channel, let address, let place, let refusal, let isService):
                if let address, pairing.contactPairing?.contact?.deliveryAddress == address {
                    pairing(&step) { $0.endContactPairing(refusal.why, &$1) }
                } else {
                    channels.refused(by: channel, at: place, refusal, isService: isService, &step)
                }
            case .taken(let address): channels.taken(at: address, &step)
            case .learned(let value, let address): directory(&step) { $0.learned(value, insteadOf: address, &$1) }
            case .dropAddress(let address, let why): directory(&step) { $0.dropAddress(address, why: why, &$1) }
            case .offered(let button): commands.offered(button)
            case .welcomed(let phone): pairing.welcomed(phone, &step)
            case .probeAnswered(let nonce, let phone): directory.probeAnswered(nonce, by: phone, &step)
            case .alarm(let fate): lastResort(&step) { $0.take(fate, &$1) }
            case .listWanted(let list, let from, let rid, let phone):
                step.tell(phone.id, BoxReports(box: self, step: step).list(list, from: from, rid: rid, for: phone))
            case .pictureWanted(let wish): cameras(&step) { $0.asked(wish, $1, &$2) }
            case .malformed: commands.reject(.malformed, &step)
            }
        }
    }

    private mutating func send(_ delivery: Delivery, by channel: ChannelKind, _ step: inout Step) {
        let wasTaken = channels.deliver(delivery, by: channel, &step)
        // What a channel refuses at once must be known as sent before.
        if wasTaken { deliveries.sent(delivery.message) }
        channels(&step) { _, _ in }
        if !wasTaken { deliveries.notTaken(delivery.message, &step) }
    }

    mutating func commands(_ step: inout Step, _ act: (inout Commands, inout Step) -> Void) {
        act(&commands, &step)
        for action in commands.takeActions() {
            switch action {
            case .acknowledge(let inbound): channels(&step) { $0.acknowledge(inbound, &$1) }
            case .submit(let order): submit(order, &step)
            case .spoke(let phone, let from): directory(&step) { $0.heard(phone, from: from, &$1) }
            case .requested(let request, let phone): deliveries(&step) { $0.requested(request, by: phone, &$1) }
            case .changeAddress(let id, let kind, let value, let phone):
                let outcome = directory.newAddress(kind, value, of: phone, &step)
                directory(&step) { _, _ in }
                commands(&step) { $0.ended(id, outcome, &$1) }
            case .seen(let seq, let person): deliveries(&step) { $0.seen(upTo: seq, of: person, &$1) }
            }
        }
    }

    /// Whoever may disarm declines what the schedule is about to arm: by any channel that disarms, and by no other.
    mutating func submit(_ order: PanelOrder, _ step: inout Step) {
        if case .disarm(let partition) = order.command, reminders.awaitsArming(of: partition) {
            let who = commands.open.entry(order.id)?.person?.words ?? "somebody at the box"
            var isDone = false
            reminders(&step) { isDone = $0.decline(partition, by: who, &$1) }
            if isDone { return commands(&step) { $0.ended(order.id, .done, &$1) } }
        }
        panel(&step) { $0.drive(&$1) { $0.submit(order, at: $1, into: &$2) } }
    }

    mutating func reminders(_ step: inout Step, _ act: (inout Reminders, inout Step) -> Void) {
        act(&reminders, &step)
        for action in reminders.takeActions() {
            switch action {
            case .arm(let partition, let mode): commands(&step) { $0.armBySchedule(partition, mode, &$1) }
            case .line(let action): perform(action, of: .history, &step)
            }
        }
    }

    mutating func directory(_ step: inout Step, _ act: (inout Directory, inout Step) -> Void) {
        act(&directory, &step)
        for action in directory.takeActions() {
            switch action {
            case .dropped(let address, let why): deliveries.outbox.dropped(address, why: why, at: step.now)
            case .phoneGone(let phone):
                commands.phoneGone(phone, &step)
                pairing.forget(phone)
            case .answersVoid(let phone): deliveries.forgetAnswers(of: phone, &step)
            case .contactGone(let address): commands.contactGone(address)
            case .contactsChanged: listen(&step)
            case .approved(let token): commands.legacy.approved(token)
            case .lifted(let phone): commands.lifted(phone)
            }
        }
    }

    mutating func pairing(_ step: inout Step, _ act: (inout Pairing, inout Step) -> Void) {
        act(&pairing, &step)
        for action in pairing.takeActions() {
            switch action {
            case .notOpened: commands.reject(.notOpened, &step)
            case .phoneAdded(let phone): commands.phoneAdded(phone, &step)
            case .phoneRemoved(let phone): commands.phoneGone(phone, &step)
            case .takesOverToken(let token): directory(&step) { $0.removeLegacy(token: token, &$1) }
            case .dropped(let address, let why): deliveries.outbox.dropped(address, why: why, at: step.now)
            case .contactsChanged: listen(&step)
            case .codesChanged(let person): commands.codesChanged(person)
            }
        }
    }

    private mutating func perform(_ action: LineAction, of owner: LineOwner, _ step: inout Step) {
        switch action {
        case .transport(let action): perform(action, of: owner, &step)
        case .ended: links.removeLines(of: owner)
        }
    }

    mutating func updates(_ step: inout Step, _ act: (inout Updates, UpdateSurroundings, inout Step) -> Void) {
        act(&updates, UpdateSurroundings(self, step), &step)
        for action in updates.takeActions() { perform(action, of: .updates, &step) }
    }

    mutating func cameras(_ step: inout Step, _ act: (inout Cameras, CameraSurroundings, inout Step) -> Void) {
        act(&cameras, CameraSurroundings(UpdateSurroundings(self, step)), &step)
        for action in cameras.takeActions() { perform(action, of: .cameras, &step) }
    }

    mutating func lastResort(_ step: inout Step, _ act: (inout LastResort, inout Step) -> Void) {
        act(&lastResort, &step)
        for action in lastResort.takeActions() {
            switch action {
            case .line(let action): perform(action, of: .calls, &step)
            case .seen(let seq, let name, let who): commands(&step) { $0.seen(upTo: seq, by: name, of: who, &$1) }
            }
        }
    }

    mutating func power(_ step: inout Step, _ act: (inout Power, inout Step) -> Void) {
        act(&power, &step)
        for action in power.takeActions() {
            switch action {
            case .line(let action): perform(action, of: .ups, &step)
            case .feeds(let reading): panel(&step) { $0.drive(&$1) { $0.boxIsFed(by: reading, at: $1, into: &$2) } }
            }
        }
    }

    /// Channels that listen to contacts and phones are told to whom.
    mutating func listen(_ step: inout Step) {
        let (contacts, phones) = pairing.listening(step)
        for kind in [ChannelKind.ntfy, .xmpp] { channels(&step) { $0.listen(to: contacts, phones: phones, kind, &$1) } }
    }

    /// The clock is trusted now: what failed because of it, such as the time of a certificate, is tried again at once.
    mutating func clockCame(_ step: inout Step) {
        for owner in channels.unready where step.life == .running { channels(&step) { $0.networkChanged(owner, &$1) } }
    }
}
