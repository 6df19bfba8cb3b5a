import PhoneProtocol

extension PairedPhone {
    private static var minute: Int64 { 60_000 }
    /// A minute; the box takes 30 from each phone.
    private static var budget: Int { 25 }

    func isOpen(_ kind: OpenRequest.Kind) -> Bool { requests.contains { $0.kind == kind } }

    /// Requests in a minute up to which a ping for the state is not held back.
    private static var freePings: Int { 8 }
    /// In a flood of alarms, so many of the budget are for receipts alone.
    private static var reserve: Int { 10 }

    func hasBudget(at time: PhoneTime) -> Bool { hasBudget(Self.budget, at: time) }

    private func hasBudget(_ limit: Int, at time: PhoneTime) -> Bool {
        sentAt.filter { time.uptime - $0 < Self.minute }.count < limit
    }

    /// Uptime from which something may be asked again.
    var budgetFrees: Int64 { budgetFrees(Self.budget) }

    /// The same for what closes gaps.
    var fillingBudgetFrees: Int64 { budgetFrees(fillingBudget) }

    private func budgetFrees(_ limit: Int) -> Int64 {
        sentAt.count < limit ? 0 : sentAt[sentAt.count - limit] + Self.minute
    }

    private var fillingBudget: Int { receipts.isBusy ? Self.budget - Self.reserve : Self.budget }

    mutating func wantPing(at time: PhoneTime) {
        wantsPing = true
        pingTriesLeft = max(pingTriesLeft, 1)
        nextPing = time.uptime
    }

    /// An event came without the state after it. In a flood each does: then what is left of the budget is for receipts
    /// and gaps.
    mutating func wantState(at time: PhoneTime) {
        let isFlood = sentAt.count { time.uptime - $0 < Self.minute } >= Self.freePings
        let earliest = isFlood ? max(time.uptime, receipts.nextPing) : time.uptime
        nextPing = wantsPing ? min(nextPing, earliest) : earliest
        wantsPing = true
        pingTriesLeft = max(pingTriesLeft, 1)
    }

    /// False when it must wait.
    mutating func ping(at time: PhoneTime, _ actions: inout [PhoneAction]) -> Bool {
        var position = Arguments()
        let held = memory.log.contiguous
        if let held { position = Arguments(["log": held.logText, "seq": "\(held.seq)"]) }
        guard ask(.ping, position, position: held, at: time, &actions) else { return false }
        receipts.pinged(at: time.uptime)
        return true
    }

    @discardableResult
    mutating func ask(
        _ kind: OpenRequest.Kind, _ arguments: Arguments, page: ClosedRange<Int64>? = nil,
        position: LogPosition? = nil, list: BoxList? = nil, pictures: PicturesAnswer.Wish? = nil, at time: PhoneTime,
        _ actions: inout [PhoneAction]
    ) -> Bool {
        guard !isOpen(kind), hasBudget(at: time) else { return false }
        let verb =
            switch kind {
            case .ping: "ping"
            case .sync: "sync"
            case .snapshot: "snapshot"
            case .list: "list"
            case .picture: "picture"
            }
        let patience = kind == .picture ? OpenRequest.picturePatience : OpenRequest.patience
        let rid = newRid()
        requests.append(
            OpenRequest(
                kind: kind, rid: rid, anchor: memory.view.anchor(at: time), sentAt: time.uptime,
                deadline: time.uptime + patience, missing: memory.log.missingCount,
                page: page, position: position, list: list, pictures: pictures))
        send(verb, rid: rid, arguments, at: time, &actions)
        return true
    }

    /// Tells the box what is here.
    mutating func sendReceipts(at time: PhoneTime, _ actions: inout [PhoneAction]) {
        while hasBudget(at: time), let receipt = receipts.takeOther() {
            send("got", rid: newRid(), Arguments(parsing: receipt) ?? Arguments(), at: time, &actions)
        }
        if receipts.nextPing <= time.uptime, receipts.wantsPing(memory.log.contiguous) { _ = ping(at: time, &actions) }
        while hasBudget(at: time) {
            let places = receipts.takeNumbers(notIn: confirming(at: time), at: time.uptime)
            guard let first = places.first else { break }
            let numbers = places.map { "\($0.seq)" }.joined(separator: ",")
            send("got", rid: newRid(), Arguments(["log": first.logText, "seq": numbers]), at: time, &actions)
        }
    }

    /// Uptime from which `sendReceipts` has something to do, but for the budget.
    var receiptsDue: Int64? {
        if !receipts.others.isEmpty { return 0 }
        let ping = !isOpen(.ping) && receipts.wantsPing(memory.log.contiguous) ? receipts.nextPing : nil
        guard let open = requests.first(where: { $0.kind == .ping }), let position = open.position else {
            return [ping, receipts.nextSingle(notIn: nil)].compactMap { $0 }.min()
        }
        let late = receipts.nextSingle(notIn: nil).map { max($0, open.sentAt + Self.pingPatience) }
        return [ping, receipts.nextSingle(notIn: position), late].compactMap { $0 }.min()
    }

    /// A box that has not answered by then may have been restarted: what the ping told may be lost.
    private static var pingPatience: Int64 { 3_000 }

    /// Up to where an open ping tells what is here.
    private func confirming(at time: PhoneTime) -> LogPosition? {
        requests.first { $0.kind == .ping && time.uptime - $0.sentAt < Self.pingPatience }?.position
    }

    mutating func send(
        _ verb: String, rid: [UInt8], _ arguments: Arguments, at time: PhoneTime, _ actions: inout [PhoneAction]
    ) {
        guard let channel = secrets?.channel,
            let envelope = try? channel.seal(PhoneRequest(verb: verb, rid: rid, arguments: arguments), &crypto)
        else { return }
        sentAt.removeAll { time.uptime - $0 >= Self.minute }
        sentAt.append(time.uptime)
        actions.append(.send(envelope))
    }

    /// Eight random bytes, not all zero: zeros mean "no request".
    mutating func newRid() -> [UInt8] {
        let bytes = crypto.random(8)
        return bytes.contains { $0 != 0 } ? bytes : [1] + bytes.dropFirst()
    }

    /// Nobody answered, or no more comes.
    mutating func endRequests(at time: PhoneTime, _ actions: inout [PhoneAction]) {
        for request in requests where request.deadline <= time.uptime {
            switch request.kind {
            case .ping:
                guard pingTriesLeft > 0 else { continue }
                pingTriesLeft -= 1
                wantsPing = true
                nextPing = time.uptime
            case .sync:
                if request.hasMoved { filling.due = time.uptime } else { filling.failed(at: time.uptime) }
            case .snapshot, .list: continue
            case .picture: if let wish = request.pictures { tell(wish, .unanswered, &actions) }
            }
        }
        requests.removeAll { $0.deadline <= time.uptime }
    }

    /// The next step to close the gaps of the log.
    mutating func fill(at time: PhoneTime, _ actions: inout [PhoneAction]) {
        guard let page = memory.log.nextPage, let log = memory.log.log else {
            filling = GapFilling()
            return
        }
        guard let due = filling.due else {
            filling.due = time.uptime + GapFilling.settle
            return
        }
        guard due <= time.uptime, !isOpen(.ping), !isOpen(.sync), hasBudget(fillingBudget, at: time) else { return }
        guard filling.hasPinged else {
            if ping(at: time, &actions) { filling.hasPinged = true }
            return
        }
        let place = LogPosition(log: log, seq: page.lowerBound)
        ask(
            .sync, Arguments(["log": place.logText, "from": "\(page.lowerBound)", "max": "\(page.count)"]),
            page: page, at: time, &actions)
    }

    /// A part of the answer to an open request has come; `isLast` when nothing follows.
    mutating func moved(_ rid: [UInt8]?, isLast: Bool, at time: PhoneTime) {
        guard let index = requests.firstIndex(where: { $0.rid == rid }) else { return }
        let missing = memory.log.missingCount
        if missing < requests[index].missing {
            requests[index].missing = missing
            requests[index].hasMoved = true
            filling.failures = 0
        }
        requests[index].deadline = max(requests[index].deadline, time.uptime + OpenRequest.pause)
        if requests[index].kind == .sync, requests[index].hasMoved {
            requests[index].deadline = time.uptime + OpenRequest.pause
        }
        guard isLast else { return }
        if requests[index].kind == .sync {
            if requests[index].hasMoved { filling.due = time.uptime } else { filling.failed(at: time.uptime) }
        }
        requests.remove(at: index)
    }
}
