import PhoneProtocol

extension PairedPhone {
    /// An envelope came, by whatever way, as often as it likes.
    public mutating func received(_ envelope: [UInt8], at time: PhoneTime, into actions: inout [PhoneAction]) {
        guard let channel = secrets?.channel else { return }
        guard let message = try? channel.open(envelope, crypto) else {
            refused += 1
            return
        }
        take(message, at: time, &actions)
        work(at: time, &actions)
    }

    private mutating func take(_ message: BoxMessage, at time: PhoneTime, _ actions: inout [PhoneAction]) {
        let content = message.content
        switch message.kind {
        case .event:
            take(events: [content], at: time, &actions)
            moved(message.rid, isLast: isAnswered(message.rid), at: time)
        case .batch:
            guard let text = content.text("b"), let list = try? JSON(parsing: text).arrayValue else {
                refused += 1
                return
            }
            take(events: list, at: time, &actions)
            takeOldest(content)
            moved(message.rid, isLast: list.isEmpty || isAnswered(message.rid), at: time)
        case .status: take(status: message, at: time, &actions)
        case .list: take(list: message, at: time, &actions)
        case .picture:
            guard let picture = HousePicture(content) else {
                refused += 1
                return
            }
            actions += [.picture(picture), .changed]
        case .result: take(result: content, at: time, &actions)
        case .probe: if let nonce = content.text("nonce") { receipt("n=\(nonce)") }
        case .welcome:
            takeStanding(content)
            memory.roles = memory.roles ?? []
            memory.commandAddresses = content.text("cmds")
            if let name = content.text("name") { memory.siteName = name }
            take(status: message, at: time, &actions)
            receipt(memory.log.contiguous.map { "log=\($0.logText);seq=\($0.seq)" } ?? "seq=0")
            actions += [.store, .welcomed]
        case .bye:
            secrets = nil
            memory.hasLeft = true
            requests = []
            for command in live { end(command, .failed("no contact"), &actions) }
            live = []
            actions += [.store, .left]
        }
    }

    private mutating func take(events: [JSON], at time: PhoneTime, _ actions: inout [PhoneAction]) {
        var hasChanged = false
        for content in events {
            guard let event = HouseEvent(content) else {
                refused += 1
                continue
            }
            if event.position == nil, let log = LogPosition.log(content.text("log")), let known = memory.log.log,
                log < known
            {
                continue
            }
            let held = memory.log.newestPosition
            let arrival = memory.log.add(event)
            switch arrival {
            case .new, .merged:
                memory.view.heard(event, held: held, at: time)
                hasChanged = true
                if arrival == .new {
                    actions.append(.arrived(event))
                } else if let row = event.position.flatMap({ memory.log.event(at: $0) }) {
                    actions.append(.numbered(row))
                }
            case .contradiction:
                memory.view.contradicted()
                hasChanged = true
            case .outdated, .unplaceable: continue
            case .duplicate: break
            }
            // Also for a duplicate: the first receipt may be lost, and the box repeats the alarm until it has one.
            // Everything of that class carries a mark; a duress notice calls itself something else.
            // Not before the welcome: the box takes the first receipt for the welcome's, and would not repeat it.
            // A test asks whether it is there.
            let wantsReceipt = event.isAlarm || event.mark != nil || event.code == "TEST"
            if memory.roles != nil, wantsReceipt, !event.isRepeat { receipt(for: event) }
        }
        // The newest event was told without the state after it.
        if let newest = memory.log.newestPosition, memory.view.position.map({ $0 < newest }) ?? true, hasChanged,
            memory.log.events.last?.state == nil
        {
            wantState(at: time)
        }
        if hasChanged { actions += [.store, .changed] }
    }

    private mutating func take(status message: BoxMessage, at time: PhoneTime, _ actions: inout [PhoneAction]) {
        guard let status = BoxStatus(message.content) else {
            refused += 1
            return
        }
        let request = requests.first { $0.rid == message.rid }
        if let text = message.content.text("ch"), let bytes = try? Base64URL.decode(text) {
            // Without a request of ours nobody knows how old it is; the box will say so.
            if let request { challenge = HeldChallenge(bytes: bytes, since: request.sentAt) }
        }
        if let counter = Decimal.read(message.content.text("ctr")) { memory.counter = max(memory.counter, counter) }
        let held = memory.log.newestPosition
        let counted = memory.view.heard(status, answering: request?.anchor, held: held, at: time)
        if counted {
            _ = memory.log.heard(status.position, oldestKept: status.oldestKept)
            isPushGone = status.isPushGone
            // An answer tells it, a sign of life does not.
            if request != nil, memory.roles != nil { takeStanding(message.content) }
        }
        if let request, request.kind == .ping {
            pingTriesLeft = 0
            if let position = request.position { receipts.confirmed(upTo: position) }
        }
        moved(message.rid, isLast: true, at: time)
        actions += [.store, .changed]
    }

    /// What the phone may do, and with which key it subscribes. A status of an older box says neither.
    private mutating func takeStanding(_ content: JSON) {
        guard let roles = content.text("roles") else { return }
        memory.roles = roles.split(separator: ",").map(String.init)
        memory.pushKey = content.text("vapid")
    }

    private mutating func takeOldest(_ content: JSON) {
        guard let log = memory.log.log, LogPosition.log(content.text("log")) ?? log == log,
            let from = Decimal.read(content.text("from"))
        else { return }
        _ = memory.log.heard(LogPosition(log: log, seq: 0), oldestKept: from)
    }

    /// Whether everything that this `sync` asked for is there.
    private func isAnswered(_ rid: [UInt8]?) -> Bool {
        guard let page = requests.first(where: { $0.rid == rid })?.page else { return false }
        return !memory.log.lacks(page)
    }

    private mutating func receipt(for event: HouseEvent) {
        if let position = event.position {
            receipts.add(position)
        } else if let mark = event.mark {
            receipt("u=\(mark)")
        }
    }

    /// Later ones wait for their turn.
    private mutating func receipt(_ arguments: String) {
        if Arguments(parsing: arguments) != nil { receipts.add(arguments) }
    }
}
