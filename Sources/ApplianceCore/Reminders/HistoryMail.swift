import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// The history of the house as a mail each month, to those whom `reminders.history` names.
///
/// Guarantees: nothing is sent unless somebody is named; each of them gets it once a month, and once more if the box was
/// started anew before all of them had it; who does not get it is tried each hour for three days, and then people are told.
/// Knows nothing of the journal, of pictures and of mail: a process of its own makes it and sends it.
struct HistoryMail: Codable, Equatable, Sendable {
    /// To one of them, until the server has taken it.
    struct Letter: Codable, Equatable, Sendable {
        var recipient: String
        var tries = 0
        var due: BootTime
    }

    enum Talk: Codable, Equatable, Sendable {
        case none
        case dialing(until: BootTime)
        case talking(ConnectionID, until: BootTime, input: [UInt8])

        var until: BootTime? {
            switch self {
            case .none: nil
            case .dialing(let until), .talking(_, let until, _): until
            }
        }
    }

    /// A box that was off at the time does it when it is back.
    private var occasions = Occasions<MonthlyTime>(lateness: .hours(14 * 24))
    /// When what is under way was due.
    private var since: WallTime?
    /// The first of them is the one that is talked of.
    private(set) var letters: [Letter] = []
    private var talk = Talk.none
    var actions: [LineAction] = []

    private enum CodingKeys: String, CodingKey { case occasions, since, letters, talk }

    static let days = 31
    static let pause = Duration.hours(1)
    static let mostTries = 72
    /// For the journal of a month on a slow board, and for a mail by a slow line; the process has shorter limits of its own.
    static let patience = Duration.minutes(5)
    private static let slot = DialSlot(0)

    // MARK: Over a restart

    private static func rule(_ time: MonthlyTime, _ zone: TimeZoneRules) -> String { "\(time.text) \(zone.name)" }

    mutating func restore(_ known: [RemindersRecord.Due], _ settings: ReminderSettings.History?, in zone: TimeZoneRules)
    {
        guard let settings,
            let due = known.first(where: { $0.reminder == "history" && $0.rule == Self.rule(settings.at, zone) })
        else { return }
        occasions.restore(due.at, of: settings.at, in: zone)
    }

    /// nil: nothing is waited for.
    func record(in zone: TimeZoneRules) -> RemindersRecord.Due? {
        guard let rule = occasions.wanted, let at = since ?? occasions.due else { return nil }
        return RemindersRecord.Due(reminder: "history", rule: Self.rule(rule, zone), at: at)
    }

    // MARK: Time

    mutating func look(_ settings: ReminderSettings.History?, _ step: inout Step) {
        let zone = step.configuration.panel.timeZone
        switch occasions.look(settings?.at, in: zone, isBusy: !letters.isEmpty, at: step.now) {
        case .nothing: break
        case .missed:
            step.note(
                .info, .historyMail,
                "The month's history was not mailed: the box was off for too long. The next one comes in a month.")
        case .due(let time):
            since = time
            letters = (settings?.recipients ?? []).map { Letter(recipient: $0, due: step.now.boot) }
        }
        guard let settings else { return stop() }
        let recipient = letters.first?.recipient
        letters.removeAll { !settings.recipients.contains($0.recipient) }
        if letters.first?.recipient != recipient { hangUp() }
        if let until = talk.until, until <= step.now.boot { failed("it took too long", &step) }
        if letters.isEmpty { since = nil }
        guard case .none = talk, let next = letters.firstIndex(where: { $0.due <= step.now.boot }) else { return }
        letters.swapAt(0, next)
        talk = .dialing(until: step.now.boot + Self.patience)
        var target = DialTarget(host: settings.socket, port: 0, security: .plain)
        target.isLocalSocket = true
        actions.append(.transport(.connect(Self.slot, target)))
    }

    func nextDeadline(_ settings: ReminderSettings.History?, at now: BootTime) -> BootTime? {
        let due = letters.isEmpty ? occasions.nextDeadline(settings?.at, at: now) : letters.map(\.due).min()
        return talk.until ?? due
    }

    // MARK: The talk with the process: one line there, one back

    mutating func take(_ fact: LineFact, _ around: CameraSurroundings, _ step: inout Step) {
        switch fact {
        case .connected(let connection, _): connected(connection, around, step)
        case .failed:
            guard case .dialing = talk else { return }
            talk = .none
            failed("it cannot be made; look at the unit howalarming-history.socket", &step)
        case .secured: break
        case .received(let connection, let bytes):
            guard case .talking(connection, let until, let input) = talk else { return }
            talk = .talking(connection, until: until, input: input + bytes)
            answered(input + bytes, &step)
        case .closed(let connection, _):
            guard case .talking(connection, _, _) = talk else { return }
            talk = .none
            failed("who makes it ended without an answer", &step)
        }
    }

    private mutating func connected(_ connection: ConnectionID, _ around: CameraSurroundings, _ step: Step) {
        guard case .dialing(let until) = talk, let request = request(around, step) else {
            return actions.append(.transport(.close(connection)))
        }
        talk = .talking(connection, until: until, input: [])
        actions.append(.transport(.send(connection, request.json.utf8 + [0x0A])))
    }

    private func request(_ around: CameraSurroundings, _ step: Step) -> HistoryRequest? {
        guard let letter = letters.first, let server = step.configuration.phones.mailServer, let since,
            let settings = step.configuration.reminders?.history
        else { return nil }
        let zone = step.configuration.panel.timeZone
        let site = step.configuration.siteName
        var request = HistoryRequest(
            days: Self.days, zone: zone.name, server: server, recipient: letter.recipient,
            title: (site.isEmpty ? "" : "\(site): ") + "history of the last \(Self.days) days",
            name: "history-\(zone.civilTime(at: since).date)", hasPage: !around.isMetered)
        request.authorities = settings.authorities
        request.link = around.linkName
        request.now = step.nowForServers.wall
        return request
    }

    private mutating func answered(_ input: [UInt8], _ step: inout Step) {
        guard let end = input.firstIndex(of: 0x0A) else {
            if input.count > HistoryAnswer.longest { failed("who makes it said what nobody understands", &step) }
            return
        }
        switch HistoryAnswer(Array(input[..<end])) {
        case .sent?:
            hangUp()
            let letter = letters.removeFirst()
            step.note(
                .info, .historyMail, "The history of the last \(Self.days) days was mailed to \(letter.recipient).")
        case .failed(let why)?: failed(PeerText.printable(why, limit: 300), &step)
        case nil: failed("who makes it said what nobody understands", &step)
        }
    }

    private mutating func failed(_ why: String, _ step: inout Step) {
        hangUp()
        guard !letters.isEmpty else { return }
        var letter = letters.removeFirst()
        letter.tries += 1
        guard letter.tries >= Self.mostTries else {
            let words = "the history could not be mailed to \(letter.recipient) and is tried again in an hour: \(why)"
            step.log(LogEntry(.warning, words))
            letter.due = step.now.boot + Self.pause
            return letters.append(letter)
        }
        let words =
            "The month's history could not be mailed to \(letter.recipient) for three days: \(why). Look at 'alert_email' in the "
            + "configuration. Until then a USB stick takes it: B, 7 at the console."
        step.announce(step.event(.fault, .historyMail, words), to: .mayArm)
    }

    private mutating func hangUp() {
        switch talk {
        case .none: break
        case .dialing: actions.append(.transport(.cancelConnect(Self.slot)))
        case .talking(let connection, _, _): actions.append(.transport(.close(connection)))
        }
        talk = .none
    }

    /// Nobody is named any more, or the box stops.
    mutating func stop() {
        guard talk != .none || !letters.isEmpty else { return }
        hangUp()
        (letters, since) = ([], nil)
        actions.append(.ended)
    }
}
