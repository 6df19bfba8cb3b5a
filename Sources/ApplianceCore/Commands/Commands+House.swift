import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What the broker and the command tube ask for: by the verbs that the configuration names, with a code where it asks for one.
extension Commands {
    /// The broker and the command tube: without a person's name.
    mutating func heardHouse(_ text: String, _ upstream: InboundMessage, _ step: inout Step) {
        guard let verbs = step.configuration.phones.houseVerbs.first(where: { $0.way == upstream.way }) else {
            return reject(.legacy, &step)
        }
        guard let asked = HouseOrder(text, upstream, first: step.configuration.panel.partitions.first ?? 1) else {
            return reject(.malformed, &step)
        }
        guard verbs.allowed.contains(asked.verb), let command = asked.command else {
            if asked.verb != .status && asked.verb != .ping { reject(.legacy, &step) }
            return
        }
        // A job that brings a code brings the panel's, as the original's did.
        let bringsCode = upstream.way == .beanstalk && asked.code != nil
        let wanted = verbs.code ?? (bringsCode ? step.configuration.panel.masterCode : nil)
        if asked.verb == .disarm, let code = wanted {
            // Of its own: wrong codes in the queue keep nobody at the broker from disarming.
            let lock: WritableKeyPath<Commands, CodeLock> = upstream.way == .mqtt ? \.brokerLock : \.tubeLock
            guard self[keyPath: lock].mayTry(at: step.now.boot) else { return reject(.tooMany, &step) }
            guard let given = asked.code, ConstantTime.equal(Array(given.revealed.utf8), Array(code.revealed.utf8))
            else {
                if self[keyPath: lock].failed(at: step.now.boot) {
                    step.note(
                        .fault, .phoneLocked,
                        "Five wrong codes came by \(upstream.way.words); it may not disarm for 15 minutes.")
                }
                return step.note(
                    .response, .phoneDenied, "Disarming by \(upstream.way.words) refused: the code is wrong.")
            }
            self[keyPath: lock] = CodeLock()
        }
        guard step.isStoreGood, step.life == .running, mayCommand(.house(upstream.way), &step) else {
            return reject(.tooMany, &step)
        }
        let actor = Actor(name: upstream.way.words, device: "house")
        let entry = accept(command, from: .house(upstream.way), by: actor, asked: upstream.way.words, &step)
        step.wait(.carryOut(step.order(entry.id, command)))
    }
}
