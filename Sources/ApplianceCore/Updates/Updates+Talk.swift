import AlarmModel
import PhoneLink
import PhoneProtocol

/// The talk with the fetcher: one connection for each task, one line there, lines back.
extension Updates {
    /// For the whole task; the fetcher and the updater have shorter limits of their own.
    private static func patience(for task: Task) -> Duration {
        switch task {
        case .ask: .minutes(3)
        case .getAsked, .getAtNight: .minutes(70)
        case .followAsked, .followAtNight: .minutes(70)
        }
    }

    mutating func begin(_ task: Task, _ step: Step) {
        guard let source = step.configuration.updates else { return }
        talk = .dialing(task, until: step.now.boot + Self.patience(for: task))
        progress = nil
        var target = DialTarget(host: source.socket, port: 0, security: .plain)
        target.isLocalSocket = true
        actions.append(.transport(.connect(DialSlot(0), target)))
    }

    mutating func hangUp() {
        switch talk {
        case .none: break
        case .dialing: actions.append(.transport(.cancelConnect(DialSlot(0))))
        case .talking(_, let connection, _, _): actions.append(.transport(.close(connection)))
        }
        talk = .none
        progress = nil
    }

    mutating func take(_ fact: LineFact, _ around: UpdateSurroundings, _ step: inout Step) {
        switch fact {
        case .connected(let connection, _): connected(connection, around, step)
        case .failed:
            guard case .dialing = talk else { return }
            failed("the fetcher cannot be reached; look at the unit howalarming-fetch.socket", &step)
        case .secured: break
        case .received(let connection, let bytes): received(bytes, on: connection, around, &step)
        case .closed(let connection, _):
            guard case .talking(_, connection, _, _) = talk else { return }
            talk = .none
            failed("the fetcher ended without an answer", &step)
        }
    }

    private mutating func connected(_ connection: ConnectionID, _ around: UpdateSurroundings, _ step: Step) {
        guard case .dialing(let task, let until) = talk, let source = step.configuration.updates else {
            return actions.append(.transport(.close(connection)))
        }
        talk = .talking(task, connection, until: until, input: [])
        let asked: FetchRequest.Task =
            switch task {
            case .ask: .ask
            case .getAsked, .getAtNight: .get
            case .followAsked, .followAtNight: .follow
            }
        let link: String? = if case .interface(let name) = around.link { name } else { nil }
        let request = FetchRequest(
            asked, url: source.url.description, authorities: source.authorities?.pem, link: link, seen: record.seen,
            now: step.nowForServers.wall.seconds)
        actions.append(.transport(.send(connection, request.json.utf8 + [0x0A])))
    }

    private mutating func received(
        _ bytes: [UInt8], on connection: ConnectionID, _ around: UpdateSurroundings, _ step: inout Step
    ) {
        guard case .talking(let task, connection, let until, var input) = talk else { return }
        input += bytes
        while let end = input.firstIndex(of: 0x0A) {
            let line = Array(input[..<end])
            input.removeSubrange(...end)
            guard let answer = FetchAnswer(line) else {
                return failed("the fetcher said what nobody understands", &step)
            }
            if case .progress(let percent) = answer {
                progress = percent
                continue
            }
            hangUp()
            return answered(answer, to: task, around, &step)
        }
        guard input.count <= FetchAnswer.longest else {
            return failed("the fetcher said what nobody understands", &step)
        }
        talk = .talking(task, connection, until: until, input: input)
    }

    private mutating func answered(
        _ answer: FetchAnswer, to task: Task, _ around: UpdateSurroundings, _ step: inout Step
    ) {
        switch (answer, task) {
        case (.offer(let offer), .ask): learned(offer, &step)
        case (.got(let offer), .getAsked), (.got(let offer), .getAtNight):
            learned(offer, &step)
            guard offer.isNewer else { return }
            if let hindrance = around.hindersInstalling(step) {
                return problem = "version \(offer.version) was fetched and not installed: \(hindrance.words)"
            }
            step.effects.append(.update(bundle: FetchAnswer.bundle, isOlderConfirmed: false))
            begin(task.isAtNight ? .followAtNight : .followAsked, step)
        case (.installed, .followAsked), (.installed, .followAtNight): installed(task, around, &step)
        case (.failed(let why), _): failed(why, during: task, &step)
        case (.refused(let why), _): refused(why, during: task, &step)
        case (.offer, _), (.got, _), (.installed, _), (.progress, _):
            failed("the fetcher answered something else than it was asked", during: task, &step)
        }
    }

    private mutating func installed(_ task: Task, _ around: UpdateSurroundings, _ step: inout Step) {
        guard let version = record.version else { return }
        (problem, isInstalled) = (nil, true)
        if task.isAtNight, around.hindersInstalling(step) == nil { return restart(version, &step) }
        step.note(
            .info, .update,
            "Version \(version) lies in the other slot: restart the machine to start it. If it does not prove itself, the "
                + "version that runs now comes back.")
    }

    /// The host told what it offers, and the signature is right.
    private mutating func learned(_ offer: FetchAnswer.Offer, _ step: inout Step) {
        let name = PeerText.printable(offer.version, limit: 64)
        (problem, lastAnswered, silentSince) = (nil, step.now.wall, nil)
        if isFaultTold {
            isFaultTold = false
            step.note(.recovery, .update, "\(place(step)) offers versions again.")
        }
        let isNew = offer.isNewer && record.told != name
        let changed = OfferRecord(
            url: step.configuration.updates?.url.description, seen: max(record.seen, offer.number),
            told: offer.isNewer ? name : record.told,
            version: offer.isNewer ? name : nil)
        if changed.version != record.version { (isInstalled, failedVersion) = (false, nil) }
        if changed != record { step.writes.writesState = true }
        record = changed
        guard isNew else { return }
        let isAtNight = step.configuration.updates?.installing == .night
        step.announce(
            .info, .update,
            isAtNight
                ? "Version \(name) can be installed. The box does it at night between 2:00 and 4:00, while the house is disarmed."
                : "Version \(name) can be installed with \(Hint.installOffered.atBox).")
    }

    private func place(_ step: Step) -> String { step.configuration.updates?.place ?? "The host" }

    mutating func failed(_ why: String, _ step: inout Step) {
        let task = talk.task
        hangUp()
        failed(why, during: task ?? .ask, &step)
    }

    /// No more than a bad day, unless it lasts.
    private mutating func failed(_ why: String, during task: Task, _ step: inout Step) {
        let why = PeerText.printable(why)
        problem = why
        step.log(LogEntry(.warning, "no newer version: \(why)"))
        guard task == .ask else { return notInstalled(why, &step) }
        nextAsk = min(nextAsk ?? step.now.boot + Self.retryPause, step.now.boot + Self.retryPause)
        let since = silentSince ?? step.now.boot
        silentSince = since
        guard step.now.boot - since >= Self.silenceTold else { return }
        tellFault("\(place(step)) has not said for three days which version it offers: \(why).", &step)
    }

    /// Somebody has to know: it may be an attack.
    private mutating func refused(_ why: String, during task: Task, _ step: inout Step) {
        let why = PeerText.printable(why)
        problem = why
        step.log(LogEntry(.warning, "no newer version: \(why)"))
        switch task {
        case .followAsked, .followAtNight: notInstalled(why, &step)
        case .getAsked, .getAtNight:
            notInstalled(why, &step)
            isFaultTold = true
        case .ask: tellFault("What \(place(step)) offers is not installed: \(why).", &step)
        }
    }

    private mutating func notInstalled(_ why: String, _ step: inout Step) {
        let version = record.version ?? "?"
        failedVersion = record.version
        step.note(.fault, .update, "Version \(version) was not installed: \(why). What runs is as it was.")
    }

    private mutating func tellFault(_ words: String, _ step: inout Step) {
        guard !isFaultTold else { return }
        isFaultTold = true
        step.note(.fault, .update, words)
    }
}
