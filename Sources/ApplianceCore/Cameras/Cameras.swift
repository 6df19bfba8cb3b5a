import AlarmModel
import PhoneLink

/// Pictures of what happens in an alarm: has them taken when a zone triggers and 2 and 10 s later, kept on the card, put
/// sealed where the apps find them, and sent to those who are told of alarms where the server between may see them.
///
/// Guarantees: no alarm waits for a picture, because the words leave without it and a process of its own talks to cameras
/// and servers; what waits and what is under way is bounded; duress and maintenance have no picture. Knows nothing of
/// HTTP, of files and of what a picture shows.
struct Cameras: Machine, Codable, Equatable, Sendable {
    /// A picture that is to be taken.
    struct Shot: Codable, Equatable, Sendable {
        var camera: String
        var due: BootTime
        var occasion: Occasion
        /// The first of a series goes out by a metered link, too.
        var isFirst: Bool
        var isLast: Bool
        /// Of the alarm that it shows.
        var alarm: UnstoredMark?
    }

    enum Occasion: String, Codable, Equatable, Sendable {
        case alarm
        /// That somebody has come in is told in clear only where arming is.
        case entryDelay
        case test

        /// True if a series for this occasion begins although one for the other is under way.
        func outranks(_ other: Occasion) -> Bool { rank > other.rank }
        private var rank: Int {
            switch self {
            case .test: 0
            case .entryDelay: 1
            case .alarm: 2
            }
        }
    }

    enum Task: Codable, Equatable, Sendable {
        case take(Shot)
        case tidy
        case forget(ConnectionID)
        case again(Again)
    }

    /// What is known of a camera since the start.
    struct Record: Codable, Equatable, Sendable {
        var camera: String
        var lastPicture: WallTime?
        var problem: String?
        /// Pictures of the present series that are kept.
        var kept = 0
        /// Told as a fault and not over yet.
        var isFaultTold = false
        /// The same of pictures that a topic did not take.
        var isUnsentTold = false
    }

    /// From the trigger.
    static let series: [Duration] = [.zero, .seconds(2), .seconds(10)]
    /// Pictures that are taken at a time.
    static let talkLimit = 4
    /// Limit of pictures under way, those being sent included: a slow mail server holds up no other picture.
    static let slotLimit = 16
    static let plannedLimit = 48
    /// In a day, so that a storm of alarms fills neither the card nor a server's quota.
    static let shotsADay = 600
    /// To the topic server: pictures in clear; sealed ones count with the messages that tell apps of them.
    static let uploadsADay = 60
    /// Apart, so that no mail takes the app's picture.
    static let mailsADay = 60
    /// For one picture; the taker has shorter limits of its own.
    static let patience = Duration.seconds(90)
    /// For all places that a picture is sent to once it is kept, mail servers that look through it among them.
    static let sendingPatience = Duration.minutes(5)
    static let tidyPause = Duration.hours(24)

    var planned: [Shot] = []
    var talks: [Talk] = []
    private(set) var records: [Record] = []
    private var day = BootTime.zero
    private var shotsToday = 0
    var uploadsToday = 0
    var mailsToday = 0
    /// For pictures once more; nil: none, or an older recording.
    var requestsToday: Int?
    var nextTidy: BootTime?
    var actions: [LineAction] = []

    private enum CodingKeys: String, CodingKey {
        case planned, talks, records, day, shotsToday, uploadsToday, mailsToday, requestsToday,
            nextTidy
    }

    mutating func start(_ step: Step) { plan(step) }

    mutating func reconfigure(from old: CameraSettings?, _ step: Step) {
        guard old != step.configuration.cameras else { return }
        stop()
        records = []
        plan(step)
    }

    private mutating func plan(_ step: Step) {
        guard step.configuration.cameras != nil else { return }
        nextTidy = step.now.boot + .minutes(10)
    }

    mutating func stop() {
        planned = []
        for talk in talks { hangUp(talk) }
        nextTidy = nil
        actions.append(.ended)
    }

    var nextDeadline: BootTime? {
        ((hasRoom ? planned.map(\.due) : []) + talks.map(\.until) + [nextTidy].compactMap { $0 }).min()
    }

    /// Another picture may be taken now.
    private var hasRoom: Bool { talks.count { !$0.isKept } < Self.talkLimit && talks.count < Self.slotLimit }

    /// What is written now: an alarm, an entry delay, a test alarm. One for a single person is no occasion for pictures,
    /// which go to everybody.
    mutating func saw(_ writes: StepWrites, _ step: Step) {
        let forSome = writes.announcements.filter { $0.audience != .everywhere }.map(\.event)
        for (index, event) in writes.events.enumerated()
        where !event.flags.contains(.testAlarm) || !forSome.contains(index) {
            saw(event, step)
        }
    }

    private mutating func saw(_ event: Event, _ step: Step) {
        guard let settings = step.configuration.cameras else { return }
        for camera in settings.cameras where camera.sees(event) {
            let occasion = Self.occasion(of: event)
            let underWay = occasionsUnderWay(at: camera.name)
            // A series for the same occasion, or a more important one, shows this, too.
            guard underWay.allSatisfy(occasion.outranks) else { continue }
            turnDay(step)
            let replaced = planned.count { $0.camera == camera.name }
            guard shotsToday - replaced + Self.series.count <= Self.shotsADay,
                planned.count - replaced + Self.series.count <= Self.plannedLimit
            else {
                lift(camera.name, to: occasion, event)
                continue
            }
            planned.removeAll { $0.camera == camera.name }
            shotsToday += Self.series.count - replaced
            if underWay.isEmpty { change(camera.name) { $0.kept = 0 } }
            for (index, delay) in Self.series.enumerated() {
                planned.append(
                    Shot(
                        camera: camera.name, due: step.now.boot + delay, occasion: occasion, isFirst: index == 0,
                        isLast: index == Self.series.count - 1, alarm: event.unstored))
            }
        }
    }

    /// Planned pictures become those of the new occasion if the day's budget allows no further series.
    private mutating func lift(_ camera: String, to occasion: Occasion, _ event: Event) {
        for index in planned.indices where planned[index].camera == camera {
            (planned[index].occasion, planned[index].alarm) = (occasion, event.unstored)
        }
    }

    mutating func turnDay(_ step: Step) {
        guard day + .hours(24) <= step.now.boot else { return }
        day = step.now.boot
        (shotsToday, uploadsToday, mailsToday, requestsToday) = (0, 0, 0, nil)
    }

    private static func occasion(of event: Event) -> Occasion {
        if event.flags.contains(.testAlarm) { return .test }
        return event.panelNotice == .entryDelay ? .entryDelay : .alarm
    }

    private func occasionsUnderWay(at camera: String) -> [Occasion] {
        (planned + talks.compactMap(\.shot)).filter { $0.camera == camera }.map(\.occasion)
    }

    mutating func change(_ camera: String, _ body: (inout Record) -> Void) {
        if let index = records.firstIndex(where: { $0.camera == camera }) { return body(&records[index]) }
        var record = Record(camera: camera)
        body(&record)
        records.append(record)
    }

    /// Begins what is due, ends what takes too long.
    mutating func act(_ around: CameraSurroundings, _ step: inout Step) {
        for talk in talks where talk.until <= step.now.boot {
            hangUp(talk)
            let patience = talk.isKept ? Self.sendingPatience : Self.patience
            let why = "no answer came within \(patience.components.seconds) s"
            ended(talk.task, talk.isKept ? .unsent(why) : .failed(why), &step)
        }
        giveWay(&step)
        while hasRoom, let index = planned.firstIndex(where: { $0.due <= step.now.boot }) {
            begin(.take(planned.remove(at: index)), step)
        }
        if let due = nextTidy, due <= step.now.boot, hasRoom {
            // By a clock that is years ahead every picture would be too old.
            guard step.now.isWallTrusted else { return nextTidy = step.now.boot + .hours(1) }
            nextTidy = step.now.boot + Self.tidyPause
            begin(.tidy, step)
        }
    }

    func report(_ step: Step) -> [CameraReport]? {
        step.configuration.cameras?.cameras.map { camera in
            let record = records.first { $0.camera == camera.name }
            return CameraReport(name: camera.name, lastPicture: record?.lastPicture, problem: record?.problem)
        }
    }

    // MARK: What came of it

    mutating func ended(_ task: Task, _ answer: PictureAnswer, _ step: inout Step) {
        switch (task, answer) {
        case (.take(let shot), .done), (.take(let shot), .unsent): finished(shot, answer, &step)
        case (.take(let shot), .failed(let why)):
            let words = PeerText.printable(why, limit: 300)
            change(shot.camera) { $0.problem = words }
            tellFault(of: shot.camera, "No picture of the camera '\(shot.camera)' is kept: \(words).", &step)
            finished(shot, answer, &step)
        case (.forget(let client), .done):
            records = records.map { record in
                var record = record
                record.lastPicture = nil
                return record
            }
            step.note(.info, .camera, "All pictures of the cameras were deleted at the box.")
            step.wait(.replyChanged(client, "all pictures of the cameras are deleted"))
        case (.forget(let client), .failed(let why)), (.forget(let client), .unsent(let why)):
            step.refuse("the pictures could not be deleted: \(PeerText.printable(why, limit: 300))", client)
        case (.tidy, .failed(let why)):
            step.log(LogEntry(.warning, "old pictures could not be deleted: \(PeerText.printable(why, limit: 300))"))
        case (.again(let again), let answer): ended(again, answer, &step)
        case (.tidy, .done), (.tidy, .unsent), (_, .kept), (_, .sealed): break
        }
    }

    mutating func kept(_ shot: Shot, _ step: inout Step) {
        var wasFault = false
        change(shot.camera) { record in
            wasFault = record.isFaultTold
            (record.isFaultTold, record.problem, record.lastPicture) = (false, nil, step.now.wall)
            record.kept += 1
        }
        if wasFault { step.note(.recovery, .camera, "The camera '\(shot.camera)' gives pictures again.") }
    }

    /// The phones are told where it lies. The journal tells it, too, and never with which key it is sealed.
    mutating func sealed(_ reference: PictureReference, _ shot: Shot, _ step: inout Step) {
        var picture = reference
        (picture.camera, picture.alarm) = (shot.camera, shot.alarm)
        let words = "A picture of the camera '\(shot.camera)' goes to the app."
        step.announce(step.event(.info, .camera, words), to: .apps(only: nil), picture: picture)
    }

    private mutating func finished(_ shot: Shot, _ answer: PictureAnswer, _ step: inout Step) {
        switch answer {
        case .kept, .sealed, .failed: break
        case .done(let sent): if sent > 0 { change(shot.camera) { $0.isUnsentTold = false } }
        case .unsent(let why):
            let words = PeerText.printable(why, limit: 300)
            let isNew = records.first { $0.camera == shot.camera }.map { !$0.isUnsentTold } ?? true
            change(shot.camera) { ($0.problem, $0.isUnsentTold) = (words, true) }
            guard isNew else { break }
            step.note(
                .fault, .camera,
                "A picture of the camera '\(shot.camera)' is kept here and was not sent to everybody: \(words).")
        }
        guard shot.isLast, let record = records.first(where: { $0.camera == shot.camera }), record.kept > 0 else {
            return
        }
        step.note(
            .info, .camera,
            record.kept == 1
                ? "The camera '\(shot.camera)' took a picture; it is kept here."
                : "The camera '\(shot.camera)' took \(record.kept) pictures; they are kept here.")
    }

    /// Once, until it gives a picture again.
    private mutating func tellFault(of camera: String, _ words: String, _ step: inout Step) {
        guard let record = records.first(where: { $0.camera == camera }), !record.isFaultTold else { return }
        change(camera) { $0.isFaultTold = true }
        step.note(.fault, .camera, words)
    }
}

/// What of others decides where pictures go.
struct CameraSurroundings {
    /// nil: the operating system chooses the link.
    var link: Link?
    var isMetered: Bool

    init(_ around: UpdateSurroundings) { (link, isMetered) = (around.link, around.isMetered) }

    /// Of the network interface; nil: as the routes say.
    var linkName: String? { if case .interface(let name) = link { name } else { nil } }
}
