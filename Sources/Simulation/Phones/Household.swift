import AlarmModel
import ApplianceCore
import Companion
import PhoneProtocol
import Simulators

/// The phones of the house, the air between them and the push service, who listens there, and how somebody at the box
/// pairs them.
///
/// Guarantees: a phone that is off does nothing, and what it has stored it never loses; it acts when it is due and once for
/// each time; nothing passes that the attacker does not let pass; one phone is paired at a time.
struct Household: Sendable {
    typealias Phone = VirtualPhone<ToyCrypto>

    /// What a phone wants of the push service.
    enum Call: Sendable {
        case registers(String, PushClient)
        case isOnline(String, Bool)
    }

    /// What somebody at the box has to do, or has been told.
    enum PairingStep: Sendable {
        case showsCode(to: Int)
        case isPaired(PhoneID)
    }

    private(set) var phones: [HousePhone]
    private(set) var attacker = Attacker()
    private(set) var affair: PairingAffair?

    /// What came to phones by their topics and their browsers.
    private(set) var deliveries = 0

    init(_ phones: [HousePhone]) { self.phones = phones }

    /// All of its phones do.
    var isByTopics: Bool { phones.contains { $0.topics != nil } }

    mutating func changeLife(of index: Int, _ change: (inout TopicLife) -> Void) {
        guard var life = phones[index].topics else { return }
        change(&life)
        phones[index].topics = life
    }

    var indices: Range<Int> { phones.indices }
    func index(of token: String) -> Int? { phones.firstIndex { $0.token == token } }

    // MARK: What the phones do

    /// Lets a phone act. What it has stored is kept; the lines that it tells are given to `call`, one by one, and then
    /// its timer is set.
    mutating func turn(
        _ index: Int, at now: BootTime, _ act: (inout Phone, Moment, inout [Phone.Action]) -> Void
    ) -> [JSON] {
        guard phones[index].isOn else { return [] }
        var actions: [Phone.Action] = []
        act(&phones[index].app, SimulatedClock.right(at: now), &actions)
        var lines: [JSON] = []
        for action in actions {
            switch action {
            case .tell(let line): lines.append(line)
            case .print, .quit: break
            case .store: phones[index].store()
            }
        }
        return lines
    }

    /// The newest commands that it has signed.
    func signed(by index: Int) -> [(name: PhoneShelf.Spent, command: HouseCommand)] {
        guard phones[index].isOn, let id = phones[index].id, let memory = phones[index].app.phone?.memory else {
            return []
        }
        return memory.commands.suffix(8).compactMap { record in
            guard let counter = record.counter, let number = UInt64(exactly: counter) else { return nil }
            return (PhoneShelf.Spent(phone: id, counter: number), record.command)
        }
    }

    /// A phone says something; a message is under way then.
    mutating func call(
        _ line: JSON, from index: Int, isCommand: Bool, at now: BootTime, _ chance: inout Jitter,
        _ agenda: inout Agenda
    ) -> Call? {
        if line["hello"] != nil {
            return .registers(phones[index].token, PushClient(kind: phones[index].kind, category: "house.app"))
        }
        if let isOnline = line["online"]?.boolValue { return .isOnline(phones[index].token, isOnline) }
        guard let message = line["send"], let id = message["id"]?.stringValue, let data = message["data"],
            attacker.lets(data, from: index, isCommand: isCommand, at: now, &chance)
        else { return nil }
        agenda.add(
            .pushTakes(phone: index, id: "\(index)-\(id)-\(phones[index].restarts)", data),
            at: now + Self.delay(&chance))
        return nil
    }

    mutating func setTimer(_ index: Int, at now: BootTime, _ agenda: inout Agenda) {
        guard phones[index].isOn, let next = phones[index].app.nextDeadline else { return }
        let due = max(next, now + .milliseconds(1))
        guard phones[index].timerAt.map({ due < $0 }) ?? true else { return }
        phones[index].timerAt = due
        agenda.add(.phoneTimer(index, due), at: due)
    }

    /// False for a timer that was set anew meanwhile.
    mutating func takesTimer(_ index: Int, _ time: BootTime) -> Bool {
        guard phones[index].timerAt == time else { return false }
        phones[index].timerAt = nil
        return true
    }

    // MARK: What reaches them

    /// A message of the push service is on its way to a phone.
    mutating func deliver(
        _ data: JSON, to token: String, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        if let index = index(of: token) { pass(data, to: index, at: now, &chance, &agenda) }
    }

    private mutating func pass(
        _ data: JSON, to index: Int, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard attacker.lets(data, to: index, at: now, &chance) else { return }
        agenda.add(.phoneHears(index, Self.message(data)), at: now + Self.delay(&chance))
    }

    /// The same by its topic or its browser.
    mutating func deliver(
        _ envelope: String, to index: Int, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        deliveries += 1
        pass(.object(["e": .string(envelope)]), to: index, at: now, &chance, &agenda)
    }

    private static func message(_ data: JSON) -> JSON { .object(["message": .object(["data": data])]) }

    func tell(_ token: String, _ line: JSON, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda) {
        guard let index = index(of: token) else { return }
        agenda.add(.phoneHears(index, line), at: now + Self.delay(&chance))
    }

    private static func delay(_ chance: inout Jitter) -> Duration {
        chance.duration(in: .milliseconds(20)..<(.milliseconds(400)))
    }

    // MARK: What befalls

    mutating func switchOff(_ index: Int) {
        phones[index].isOn = false
        closePage(of: index)
    }
    mutating func closePage(of index: Int) { changeLife(of: index) { $0.isListening = false } }
    mutating func switchOn(_ index: Int) { phones[index].isOn = true }
    mutating func restart(_ index: Int) {
        phones[index].restart()
        phones[index].isOn = true
    }
    mutating func changeToken(of index: Int, to token: String) { phones[index].token = token }

    /// The attacker lets everything go on.
    mutating func endAttacks(at now: BootTime, _ agenda: inout Agenda) {
        attacker.rest()
        for waiting in attacker.takeHeld(at: nil) { agenda.add(waiting, at: now) }
    }

    mutating func perform(_ attack: Attack, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda) {
        switch attack {
        case .replayUp(let count):
            for number in 0..<count {
                let source = number % 2 == 0 && !attacker.commands.isEmpty ? attacker.commands : attacker.up
                if let data = Self.pick(source, &chance) { inject(data, at: now, &chance, &agenda) }
            }
        case .repeatNewest: for data in attacker.commands.suffix(2) { inject(data, at: now, &chance, &agenda) }
        case .replayDown(let count):
            for _ in 0..<count {
                guard let data = Self.pick(attacker.down, &chance) else { continue }
                misdeliver(data, to: Int(chance.next() % UInt64(phones.count)), at: now, &agenda)
            }
        case .alterUp:
            for source in [attacker.up, attacker.commands] {
                guard let data = Self.pick(source, &chance) else { continue }
                inject(Attacker.altered(data, &chance), at: now, &chance, &agenda)
            }
        case .alterDown:
            if let data = Self.pick(attacker.down, &chance) {
                let altered = Attacker.altered(data, &chance)
                for index in phones.indices { misdeliver(altered, to: index, at: now, &agenda) }
            }
        case .wrongPhone:
            if let data = attacker.down.last {
                for index in phones.indices { misdeliver(data, to: index, at: now, &agenda) }
            }
        case .dropUp(let span): attacker.dropUp(until: now + span)
        case .dropDown(let span): attacker.dropDown(until: now + span)
        case .holdCommands(let phone, let span): attacker.hold(phone, until: now + span)
        case .release: for waiting in attacker.takeHeld(at: now) { agenda.add(waiting, at: now) }
        }
    }

    private static func pick(_ source: [JSON], _ chance: inout Jitter) -> JSON? {
        source.isEmpty ? nil : source[Int(chance.next() % UInt64(source.count))]
    }

    /// From the address of any phone.
    private mutating func inject(_ data: JSON, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda) {
        let index = Int(chance.next() % UInt64(phones.count))
        agenda.add(.pushTakes(phone: index, id: attacker.nextName(), data), at: now + .milliseconds(50))
    }

    private func misdeliver(_ data: JSON, to index: Int, at now: BootTime, _ agenda: inout Agenda) {
        agenda.add(.phoneHears(index, Self.message(data)), at: now + .milliseconds(50))
    }

    // MARK: At the box

    /// As the protocol has it: the code, the digits, the confirmation.
    /// - Parameter isBusy: something else is being paired
    mutating func wish(_ shelf: PhoneShelf, isBusy: Bool, at now: BootTime, _ chance: inout Jitter) -> OwnersWish? {
        if let affair { return goOn(with: affair, at: now, &chance) }
        guard !isBusy, let index = phones.firstIndex(where: { !$0.isPaired(in: shelf) && $0.isOn }) else { return nil }
        let roles: Roles = [.view, .arm, .disarm, .bypass, .panic, .admin]
        return OwnersWish(
            request: .pair(person: phones[index].person, roles: roles, noPresence: false), begins: index)
    }

    private mutating func goOn(with affair: PairingAffair, at now: BootTime, _ chance: inout Jitter) -> OwnersWish? {
        if now - affair.since > .seconds(200) {
            self.affair = nil
            return OwnersWish(request: .cancelPairing)
        }
        guard affair.isHeard, let digits = phones[affair.phone].app.digits,
            affair.confirmedAt.map({ now - $0 > .seconds(20) }) ?? true
        else { return nil }
        if !affair.hasMistyped, chance.next() % 6 == 0 {
            self.affair?.hasMistyped = true
            return OwnersWish(request: .confirm(Secret("000000")))
        }
        self.affair?.confirmedAt = now
        return OwnersWish(request: .confirm(Secret(digits)))
    }

    mutating func begins(_ phone: Int, _ client: ConnectionID, at now: BootTime) {
        affair = PairingAffair(phone: phone, client: client, since: now)
    }

    mutating func goesOn(_ progress: PairingProgress, on client: ConnectionID) -> PairingStep? {
        guard let affair, affair.client == client else { return nil }
        switch progress {
        case .ready: return .showsCode(to: affair.phone)
        case .heard: self.affair?.isHeard = true
        case .wrongCode, .subscribe, .codeSent, .codesReady, .codesOn: break
        case .paired(let phone, _):
            self.affair = nil
            return PhoneID(phone).map { .isPaired($0) }
        case .ended: self.affair = nil
        }
        return nil
    }

    func words(of phone: HousePhone, _ shelf: PhoneShelf) -> String {
        "id \(phone.id.map(\.description) ?? "none"), on \(phone.isOn), "
            + "book \(shelf.book?.phones.map(\.id.description) ?? []), affair \(affair.map { "\($0)" } ?? "none"), "
            + "roles \(phone.app.phone?.memory.roles ?? [])"
    }

    /// The daemon is gone, and nothing of it goes on.
    mutating func restarted() { affair = nil }
}
