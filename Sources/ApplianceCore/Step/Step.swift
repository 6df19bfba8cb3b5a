import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// The present step of the core: the moment it is taken at, what it writes and orders; and what lasts from step to
/// step, belongs to no machine and is lent to each step in turn.
///
/// For the machines: they write down, order, ask and answer through it, and read here what they need to know of the
/// house.
struct Step: Codable, Equatable, Sendable {
    // MARK: This step

    /// Changes within a step only when a server tells its time and the clock is doubted or trusted for it.
    var now: Moment
    /// At which certificates are checked and tokens are signed; nil: the system's clock has it.
    var timeForServers: WallTime?
    /// Becomes one batch when the step ends.
    var writes = StepWrites()
    var effects: [Effect] = []
    /// What phones and contacts are told beside events; the delivery takes it over before anything is sent.
    var answers: [Answer] = []

    // MARK: From step to step

    @Boxed var configuration: Configuration
    var life: Life = .fresh
    /// A single change while the daemon is stopped: nothing is opened and nothing of a start is told.
    var isOffline = false
    var startedAt: BootTime = .zero
    var bootMark = ""
    /// The panel as it is known now.
    var panel = PanelState()
    /// The store takes what is written.
    var isStoreGood = true
    /// The newest stored event.
    var lastSequence: SequenceNumber = .zero
    /// The number of this journal: eight hexadecimal digits.
    var log = "00000000"
    /// The oldest event that the journal is known to hold.
    var oldest = SequenceNumber.zero
    /// The channels to people that are configured, in the order of `ChannelKind`.
    var channels: [ChannelKind] = []
    /// The box's public key towards push services, once the channel has it: phones subscribe with it.
    var pushKey: [UInt8]?
    /// Which number a receiver was told last.
    var receiver: ReceiverRecord?
    /// Who has heard lately that the box lives.
    var watch = WatchCounts()
    /// Until then a call may keep the modem from carrying data.
    var modemCallsUntil = BootTime.zero
    /// Where names were found last.
    var addresses: [RememberedAddress] = []
    /// Whoever changes it calls `bookChanged`.
    var book = PhoneBook()
    /// The disk has taken the book of this run, and with it the count of this start.
    var isBookStored = false
    /// What cannot be read now may be sound: it is not written over.
    var isBookReadable = true
    /// Paired and not on the disk yet: it is not obeyed.
    var entering: PhoneID?
    /// Of each phone of the book.
    var counters: [LastCounter] = []
    /// The newest commands of phones: events that they cause name them.
    var causes: [PhoneCause] = []
    /// The store has told where its numbers stand.
    var knowsJournal = false
    var isMaintenance = false
    var marks = UnstoredMarks()
    var clients: [Client] = []
    var questions = Questions()
    var nextAnswer: UInt64 = 1 << 40
    #if SABOTAGE
        var sabotage: Sabotage?
    #endif

    enum Life: String, Codable, Equatable, Sendable {
        case fresh, running, stopping, finished
    }

    init(_ configuration: Configuration, at now: Moment) {
        self.configuration = configuration
        self.now = now
    }
}

/// Numbers for alarms that may have to leave before they are stored.
struct UnstoredMarks: Codable, Equatable, Sendable {
    private var nextAlarm: UInt64 = 1
    /// Duress counts apart: a gap would betray it.
    private var nextDuress: UInt64 = 1 << 32

    mutating func next(_ boot: String, isDuress: Bool) -> UnstoredMark {
        if isDuress {
            nextDuress += 1
            return UnstoredMark(boot: boot, counter: nextDuress - 1)
        }
        nextAlarm += 1
        return UnstoredMark(boot: boot, counter: nextAlarm - 1)
    }
}

extension Step {
    /// As servers see it: what is told to them, or signed for them, has this time.
    var nowForServers: Moment {
        Moment(boot: now.boot, wall: timeForServers ?? now.wall, isWallTrusted: now.isWallTrusted)
    }
}

// MARK: Writing down

extension Step {
    /// Notes a fact of the box itself.
    /// - Parameter about: who or what it is about, where the code alone does not say it
    mutating func note(_ type: EventType, _ code: EventCode, _ message: String, about: EventAbout? = nil) {
        record(event(type, code, message), about: about)
    }

    /// Takes an event into the present step.
    mutating func record(_ event: Event, about: EventAbout? = nil) {
        if let about { writes.subjects.append(StepWrites.Subject(event: writes.events.count, about: about)) }
        var event = event
        event.about = about?.stored
        if isMaintenance { event.flags.insert(.maintenance) }
        // Every alarm carries the mark, so that a copy that had to leave before its row merges with it.
        if event.priority == .alarm {
            event.unstored = marks.next(bootMark, isDuress: event.flags.contains(.duress))
        }
        writes.events.append(event)
    }

    mutating func takeWrites() -> StepWrites {
        defer { writes = StepWrites() }
        return writes
    }

    /// Notes a fact that phones hear of, whatever its class.
    mutating func announce(
        _ type: EventType, _ code: EventCode, _ message: String, only: PhoneID? = nil, except: PhoneID? = nil,
        about: EventAbout? = nil
    ) {
        announce(event(type, code, message), to: only.map { .only($0) } ?? .everybody(except: except), about: about)
    }

    mutating func announce(
        _ event: Event, to audience: OutboxAudience = .everybody(except: nil), about: EventAbout? = nil,
        picture: PictureReference? = nil
    ) {
        writes.announcements.append(
            Announcement(event: writes.events.count, audience: audience, picture: picture))
        record(event, about: about)
    }

    /// A fact of the box itself, now.
    func event(_ type: EventType, _ code: EventCode, _ message: String) -> Event {
        Event(
            type: type, code: code.rawValue, raw: code.rawValue, message: message, time: now.wall,
            isTimeTrusted: now.isWallTrusted)
    }

    /// The phone book was changed and is to be stored with this step.
    mutating func bookChanged() {
        // What could not be read is not written over.
        guard isBookReadable else { return }
        book.version += 1
        writes.writesPhoneBook = true
    }

    /// Changes the book and answers when that is stored. Nobody's duress mark is told anywhere.
    mutating func changeBook(_ client: ConnectionID, _ words: String, _ change: (inout PhoneBook) -> Void) {
        if let why = whyUnchangeable { return refuse(why, client) }
        change(&book)
        bookChanged()
        note(.info, .phones, words)
        wait(.replyChanged(client, words))
    }

    /// Why the phone book cannot be changed now.
    var whyUnchangeable: String? {
        guard isBookReadable else {
            return "the phones' file could not be read; restart the daemon, and look at the card if that goes on"
        }
        return isStoreGood ? nil : "storage failed; nothing was changed. See \(Hint.status)"
    }

    /// Goes on when this step is durable.
    mutating func wait(_ next: Continuation.Step) { writes.continuations.append(next) }

    mutating func log(_ entry: LogEntry) { effects.append(.log(entry)) }
}

// MARK: Answering control clients

extension Step {
    /// One of several answers to a client; dropped when it has left.
    mutating func reply(_ reply: ControlReply, to id: ConnectionID) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].ordered += 1
        effects.append(.reply(id, reply))
    }

    /// The last answer to its request: the client may ask for something else.
    mutating func finishRequest(of id: ConnectionID, with answer: ControlReply) {
        guard let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].role = .idle
        reply(answer, to: id)
    }

    mutating func refuse(_ why: String, _ client: ConnectionID) { finishRequest(of: client, with: .error(why)) }
}
