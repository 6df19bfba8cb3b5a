import AlarmModel
import ApplianceCore
import PanelLink
import PhoneProtocol
import Platform
import Simulators

/// The core on a fake clock: a panel that answers by itself, a disk that answers as told, clients that read or do not.
struct Bench {
    enum DiskMode {
        case answers
        case silent
        case fails(StoreFailure)
        /// Refuses a transaction with an event of this code.
        case rejects(String)
    }

    /// Behind a reference: each copy of a value of its size is hundreds of instructions in each test that makes one.
    private var boxed: Copied<Appliance>
    var core: Appliance {
        _read { yield boxed.value }
        _modify { yield &boxed.value }
    }
    var configuration: Configuration
    var now: Moment = Bench.start
    /// What came of everything, in order.
    var history: [Effect] = []
    var web = WebServer()
    /// The provider of telephone calls, where one is configured.
    var caller = CallServer()
    var inputs: [(input: Input, at: Moment)] = []
    var disk: DiskMode = .answers
    /// Ordered and not answered.
    var ordered: [Batch] = []
    var stored: [StoredEvent] = []
    var duress: [Event] = []
    var ledger: [LedgerRow] = []
    var snapshot: Snapshot?
    var batches: [Batch] = []
    /// Reads wait here while `answersReads` is false.
    var answersReads = true
    /// So many reads of the outbox fail first.
    var failingOutboxReads = 0
    var reads: [(id: QueryID, query: EventQuery)] = []
    /// Messages that only the disk has cannot be read.
    var failsMessages = false
    /// Numbers that one page looks at.
    var window = Int64.max
    /// Clients that take nothing off the socket.
    var lazyClients: [ConnectionID] = []
    var replies: [(client: ConnectionID, reply: ControlReply)] = []
    var timers: [(id: TimerID, at: BootTime)] = []
    /// The worker thread answers.
    var checksPINs = true
    var listens = true
    var connection: ConnectionID?
    /// Whether the panel acknowledges commands.
    var acknowledges = true
    /// The panel takes every line and says nothing.
    var isPanelSilent = false
    /// The push service, the keys and what the store keeps for phones.
    var push = PushWorld()
    /// FCM over HTTP, where it is configured.
    var fcm = FCMServer()
    /// The topic server, where one is configured.
    var topics = TopicServer()
    /// The mail server, where one is configured.
    var mail = MailServer()
    /// The work queue, where one is configured.
    var queue = QueueServer()
    /// The broker, where one is configured.
    var broker = BrokerServer()
    /// The links, where some are configured.
    var net = LinkWorld()
    /// The XMPP server, where an account is configured.
    var chat = ChatServer()
    /// The fetcher of newer versions, where a host is named.
    var fetcher = FetchServer()
    /// The taker of pictures, where cameras are configured.
    var taker = PictureTaker()
    /// Whoever mails the history, where it is configured.
    var mailer = HistoryMailer()
    /// The server of the UPS, where one is configured.
    var ups = UPSServer()
    /// The receiver, where one is configured.
    var receiver = ReceiverServer()
    /// What Anna has written so far.
    var saidCount = 0
    /// The box's key towards push services.
    var pushKey = KeptPushKey()
    private var todo: [Input] = []
    private var replyCounts: [(client: ConnectionID, count: UInt64)] = []
    private var isRunning = false

    static let start = Moment(
        boot: BootTime(nanoseconds: 1_000_000_000_000), wall: WallTime(milliseconds: 1_795_000_000_000),
        isWallTrusted: true)
    static let password = "pWd9x"
    static let master = "918273"
    static let installer = "564738"

    static func client(_ number: UInt64) -> ConnectionID { ConnectionID(Appliance.firstClient.number + number) }

    static func configuration() -> Configuration {
        var panel = PanelSettings(
            password: Secret(password), masterCode: Secret(master), installerCode: Secret(installer),
            names: SiteNames(zones: [SiteNames.Zone(number: 3, name: "Kitchen window", partition: 1)]))
        panel.partitions = [1]
        return Configuration(siteName: "Mill", panelHost: "192.0.2.7", panel: panel)
    }

    init(_ configuration: Configuration = Bench.configuration()) {
        self.configuration = configuration
        boxed = Copied(Appliance(configuration: configuration))
    }

    /// Started, connected, logged in and in step.
    static func up(_ configuration: Configuration = Bench.configuration()) -> Bench {
        var bench = Bench(configuration)
        bench.start(configuration)
        bench.logIn()
        return bench
    }

    mutating func start(
        _ configuration: Configuration = Bench.configuration(), _ change: (inout Start) -> Void = { _ in }
    ) {
        var start = Start(configuration: configuration, seed: 7, bootMark: "0000beef")
        change(&start)
        feed(.started(start))
    }

    mutating func logIn() {
        panel("5053")
        advance(.seconds(1))
    }

    // MARK: Facts

    mutating func feed(_ input: Input) {
        todo.append(input)
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        var count = 0
        while !todo.isEmpty {
            count += 1
            precondition(count < 100_000, "the core and its world answer each other for ever")
            guard let next = net.arriving(todo.removeFirst(), at: now) else { continue }
            inputs.append((next, now))
            var effects: [Effect] = []
            core.handle(next, at: now, into: &effects)
            for effect in effects { carryOut(effect) }
            answerDisk()
        }
    }

    /// Lines without checksum: code and data.
    mutating func panel(_ lines: String...) {
        guard let connection else { return }
        let bytes = lines.flatMap { Frame.bytes(code: String($0.prefix(3)), data: String($0.dropFirst(3))) }
        feed(.received(connection, bytes))
    }

    mutating func ask(_ request: ControlRequest, as number: UInt64 = 1) {
        let client = Self.client(number)
        if !replyCounts.contains(where: { $0.client == client }) {
            replyCounts.append((client, 0))
            feed(.accepted(client))
        }
        feed(.request(client, request))
    }

    /// A command goes out a moment after the last line came.
    mutating func settle() { advance(.milliseconds(30)) }

    mutating func leave(_ number: UInt64 = 1) { feed(.closed(Self.client(number), .finished)) }

    /// The lazy client has taken everything off the socket.
    mutating func catchUp(_ number: UInt64 = 1) {
        let client = Self.client(number)
        feed(.sent(client, upTo: replyCounts.first { $0.client == client }?.count ?? 0))
    }

    mutating func advance(_ span: Duration) {
        let target = now.boot + span
        var count = 0
        while true {
            let next = timers.filter { $0.at <= target }.min { $0.at < $1.at }
            let service = nextService
            if let service, service <= next?.at ?? target {
                pass(to: max(service, now.boot))
                wakeServices()
                continue
            }
            guard let next else { break }
            count += 1
            precondition(count < 200_000, "a deadline does not move")
            pass(to: max(next.at, now.boot))
            timers.removeAll { $0.id == next.id }
            feed(.timer(next.id))
        }
        pass(to: target)
    }

    private mutating func pass(to time: BootTime) {
        now.wall = now.wall + (time - now.boot)
        now.boot = time
    }

    // MARK: The world's part

    private mutating func carryOut(_ effect: Effect) {
        history.append(effect)
        let refusal = net.refusal(of: effect)
        if let refusal { refuse(refusal) }
        defer { if refusal != nil { refuse(nil) } }
        if let answers = net.carryOut(effect, at: now) ?? served(effect) ?? fetcher.carryOut(effect) ?? taker.carryOut(
            effect)
            ?? mailer.carryOut(effect)
            ?? ups.carryOut(effect) ?? receiver.carryOut(effect)
        {
            todo += answers
            return
        }
        switch effect {
        case .open(let id, _, _) where PushWorld.owns(id): todo += push.server.opened(id)
        case .open(let id, _, _):
            todo.append(listens ? .connected(id) : .closed(id, .refused))
            if listens { connection = id }
        case .send(let id, let bytes) where PushWorld.owns(id):
            todo += push.server.received(id, bytes, at: now) { [rows = push.messages] message in
                rows.contains { $0.message.text == message }
            }
        case .send(let id, let bytes): if id == connection { answerPanel(id, bytes) }
        case .close(let id) where PushWorld.owns(id): push.server.closed(id)
        case .close(let id): if id == connection { connection = nil }
        case .startTLS(let id, _, _, _): todo.append(.secured(id))
        case .openLocal(let id, _): todo.append(.closed(id, .refused))
        case .locate(let id, _, _): todo.append(.located(id, .records([])))
        case .compute(let id, .signRS256): todo.append(.computed(id, .bytes([1, 2, 3])))
        case .compute(let id, let job): todo.append(.computed(id, TransportComputation.answer(to: job, pushKey)))
        case .derive(let id, let job): if checksPINs { todo.append(.derived(id, Self.derive(job))) }
        case .vault(let id, let job): todo += push.carryOut(id, job)
        case .readMessages(let id, _) where failingOutboxReads > 0:
            failingOutboxReads -= 1
            todo.append(.rows(id, .failed(Self.broken)))
        case .readMessages(let id, let query):
            todo.append(.rows(id, failsMessages ? .failed(Bench.broken) : .messages(push.page(query))))
        case .commit(let batch):
            ordered.append(batch)
            batches.append(batch)
        case .read(let id, let query):
            if answersReads { todo.append(.rows(id, .page(page(query)))) } else { reads.append((id, query)) }
        case .setTimer(let id, let time):
            timers.removeAll { $0.id == id }
            if let time { timers.append((id, time)) }
        case .reply(let client, let reply):
            replies.append((client, reply))
            guard let index = replyCounts.firstIndex(where: { $0.client == client }) else { return }
            replyCounts[index].count += 1
            if !lazyClients.contains(client) { todo.append(.sent(client, upTo: replyCounts[index].count)) }
        case .resolve, .pause, .resume, .watchLinks, .readLinks, .useNameServers, .modem, .notify, .log, .reboot,
            .stick,
            .update, .healthy,
            .finish:
            break
        }
    }

    /// What the services say to it; nil: it is for none of them.
    private mutating func served(_ effect: Effect) -> [Input]? {
        fcm.carryOut(effect, at: now) ?? web.carryOut(effect, at: now) ?? topics.carryOut(effect, at: now)
            ?? chat.carryOut(effect, at: now) ?? mail.carryOut(effect, at: now) ?? queue.carryOut(effect, at: now)
            ?? broker.carryOut(effect, at: now) ?? caller.carryOut(effect, at: now)
    }

    /// When a service does something by itself.
    private var nextService: BootTime? {
        [
            fcm.nextDeadline, web.nextDeadline, topics.nextDeadline, chat.nextDeadline,
            mail.nextDeadline, queue.nextDeadline, broker.nextDeadline, net.dialogues.nextDeadline,
        ].compactMap { $0 }.min()
    }

    private mutating func wakeServices() {
        for input in fcm.awake(at: now) + web.awake(at: now) + topics.awake(at: now) + chat.awake(at: now)
            + mail.awake(at: now) + queue.awake(at: now) + broker.awake(at: now)
        {
            feed(input)
        }
        for input in net.dialogues.takeLate(at: now.boot) { feed(input) }
        if let input = net.renumbered(at: now.boot) { feed(input) }
    }

    private mutating func answerPanel(_ id: ConnectionID, _ bytes: [UInt8]) {
        if isPanelSilent { return }
        let code = String(decoding: bytes.prefix(3), as: UTF8.self)
        var lines: [String] = []
        switch code {
        case "005": lines = ["500005", "5051", "615" + String(repeating: "0", count: 256)]
        case "001": lines = ["500001", "6501", "610003", "8411", "51080", "51100"]
        case "000": lines = ["500000"]
        default: if acknowledges { lines = ["500" + code] }
        }
        let answer = lines.flatMap { Frame.bytes(code: String($0.prefix(3)), data: String($0.dropFirst(3))) }
        if !answer.isEmpty { todo.append(.received(id, answer)) }
    }

    // MARK: Disk

    /// Answers what was ordered, as the mode says.
    mutating func answerDisk() {
        guard let first = ordered.first, let last = ordered.last else { return }
        switch disk {
        case .silent: return
        case .answers: return store()
        case .fails(let failure):
            todo.append(.commitFailed(from: first.id, upTo: last.id, failure))
            ordered = []
        case .rejects(let code):
            guard ordered.contains(where: { $0.events.contains { $0.code == code } }) else { return store() }
            todo.append(.commitFailed(from: first.id, upTo: last.id, StoreFailure(.rejected, "a row")))
            ordered = []
        }
    }

    private mutating func store() {
        guard let last = ordered.last else { return }
        for batch in ordered {
            var numbers: [SequenceNumber?] = []
            for event in batch.events {
                if event.flags.contains(.duress) {
                    duress.append(event)
                    numbers.append(nil)
                } else {
                    numbers.append(lastSequence.next)
                    stored.append(StoredEvent(seq: lastSequence.next, event: event))
                }
            }
            push.keep(batch, numbers)
            ledger += batch.ledger
            snapshot = batch.snapshot ?? snapshot
        }
        ordered = []
        todo.append(.committed(upTo: last.id, last: lastSequence))
    }

    var lastSequence: SequenceNumber { SequenceNumber(Int64(stored.count)) }

    mutating func answer(_ read: (id: QueryID, query: EventQuery)) { feed(.rows(read.id, .page(page(read.query)))) }

    func page(_ query: EventQuery) -> EventPage {
        let top = min(lastSequence.number, (query.before?.number ?? .max) - 1)
        let after = query.after.number
        guard after < top else {
            return EventPage(events: [], cursor: SequenceNumber(max(after, top)), hasMore: false)
        }
        let width = min(window, top - after)
        func matching(_ range: ClosedRange<Int64>) -> [StoredEvent] {
            stored[Int(range.lowerBound - 1)..<Int(range.upperBound)].filter { row in
                (query.zone == nil || row.event.zone == query.zone)
                    && (query.partition == nil || row.event.partition == query.partition)
                    && (query.types.isEmpty || query.types.contains(row.event.type))
            }
        }
        switch query.order {
        case .oldestFirst:
            let found = matching(after + 1...after + width)
            let events = Array(found.prefix(query.limit))
            let cursor = found.count > query.limit ? events[events.count - 1].seq.number : after + width
            return EventPage(events: events, cursor: SequenceNumber(cursor), hasMore: cursor < top)
        case .newest:
            let found = matching(top - width + 1...top)
            let events = Array(found.suffix(query.limit))
            let bottom = found.count > query.limit ? events[0].seq.number : top - width + 1
            return EventPage(
                events: events, cursor: SequenceNumber(top), hasMore: bottom > after + 1,
                bottom: SequenceNumber(bottom))
        }
    }
}
