package import AlarmModel
package import PhoneLink

/// From an event to its messages, and from their commit to the queue.
extension Outbox {
    /// The phone book, at the start and after each change. Messages to addresses that have left it are given up; those
    /// to addresses that no channel carries now stay in the store until one does.
    /// - Parameter channels: the channels that exist
    package mutating func update(_ book: PhoneBook, channels: [ChannelKind], at now: Moment) {
        let routes = OutboxRoute.all(in: book, channels: channels)
        let gone = OutboxRoute.gone(in: book)
        if !knowsBook {
            // A power cut may have come between the loss of an address and the end of its rows.
            for address in gone { kill(address, why: Self.unregistered) }
            knowsBook = true
        }
        let known = OutboxRoute.known(in: book)
        for line in lines where !routes.contains(where: { $0.address == line.route.address }) {
            let address = line.route.address
            if gone.contains(address) {
                dropped(address, why: Self.unregistered, at: now)
            } else if known.contains(address) {
                layAside(address, at: now)
            } else {
                dropped(address, why: Self.removed, at: now)
            }
        }
        for former in uncarried where !known.contains(former.address) {
            kill(former.address, why: Self.removed, after: former.unheld?.lastBatch)
        }
        for route in routes {
            if let index = lineIndex(route.address) {
                let before = lines[index].route.channel
                lines[index].route = route
                if before != route.channel { redirect(route) }
            } else {
                dying.removeAll { $0.address == route.address }
                var line = OutboxLine(route)
                let former = uncarried.first { $0.address == route.address }
                line.unheld = former?.unheld
                lines.insert(line, at: lines.slot { $0.route.address < route.address })
                for item in former?.rowless ?? [] { insert(item) }
                redirect(route)
            }
        }
        uncarried = known.filter { !gone.contains($0) && lineIndex($0) == nil }.map { address in
            uncarried.first { $0.address == address } ?? Uncarried(address: address)
        }
    }

    /// No channel carries this address now: its messages are the store's alone, but for those without a row.
    private mutating func layAside(_ address: AddressID, at now: Moment) {
        #if SABOTAGE
            if sabotage == .takenOutWayDropsMessages {
                dropped(address, why: Self.removed, at: now)
                return
            }
        #endif
        var rowless: [OutboxItem] = []
        for message in items.filter({ $0.address == address }).map(\.message) {
            guard let index = index(of: message) else { continue }
            var item = remove(at: index)
            if item.isRowless {
                item.stage = .waiting
                rowless.append(item)
            } else {
                leave(item)
            }
        }
        guard let index = lineIndex(address) else { return }
        uncarried.append(Uncarried(address: address, unheld: lines.remove(at: index).unheld, rowless: rowless))
    }

    /// Another channel carries this address now. What the former one has it keeps until it answers or gives it back:
    /// who had it twice would send it twice.
    private mutating func redirect(_ route: OutboxRoute) {
        for message in items.filter({ $0.address == route.address }).map(\.message) {
            guard let index = index(of: message) else { continue }
            change(index) { item in
                switch item.stage {
                case .handed, .underWay: break
                case .waiting, .awaiting, .mayBounce: item.channel = route.channel
                }
            }
        }
    }

    static var unregistered: String { "phone unregistered" }
    private static var removed: String { "the phone's address was removed" }

    /// An event of this step: its messages, for `Batch.outbox`.
    /// - Parameters:
    ///   - index: of the event in the batch
    ///   - legacyType: the type that HowAlarming gives to the event's code (docs/messages.md B.2)
    ///   - healthy: the channels that may be relied on at this moment
    ///   - audience: of an event that is told whatever its class is; nil for all others
    ///   - picture: what is told instead of the event
    package mutating func post(
        _ event: Event, index: Int, batch: BatchID, legacyType: EventType, healthy: [ChannelKind],
        audience: OutboxAudience? = nil, picture: PictureReference? = nil, at now: Moment
    ) -> [OutboxRow] {
        let receivers = lines.indices.filter { index in
            let route = lines[index].route
            #if SABOTAGE
                if sabotage == .tellsDuressToAll, event.flags.contains(.duress) { return true }
                if sabotage == .duressToHouse, event.flags.contains(.duress), case .house = route.receiver {
                    return true
                }
            #endif
            let isTaken = route.takes(event, legacyType: legacyType)
            guard let audience, !event.flags.contains(.maintenance), !event.flags.contains(.duress) else {
                return isTaken
            }
            return audience.includes(route, isTaken: isTaken, isFault: event.type == .fault)
        }
        guard !receivers.isEmpty else { return [] }
        let lifetime = picture == nil ? policy.lifetime(event) : OutboxPolicy.pictureLifetime
        #if SABOTAGE
            let isAlarm = event.priority == .alarm && sabotage != .alarmByFirstChannelOnly
        #else
            let isAlarm = event.priority == .alarm
        #endif
        let isByAllChannels = isAlarm || audience == .everywhere
        let fallbacks = isByAllChannels ? [] : fallbacks(receivers, healthy: healthy)
        let shared = SharedEvent(event, picture)
        var rows: [OutboxRow] = []
        for receiver in receivers {
            let line = lines[receiver]
            var item = OutboxItem(
                message: MessageID(boot: bootMark, counter: nextCounter), address: line.route.address,
                channel: line.route.channel, event: shared, serial: nextSerial,
                wantsReceipt: (event.priority == .alarm || event.isTest) && line.route.phone != nil,
                origin: OutboxItem.Origin(batch: batch, index: index), expiresAt: now.wall + lifetime,
                expiresAtBoot: now.boot + lifetime)
            if fallbacks.contains(receiver) {
                item.isFallback = true
                item.notBefore = now.boot + policy.fallbackDelay
                #if SABOTAGE
                    if sabotage == .fallbackNeverSent { item.notBefore = now.boot + .hours(24) }
                    if sabotage == .alarmByFirstChannelOnly, event.priority == .alarm { continue }
                #endif
            }
            // The panel names who did it a moment behind the change (750).
            if event.flags.contains(.endsAlarm) || event.type == .disarmed, line.route.phone == nil {
                item.notBefore = max(item.notBefore, now.boot + policy.endOfAlarmPause)
            }
            nextCounter += 1
            nextSerial += 1
            rows.append(
                OutboxRow(
                    message: item.message, address: item.address, event: index, priority: event.priority,
                    createdAt: now.wall, expiresAt: item.expiresAt, picture: picture))
            // What waits in the store comes before it.
            let isBehindStore = line.unheld != nil || line.horizon.map { $0 <= item.place } ?? false
            if event.priority != .alarm, isBehindStore, canRead {
                leave(item)
            } else {
                hold(item)
            }
        }
        return rows
    }

    /// Everything up to this batch is durable.
    /// - Parameter sequence: the number that the event of this batch and index got; nil for duress
    package mutating func committed(upTo id: BatchID, sequence: (BatchID, Int) -> SequenceNumber?) {
        changes.committed(upTo: id)
        for index in lines.indices { lines[index].committed(upTo: id, sequence: sequence) }
        for index in uncarried.indices where uncarried[index].unheld.map({ $0.lastBatch <= id }) ?? false {
            uncarried[index].unheld = nil
        }
        for index in dying.indices where dying[index].after.map({ $0 <= id }) ?? false { dying[index].after = nil }
        guard uncommitted > 0 else { return }
        for message in items.filter({ $0.origin.map { $0.batch <= id } ?? false }).map(\.message) {
            guard let index = index(of: message) else { continue }
            change(index) { item in
                if let origin = item.origin, !item.isDuress { item.seq = sequence(origin.batch, origin.index) }
                item.origin = nil
            }
        }
        shrink()
    }

    /// The store refused this batch for good. Its alarms leave all the same; the rest of its messages is forgotten.
    /// - Parameter isWhole: false when only its events are refused, and its changes of state are still tried
    package mutating func setAside(_ id: BatchID, isWhole: Bool) {
        if isWhole { changes.setAside(id) }
        for message in items.filter({ $0.origin?.batch == id }).map(\.message) {
            guard let index = index(of: message) else { continue }
            if items[index].priority == .alarm {
                change(index) { item in
                    item.origin = nil
                    item.isRowless = true
                }
            } else {
                remove(at: index)
            }
        }
    }

    // MARK: Memory

    /// Takes a message into memory, in the place of a less important one if need be.
    @discardableResult
    mutating func hold(_ item: OutboxItem) -> Bool {
        if items.count >= policy.memoryLimit, !makeRoom(for: item.order) {
            // Nothing but alarms and what is under way: then an alarm that no disk has may still come in.
            let isUnstoredAlarm = item.priority == .alarm && !item.isCommitted
            guard isUnstoredAlarm, items.count < policy.unstoredLimit else {
                leave(item)
                return false
            }
        }
        insert(item)
        return true
    }

    /// Forgets the least important message that the store has or will have, if it comes after `order`.
    private mutating func makeRoom(for order: OutboxItem.Order) -> Bool {
        // Looked at in place: a copy of each item would be what a burst of alarms costs most.
        for index in items.indices.reversed() {
            guard order < items[index].order else { return false }
            guard items[index].stage == .waiting, !items[index].isRowless,
                items[index].isCommitted || items[index].priority != .alarm
            else { continue }
            leave(remove(at: index))
            return true
        }
        return false
    }

    private mutating func shrink() {
        while items.count > policy.memoryLimit {
            let victim = items.lastIndex { $0.stage == .waiting && !$0.isRowless && $0.isCommitted }
            guard let victim else { return }
            leave(remove(at: victim))
        }
    }

    /// It is in the store, or will be.
    private mutating func leave(_ item: OutboxItem) {
        guard let index = lineIndex(item.address) else { return }
        if let origin = item.origin {
            lines[index].leaveToCommit(item.priority, origin)
        } else {
            lines[index].leaveInStore(item.place)
        }
    }
}
