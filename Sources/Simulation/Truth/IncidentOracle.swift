import AlarmModel
import PanelLink
import Simulators

/// Compares what people are told, shown and answered with what really happened at the panel.
///
/// The oracle knows bounds only. A statement is false if nothing that the box may still have to hear could make it true:
/// `heardUpTo` is the time up to which the box has certainly heard everything.
struct IncidentOracle: Sendable {
    /// An event as it goes out to people.
    struct Statement: Sendable {
        var event: Event
        /// Subject of the notice, as people get it.
        var subject: NoticeSubject
        var contactID: ContactID?
    }

    /// An address that alarms go to.
    struct Recipient: Sendable {
        var address: AddressID
        /// Time since which the address is in use.
        var since: BootTime
        /// False for programs that chose the classes of events that they get.
        var hearsEnds: Bool
    }

    /// Extent to which the box can hear the panel.
    struct Hearing: Sendable {
        /// Nothing keeps the panel's next line from being heard and stored.
        var isPossible: Bool
        /// All that the panel has said so far is heard and stored.
        var isComplete: Bool
    }

    /// A broken promise. `what` tells several ways to break one promise apart.
    struct Untruth: Sendable {
        var promise: Violation.Promise
        var what: String
        var detail: String
    }

    /// Addresses that were notified of one incident.
    private struct Account: Sendable {
        var incident: IncidentLedger.Incident
        /// Time of the first sign of it that the box could hear; nil while there is none.
        var sign: BootTime?
        var told: Set<AddressID> = []
        var endTold: [AddressID: Int] = [:]
        /// Those who heard that a zone of it is quiet again (602) as their first word of it. Nobody owes them an end.
        var heardByRestore: Set<AddressID> = []
        /// The box may take the one before it and this one for one, because it may not have heard the end between.
        var isContinuation = false
        /// Nothing is owed any more.
        var isSettled = false
        /// The panel showed nothing of it any more when the box last heard everything. What raises it in a gap nobody hears.
        var wasHidden = false
        /// The memory light was lit already as it began.
        var beganInMemory: Bool
    }

    /// Time after which a notice of an incident, or of its end, is late.
    static let patience = Duration.seconds(60)

    private var accounts: [Account] = []
    private var heardUpTo = BootTime.zero
    /// The memory light as the box could see it last: lit once, it shows no further alarm.
    private var wasMemoryLit = false
    private var hearsSince: BootTime?
    private var keybusWasDead = BootTime.zero - .hours(1)
    /// Times in which the module did not hear the panel: what a partition did then comes out later, or never.
    private var deadKeybus: [ClosedRange<BootTime>] = []
    /// nil while the module hears the panel.
    private var keybusDiedAt: BootTime?
    private var lastLook = BootTime.zero
    private var orders = OrderOracle()

    // MARK: What people are told

    /// The box decides to tell somebody this.
    func check(_ statement: Statement, _ ledger: IncidentLedger, at now: BootTime) -> [Untruth] {
        let event = statement.event
        var untruths: [Untruth] = []
        func claim(_ what: String, _ isTrue: Bool) {
            guard !isTrue else { return }
            untruths.append(
                Untruth(
                    promise: .claimsAreTrue, what: what,
                    detail: "\(event.raw) is told as \(statement.subject.rawValue) of type \(event.type.rawValue), "
                        + "and the panel knows of no such thing since \((heardUpTo - .zero).milliseconds) ms"))
        }
        let changes = ledger.changes.filter {
            ($0.at >= heardUpTo || isOverlooked($0, ledger))
                && (event.partition == nil || $0.partition == event.partition)
        }
        let isDisarmed =
            changes.contains(where: \.isDisarming) || orders.isDisarming(event.partition, since: now - .seconds(45))
        let isArmed = changes.contains(where: \.isArming)
        let open = event.partition.flatMap { ledger.openIncident($0) }
        let ended = ledger.incidents.filter {
            $0.partition == event.partition && $0.endedAt.map { $0 >= heardUpTo } ?? false
        }
        if statement.subject == .alarmEnded { claim("alarm ended by disarming", isDisarmed) }
        if event.type == .disarmed { claim("disarmed", isDisarmed) }
        if statement.subject == .armed { claim("armed", isArmed) }
        if let open, !open.isHidden, open.began < heardUpTo, ended.isEmpty, event.zone.map(open.zones.contains) ?? true,
            statement.subject == .zoneRestored
        {
            claim("restored while the incident is open", mayBeOfEarlier(open, event.zone, ledger))
        }
        if event.flags.contains(.endsAlarm) {
            let isAnyOverlooked = changes.contains { isOverlooked($0, ledger) }
            claim("end of an alarm", isAnyOverlooked || !owedEnds(event.partition, ended).isEmpty)
        }
        if statement.subject == .wrongCode {
            claim("wrong code at a keypad", ledger.wrongCodes.contains { $0.at >= heardUpTo && $0.source == .keypad })
        }
        if event.code == EventCode.keybusLost.rawValue, event.type == .alarm {
            claim("panel cut off from its module", keybusWasDead >= min(heardUpTo, now - .minutes(3)))
        }
        if event.code == "601", let zone = event.zone {
            let incidents = ended + [open].compactMap { $0 }
            claim("alarm of a zone", incidents.contains { $0.zones.contains(zone) })
        }
        if statement.contactID?.code == 401 {
            let isOpening = statement.contactID?.qualifier == .new
            claim(
                isOpening ? "opening told to the receiver" : "closing told to the receiver",
                isOpening ? isDisarmed : isArmed)
        }
        return untruths
    }

    /// True if the box heard nothing of this incident, and an earlier one has the same zone: a 602 may be that one's.
    private func mayBeOfEarlier(
        _ incident: IncidentLedger.Incident, _ zone: Int?, _ ledger: IncidentLedger
    ) -> Bool {
        let account = accounts.first { $0.incident.number == incident.number }
        guard let zone, account?.sign == nil else { return false }
        return ledger.incidents.contains {
            $0.partition == incident.partition && $0.number < incident.number && $0.zones.contains(zone)
        }
    }

    /// The last arming or disarming of the partition that the box could hear of, in a time of a dead keybus.
    private func isOverlooked(_ change: IncidentLedger.Change, _ ledger: IncidentLedger) -> Bool {
        guard deadKeybus.contains(where: { $0.contains(change.at) }) else { return false }
        return !ledger.changes.contains {
            $0.partition == change.partition && ($0.isArming || $0.isDisarming) && $0.at > change.at
                && $0.at < heardUpTo
        }
    }

    /// Ends of which somebody may be told now, of one partition.
    private func owedEnds(_ partition: Int?, _ ended: [IncidentLedger.Incident]) -> [Int] {
        accounts.indices.filter { index in
            let account = accounts[index]
            guard account.incident.partition == partition else { return false }
            if account.incident.isHidden || account.wasHidden { return true }
            guard account.incident.endedAt != nil else { return false }
            return ended.contains { $0.number == account.incident.number } || !account.isSettled
                || account.endTold.isEmpty
        }
    }

    /// The event will reach these addresses for certain.
    mutating func told(_ event: Event, to addresses: [AddressID], _ ledger: IncidentLedger) -> [Untruth] {
        if event.flags.contains(.endsAlarm) {
            // The oracle cannot know which alarm the box takes to have ended.
            let isAnyOverlooked = ledger.changes.contains {
                $0.partition == event.partition && isOverlooked($0, ledger)
            }
            guard isAnyOverlooked else { return toldEnd(of: event, to: addresses) }
            for index in accounts.indices where accounts[index].incident.partition == event.partition {
                for address in addresses { accounts[index].endTold[address] = 1 }
            }
            return []
        }
        guard event.type == .alarm, Self.isOfIncident(event) else { return [] }
        for index in accounts.indices {
            let incident = accounts[index].incident
            guard event.partition == nil || event.partition == incident.partition,
                incident.endedAt.map({ $0 >= heardUpTo }) ?? true || !accounts[index].isSettled
            else { continue }
            let isUnheard = event.code == EventCode.alarmUnheard.rawValue
            if isUnheard, event.zone != nil {
                accounts[index].heardByRestore.formUnion(addresses.filter { !accounts[index].told.contains($0) })
            }
            accounts[index].told.formUnion(addresses)
            // A silent alarm may have been told as over: a new alarm, which may be that one again, has an end of its own.
            let mayBeAgain = isUnheard && event.zone == nil && incident.kind == .silent
            let hasEnd = mayBeAgain || incident.isOpen && !(isUnheard && event.zone != nil)
            if hasEnd { for address in addresses { accounts[index].endTold[address] = nil } }
        }
        return []
    }

    private mutating func toldEnd(of event: Event, to addresses: [AddressID]) -> [Untruth] {
        let candidates = accounts.indices.filter {
            accounts[$0].incident.partition == event.partition
                && (accounts[$0].incident.endedAt != nil || accounts[$0].incident.isHidden)
        }
        for address in addresses {
            let owed = candidates.filter {
                !accounts[$0].isSettled && accounts[$0].endTold[address] == nil
            }
            // An alarm that showed no sign of itself may never be told apart from the next.
            guard let first = owed.first(where: { accounts[$0].sign != nil }) ?? owed.last ?? candidates.last else {
                continue
            }
            for index in owed where index < first { accounts[index].endTold[address] = 1 }
            accounts[first].endTold[address, default: 0] += 1
            // One end may stand for those that the box could not tell apart.
            var parts = 1
            for index in owed.drop(while: { $0 <= first }).prefix(while: { accounts[$0].isContinuation }) {
                accounts[index].endTold[address] = 1
            }
            for index in candidates.reversed() where index <= first {
                guard accounts[index].isContinuation else { break }
                parts += 1
            }
            guard accounts[first].endTold[address, default: 0] == parts + 1 else { continue }
            return [untruth(.endsAreTold, "end told twice", accounts[first].incident, "its end is told twice")]
        }
        return []
    }

    /// Events of alarm type that are about something else: codes, tampering, the box's own.
    private static func isOfIncident(_ event: Event) -> Bool {
        switch event.code {
        case "603", "829", "658", "670": false
        case "601", "621", "623", "625", "631", "654": true
        default: event.partition != nil
        }
    }

    // MARK: What is owed and shown

    /// - Parameter belief: state of the panel as the box shows it
    mutating func look(
        at belief: PanelState?, _ panel: PanelSimulator, _ hearing: Hearing, _ recipients: () -> [Recipient],
        at now: BootTime
    ) -> [Untruth] {
        noteKeybus(isAlive: panel.isKeybusAlive, at: now)
        follow(panel.ledger)
        hearsSince = hearing.isPossible ? hearsSince ?? now : nil
        var untruths = orders.look(panel.ledger)
        for index in accounts.indices where !accounts[index].isSettled {
            untruths += owed(index, panel, recipients, at: now)
        }
        if hearing.isPossible { wasMemoryLit = panel.isMemoryLit }
        if hearing.isComplete {
            heardUpTo = now
            for index in accounts.indices { accounts[index].wasHidden = accounts[index].incident.isHidden }
            if let belief { untruths += compare(belief, panel) }
        }
        return untruths
    }

    private mutating func noteKeybus(isAlive: Bool, at now: BootTime) {
        if !isAlive {
            keybusWasDead = now
            keybusDiedAt = keybusDiedAt ?? lastLook
        } else if let died = keybusDiedAt {
            deadKeybus.append(died...now)
            keybusDiedAt = nil
        }
        lastLook = now
    }

    private mutating func follow(_ ledger: IncidentLedger) {
        for incident in ledger.incidents.suffix(8) {
            if let index = accounts.lastIndex(where: { $0.incident.number == incident.number }) {
                accounts[index].incident = incident
                continue
            }
            var account = Account(incident: incident, beganInMemory: wasMemoryLit || incident.partition != 1)
            if let previous = accounts.lastIndex(where: { $0.incident.partition == incident.partition }),
                let end = accounts[previous].incident.endedAt, end >= heardUpTo
            {
                account.isContinuation = true
                account.told = accounts[previous].told
            }
            accounts.append(account)
        }
    }

    private mutating func owed(
        _ index: Int, _ panel: PanelSimulator, _ recipients: () -> [Recipient], at now: BootTime
    ) -> [Untruth] {
        let incident = accounts[index].incident
        guard let hearsSince else {
            accounts[index].sign = nil
            return []
        }
        let isNewest = accounts.last { $0.incident.partition == incident.partition }?.incident.number == incident.number
        if accounts[index].sign == nil {
            if incident.began >= hearsSince {
                accounts[index].sign = incident.began
            } else if isNewest, panel.showsAlarm(incident.partition, isMemoryNew: !wasMemoryLit) {
                accounts[index].sign = now
            }
        }
        // The box asks the panel once a minute, so it may overlook an alarm that the panel ceases to show.
        if accounts[index].told.isEmpty, incident.began < hearsSince,
            !panel.showsAlarm(incident.partition, isMemoryNew: true)
        {
            accounts[index].sign = nil
        }
        if let sign = accounts[index].sign, now - sign > Self.patience {
            let missing = recipients().first {
                $0.since < sign - .seconds(30) && !accounts[index].told.contains($0.address)
            }
            if let missing {
                accounts[index].isSettled = true
                return [
                    untruth(
                        .incidentsAreTold, "incident is not told", incident,
                        "address \(missing.address) is not told of it after \(now - sign)")
                ]
            }
        }
        guard let ended = incident.endedAt, now - max(ended, hearsSince) > Self.patience,
            !panel.ledger.isEndUntold(incident.partition, deadKeybus: deadKeybus)
        else { return [] }
        accounts[index].isSettled = true
        // An incident that was followed by another while nothing was heard, or by an arming, shows no end.
        let isKnowable = ended >= hearsSince || panel.status(of: incident.partition).isDisarmed
        guard isKnowable, isNewest, accounts[index].sign != nil else { return [] }
        let told = accounts[index].told
        let missing = recipients().first {
            $0.hearsEnds && told.contains($0.address) && accounts[index].endTold[$0.address] == nil
                && !accounts[index].heardByRestore.contains($0.address)
        }
        guard let missing else { return [] }
        let what = incident.end?.isByPerson == true ? "disarming is not told" : "end is not told"
        return [untruth(.endsAreTold, what, incident, "address \(missing.address) is not told of its end")]
    }

    private func compare(_ belief: PanelState, _ panel: PanelSimulator) -> [Untruth] {
        panel.house.partitions.flatMap { number -> [Untruth] in
            let isShown = belief.partition(number)?.isInAlarm ?? false
            let open = panel.ledger.openIncident(number)
            if let open, !isShown, !open.isHidden {
                let isTold = accounts.contains {
                    $0.incident.number == open.number && !$0.told.isEmpty && $0.sign != nil
                }
                return isTold
                    ? [untruth(.incidentsAreShown, "open incident is not shown", open, "it is not shown")] : []
            }
            // Where no memory light tells of it, nobody can know that it was armed again while nothing was heard.
            let last = panel.ledger.incidents.last { $0.partition == number }
            let mayBeSilent = accounts.contains {
                $0.incident.partition == number && $0.incident.kind == .silent && !$0.told.isEmpty && $0.endTold.isEmpty
            }
            let isInMemory = number == 1 && last?.kind != .silent && !mayBeSilent
            guard isShown, open == nil, isInMemory || panel.status(of: number).isDisarmed,
                !(last.map { isSilencedUnseen($0, panel.ledger) } ?? false),
                !panel.ledger.isEndUntold(number, deadKeybus: deadKeybus)
            else { return [] }
            return [
                Untruth(
                    promise: .incidentsAreShown, what: "incident is shown that is over",
                    detail: "partition \(number) is shown in alarm, and is not")
            ]
        }
    }

    /// Only a memory light that is lit anew tells that somebody has silenced a silent alarm, and one that is lit within 5 s may
    /// be one that comes with it. Without that nobody can know before the zone is quiet.
    private func isSilencedUnseen(_ incident: IncidentLedger.Incident, _ ledger: IncidentLedger) -> Bool {
        guard incident.kind == .silent, incident.restored == nil, let ended = incident.endedAt else { return false }
        if accounts.contains(where: { $0.incident.number == incident.number && $0.beganInMemory }) { return true }
        return ledger.changes.contains {
            $0.partition == incident.partition && $0.phase == .alarm && $0.at <= ended && ended - $0.at < .seconds(5)
        }
    }

    private func untruth(
        _ promise: Violation.Promise, _ what: String, _ incident: IncidentLedger.Incident, _ words: String
    ) -> Untruth {
        Untruth(
            promise: promise, what: what,
            detail: "incident \(incident.number), \(incident.kind.rawValue) in partition \(incident.partition) since "
                + "\((incident.began - .zero).milliseconds) ms: \(words)")
    }

    // MARK: Orders

    mutating func ordered(_ command: PanelCommand, _ id: UInt64, at now: BootTime) {
        orders.ordered(command, id, at: now)
    }

    mutating func ended(_ id: UInt64, _ outcome: Outcome, _ panel: PanelSimulator, at now: BootTime) -> [Untruth] {
        // A module that does not hear the panel may answer anything.
        keybusDiedAt == nil ? orders.ended(id, outcome, panel, at: now) : []
    }
}
