import AlarmModel
import PanelLink

/// Test notices and test alarms, when somebody asks and each month; what became of the alarms.
extension Deliveries {
    mutating func test(_ name: String?, asAlarm: Bool, by client: ConnectionID, _ step: inout Step) {
        var event = Self.testEvent(asAlarm: asAlarm, step)
        let what = asAlarm ? "a test alarm" : "a test notice"
        guard let name else {
            let calls = asAlarm ? Self.calls(step) : 0
            let ways = [(outbox.reports.count, "address", "addresses"), (calls, "call", "calls")].filter { $0.0 > 0 }
                .map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
            guard !ways.isEmpty else {
                return step.refuse("there are no phones yet; pair one with \(Hint.pair)", client)
            }
            step.announce(event, to: .everywhere)
            return step.wait(
                .replyChanged(
                    client,
                    "\(what) is on its way to \(ways.joined(separator: " and by ")); "
                        + (asAlarm
                            ? "within five minutes an event tells who got it, and after how long"
                            : "\(Hint.phones) shows when each took it")))
        }
        // A test harms nobody: it takes less than what changes something.
        let whole = step.book.nameBeginning(with: name) ?? name
        let actor: Actor
        if let contact = step.book.contact(named: whole) {
            step.announce(event, to: .address(contact.address))
            actor = step.book.actor(contact)
        } else if let phone = step.phone(named: whole, for: client) {
            if !asAlarm { event.message = "Test notice: this phone hears the box." }
            step.announce(event, to: .only(phone.id))
            actor = step.book.actor(phone)
        } else {
            return
        }
        step.wait(.replyChanged(client, "\(what) is on its way to \(actor.words)"))
    }

    private static func testEvent(asAlarm: Bool, _ step: Step) -> Event {
        var event = step.event(
            .info, .test, asAlarm ? "Test alarm: nothing has happened." : "Test notice: the box is heard here.")
        if asAlarm { event.flags.insert(.testAlarm) }
        return event
    }

    /// Sends the test alarm of the month when it is due, and tells of the last one.
    mutating func lookAtTestAlarms(_ step: inout Step) {
        guard step.life == .running else { return }
        if let told = testAlarms.takeResult(at: step.now.boot) { tell(told, &step) }
        let isAlarm = step.panel.partitions.contains(where: \.isInAlarm)
        let zone = step.configuration.panel.timeZone
        let before = testAlarms.record(in: zone)
        let isDue = testAlarms.isDue(step.configuration.phones.testAlarm, in: zone, isBusy: isAlarm, at: step.now)
        if testAlarms.record(in: zone) != before { step.writes.writesState = true }
        if isDue, !outbox.reports.isEmpty || Self.calls(step) > 0 {
            step.announce(Self.testEvent(asAlarm: true, step), to: .everywhere)
        }
    }

    /// Numbers that a test alarm to everybody is told to by telephone.
    private static func calls(_ step: Step) -> Int { step.configuration.calls?.people.count ?? 0 }

    private func tell(_ told: [TestAlarms.Told], _ step: inout Step) {
        let results = told.map { (name: step.book.name(of: $0.address), words: Self.words($0, step.book)) }
        let isComplete = results.allSatisfy { $0.words.isThere }
        let words = results.map { "\($0.name): \($0.words.text)" }.joined(separator: "; ")
        if isComplete {
            step.note(.info, .testResult, "The test alarm reached everybody it was sent to. \(words).")
        } else {
            step.note(
                .fault, .testResult,
                "The test alarm did not reach everybody it was sent to. \(words). See \(Hint.phones.atBox) for the reason."
            )
        }
    }

    /// What of it can be known: a paired phone says itself that it has it, a service only that it took it.
    private static func words(_ told: TestAlarms.Told, _ book: PhoneBook) -> (text: String, isThere: Bool) {
        switch told.end {
        case .received, .seen: return ("there after \(span(told.span))", true)
        case .accepted:
            if case .phone = book.receiver(at: told.address) {
                return ("its service has it, the phone has NOT CONFIRMED it", false)
            }
            return ("taken by its service after \(span(told.span))", true)
        case .dead, .expired, .spared: return ("NOT TOLD", false)
        case .waiting, .overdue, nil:
            return ("NO ANSWER in \(TestAlarms.patience.components.seconds / 60) min", false)
        }
    }

    /// `0.4 s`, `12.0 s`
    private static func span(_ span: Duration) -> String {
        let tenths = (span.milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
