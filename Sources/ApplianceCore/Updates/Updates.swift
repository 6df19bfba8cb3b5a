import AlarmModel
import PanelLink
import PhoneLink
import SoftwareUpdate

/// A newer version over the line: asks the owner's host once a day what it offers, tells people of it, and has it fetched
/// and installed when somebody asks for it, or at night if the owner says so.
///
/// Guarantees: nothing is asked by a metered link or while the clock is in doubt; nothing is installed or restarted while
/// something hinders it (`UpdateHindrance`); an offer older than one that was seen is refused by the fetcher, which is told
/// its number; each version is told once. Knows nothing of HTTP, signatures and slots: the fetcher and the updater, which
/// are processes of their own, check everything.
struct Updates: Machine, Codable, Equatable, Sendable {
    /// Talks with the fetcher, one at a time.
    enum Talk: Codable, Equatable, Sendable {
        case none
        case dialing(Task, until: BootTime)
        case talking(Task, ConnectionID, until: BootTime, input: [UInt8])

        var task: Task? {
            switch self {
            case .none: nil
            case .dialing(let task, _), .talking(let task, _, _, _): task
            }
        }
        var deadline: BootTime? {
            switch self {
            case .none: nil
            case .dialing(_, let until), .talking(_, _, let until, _): until
            }
        }
    }

    enum Task: String, Codable, Equatable, Sendable {
        case ask
        case getAsked, getAtNight
        case followAsked, followAtNight

        var isAtNight: Bool { self == .getAtNight || self == .followAtNight }
    }

    /// There are slots, and somebody who installs.
    private(set) var isPossible = false
    private var mayReboot = false
    var record = OfferRecord()
    var talk = Talk.none
    var nextAsk: BootTime?
    var nextNightLook: BootTime?
    /// What runs: an offer of it is none.
    private var version = ""
    var isInstalled = false
    /// It did not come about: it is not tried again of the box's own accord.
    var failedVersion: String?
    var progress: Int?
    var problem: String?
    var lastAnswered: WallTime?
    /// Told as a fault and not over yet.
    var isFaultTold = false
    /// Since when the host has not told what it offers.
    var silentSince: BootTime?
    private var jitter = Jitter(seed: 0)
    var actions: [LineAction] = []

    private enum CodingKeys: String, CodingKey {
        case isPossible, mayReboot, record, talk, nextAsk, nextNightLook, version, isInstalled, failedVersion, progress,
            problem, lastAnswered, isFaultTold, silentSince, jitter
    }

    /// After the start the box has better things to do.
    static let startPause = Duration.minutes(10)
    /// After something hindered it, and between looks at night.
    static let lookPause = Duration.minutes(10)
    /// After a question in vain.
    static let retryPause = Duration.hours(4)
    /// In vain for so long: somebody has to know.
    static let silenceTold = Duration.hours(72)
    /// Hours of the local day.
    static let night = 2..<4

    mutating func start(_ start: Start, _ step: inout Step) {
        isPossible = start.mayUpdate
        mayReboot = start.mayReboot
        jitter = Jitter(seed: start.seed &+ 128)
        version = start.release ?? Product.version
        record = start.snapshot?.software?.offer ?? start.offer ?? OfferRecord()
        forgetOtherHost(step)
        if record.version == version { record.version = nil }
        takeSlots(start.slots)
        plan(step)
        guard step.configuration.updates != nil, !isPossible else { return }
        step.log(
            LogEntry(.warning, "'updates' is for the card alone: this machine has no slots, so that nothing is asked"))
    }

    /// Whether the version that is offered lies in the other slot, or has failed there.
    private mutating func takeSlots(_ slots: SlotReport?) {
        guard let slots, let offered = record.version, slots.version(of: slots.running.other) == offered else { return }
        if slots.state.hasFallenBack(to: slots.running) {
            failedVersion = offered
        } else {
            isInstalled = slots.first != slots.running
        }
    }

    mutating func reconfigure(from old: UpdateSource?, _ step: inout Step) {
        guard old != step.configuration.updates else { return }
        stop(step)
        (problem, silentSince, lastAnswered) = (nil, nil, nil)
        forgetOtherHost(step)
        if isPossible { step.writes.writesState = true }
        plan(step)
    }

    private mutating func forgetOtherHost(_ step: Step) {
        guard let url = record.url, url != step.configuration.updates?.url.description else { return }
        record = OfferRecord(told: record.told)
    }

    private mutating func plan(_ step: Step) {
        guard isPossible, step.configuration.updates != nil else { return }
        nextAsk = step.now.boot + Self.startPause + jitter.duration(in: .zero..<Self.startPause)
        nextNightLook = step.now.boot + Self.lookPause
    }

    mutating func stop(_ step: Step) {
        hangUp()
        (nextAsk, nextNightLook) = (nil, nil)
        actions.append(.ended)
    }

    /// What is stored of it; nil: nothing yet.
    var kept: OfferRecord? { record == OfferRecord() ? nil : record }

    func nextDeadline(_ step: Step) -> BootTime? {
        guard isPossible, let source = step.configuration.updates else { return nil }
        if let deadline = talk.deadline { return deadline }
        let isLooking = source.installing == .night && (record.version != nil || isInstalled)
        return [nextAsk, isLooking ? nextNightLook : nil].compactMap { $0 }.min()
    }

    mutating func timerFired(_ around: UpdateSurroundings, _ step: inout Step) {
        guard let source = step.configuration.updates, isPossible else { return }
        if let deadline = talk.deadline, deadline <= step.now.boot {
            return failed("the fetcher did not answer in time", &step)
        }
        guard talk == .none else { return }
        if let due = nextAsk, due <= step.now.boot { return ask(source, around, &step) }
        if let due = nextNightLook, due <= step.now.boot { lookAtNight(source, around, &step) }
    }

    private mutating func ask(_ source: UpdateSource, _ around: UpdateSurroundings, _ step: inout Step) {
        guard around.hindersAsking(step) == nil else { return nextAsk = step.now.boot + Self.lookPause }
        // Whoever watches the line does not know the box by its time of day.
        nextAsk = step.now.boot + jitter.duration(in: (source.interval * 9 / 10)..<source.interval)
        begin(.ask, step)
    }

    private mutating func lookAtNight(_ source: UpdateSource, _ around: UpdateSurroundings, _ step: inout Step) {
        nextNightLook = step.now.boot + Self.lookPause
        let hour = step.configuration.panel.timeZone.civilTime(at: step.now.wall).hour
        guard source.installing == .night, step.now.isWallTrusted, Self.night.contains(hour),
            around.hindersInstalling(step) == nil, let offered = record.version
        else { return }
        if isInstalled { return restart(offered, &step) }
        guard around.hindersAsking(step) == nil, failedVersion != offered else { return }
        step.log(LogEntry(.notice, "version \(offered) is fetched, to be installed at night"))
        begin(.getAtNight, step)
    }

    /// Also after a restart in the middle, in the next night.
    mutating func restart(_ version: String, _ step: inout Step) {
        guard mayReboot else { return }
        // Once: who stays all the same has a reason that another try does not mend.
        isInstalled = false
        failedVersion = version
        step.announce(.info, .update, "Version \(version) is installed. The machine restarts now, to start it.")
        step.effects.append(.reboot)
    }

    // MARK: What somebody at the box asks

    mutating func requested(
        _ request: UpdatesRequest, by client: ConnectionID, _ around: UpdateSurroundings, _ step: inout Step
    ) {
        if let why = refusal(of: request, around, step) { return step.refuse(why, client) }
        step.note(
            .info, .update,
            request == .ask
                ? "The host that offers versions was asked at the box."
                : "The installation of version \(record.version ?? "?") was asked for at the box.")
        step.wait(.updates(client, request))
    }

    private func refusal(of request: UpdatesRequest, _ around: UpdateSurroundings, _ step: Step) -> String? {
        guard isPossible else { return "this machine has no slots for its software, so that nothing can be installed" }
        guard step.configuration.updates != nil else {
            return "no host is named that offers versions; write 'url' into 'updates', or use a stick"
        }
        guard talk == .none else { return "that is under way already; \(Hint.status) shows how far it is" }
        if let hindrance = around.hindersAsking(step) { return "not now: \(hindrance.words); try again later" }
        guard request == .install else { return nil }
        guard record.version != nil else {
            return "no newer version is offered; \(Hint.askForVersion) asks the host again"
        }
        return around.hindersInstalling(step).map { "not now: \($0.words); try again when that is over" }
    }

    /// It is stored that somebody asked.
    mutating func begin(
        _ request: UpdatesRequest, for client: ConnectionID, _ around: UpdateSurroundings, _ step: inout Step
    ) {
        // The house may have been armed since.
        if let why = refusal(of: request, around, step) { return step.refuse(why, client) }
        failedVersion = nil
        begin(request == .ask ? .ask : .getAsked, step)
        step.finishRequest(
            of: client,
            with: .changed(
                request == .ask
                    ? "the host is asked now; \(Hint.status) shows what it offers"
                    : "version \(record.version ?? "?") is fetched, checked and installed now; the Software page and "
                        + "\(Hint.status) show how far"))
    }

    func report(_ step: Step, _ around: UpdateSurroundings) -> UpdatesReport? {
        guard isPossible, let source = step.configuration.updates else { return nil }
        var report = UpdatesReport(place: source.place, isAtNight: source.installing == .night)
        report.offered = record.version
        report.isInstalled = isInstalled
        report.problem = problem
        report.lastAnswered = lastAnswered
        let percent = progress.map { ", \($0) %" } ?? ""
        report.doing =
            switch talk.task {
            case .ask: "the host is asked"
            case .getAsked, .getAtNight: "fetching it\(percent)"
            case .followAsked, .followAtNight: "installing it\(percent)"
            case nil: around.hindersAsking(step).map { "not asked now: \($0.words)" }
            }
        return report
    }
}
