import AlarmModel
import Foundation
import PhoneLink
import PhoneProtocol

/// A server's half, in the words of RFC 6120, RFC 5802 and XEP-0198.
enum Account {
    static let header =
        "<?xml version='1.0'?><stream:stream from='example.com' id='s1' version='1.0' xml:lang='en' "
        + "xmlns:stream='http://etherx.jabber.org/streams' xmlns='jabber:client'>"
    static let startTLS =
        "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls></stream:features>"
    static let proceed = "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
    static let success = "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"
    static let bindOnly = "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>"
    static let features =
        "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:2'/>"
        + "<sm xmlns='urn:xmpp:sm:3'/></stream:features>"
    static let bound =
        "<iq id='b1' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
        + "<jid>user@example.com/r1</jid></bind></iq>"
    static let enabled = "<enabled xmlns='urn:xmpp:sm:3' id='session-1' resume='true' max='300'/>"

    static func mechanisms(_ names: [String], bindings: [String]? = nil) -> String {
        let kinds = bindings.map { kinds in
            "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>"
                + kinds.map { "<channel-binding type='\($0)'/>" }.joined() + "</sasl-channel-binding>"
        }
        return "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
            + names.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>\(kinds ?? "")</stream:features>"
    }

    static func sasl(_ name: String, _ text: String) -> String {
        "<\(name) xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(Data(text.utf8).base64EncodedString())</\(name)>"
    }

    static func a(_ count: UInt32) -> String { "<a xmlns='urn:xmpp:sm:3' h='\(count)'/>" }

    static func chat(_ id: String, _ body: String, from: String = "anna@example.com/phone", extra: String = "")
        -> String
    {
        "<message from='\(from)' to='user@example.com/r1' id='\(id)' type='chat'><body>\(body)</body>\(extra)</message>"
    }

    static let request = "<request xmlns='urn:xmpp:receipts'/>"

    static func error(_ id: String, _ condition: String, type: String = "cancel") -> String {
        "<message from='anna@example.com' id='\(id)' type='error'><error type='\(type)'>"
            + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>"
    }

    /// A managed session by PLAIN on a connection that is encrypted from the start.
    static let login = [header + mechanisms(["PLAIN"]), success, header + features, bound, enabled]
    static let unmanaged = [header + mechanisms(["PLAIN"]), success, header + bindOnly, bound]

    // RFC 5802 5
    static let nonce = "fyko+d2lbbFgONRv9qkxdawL"
    static let challenge = "r=\(nonce)3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"
    static let proof = "v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="
    static let signature = "rmF9pqV8S7suAoZWja4dJRkFsKQ="
    static let authMessage =
        "n=user,r=\(nonce),\(challenge),c=biws,r=\(nonce)3rfcNHYJY1ZVvWVs7j"
}

func bytes(base64 text: String) -> [UInt8] { Data(base64Encoded: text).map { [UInt8]($0) } ?? [] }

/// An account, a clock and everything that it ordered.
struct AccountBench {
    var channel: XMPPTransport
    var now = Moment(boot: .zero + .seconds(1000), wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)
    var actions: [TransportAction] = []
    private var connections: UInt64 = 0
    /// What the channel can be bound to.
    var binding: [UInt8]?
    var jobs: [TransportJob] = []
    /// SRV records by service; nothing is known of others.
    var services: [(name: String, lookup: ServiceLookup)] = []
    var asked: [String] = []

    init(seed: UInt64 = 1, _ change: (inout XMPPSettings) -> Void = { _ in }) {
        let account = XMPPAddress("User@Example.com") ?? { preconditionFailure("an address") }()
        var settings = XMPPSettings(account: account, password: Secret("pencil"))
        settings.isDirectTLS = true
        change(&settings)
        channel = XMPPTransport(settings: settings, seed: seed)
    }

    static func ready(
        isManaged: Bool = true, seed: UInt64 = 1, _ change: (inout XMPPSettings) -> Void = { _ in }
    ) -> AccountBench {
        var bench = AccountBench(seed: seed, change)
        bench.start()
        bench.connect(isManaged ? Account.login + [Account.a(1)] : Account.unmanaged)
        _ = bench.take()
        return bench
    }

    mutating func take() -> [TransportAction] {
        defer { actions = [] }
        return actions
    }

    var id: ConnectionID { ConnectionID(connections) }

    mutating func start() {
        channel.start(at: now, into: &actions)
        answer()
    }

    mutating func connect(_ steps: [String] = []) {
        connections += 1
        channel.connected(id, slot: DialSlot(0), at: now, into: &actions)
        for step in steps { say(step) }
    }

    mutating func say(_ text: String) { hear(Array(text.utf8)) }

    mutating func hear(_ bytes: [UInt8]) {
        channel.received(id, bytes, at: now, into: &actions)
        answer()
    }

    /// Does what was ordered to be computed, and encrypts.
    mutating func answer() {
        while let place = actions.lastIndex(where: Self.isOrder) {
            switch actions.remove(at: place) {
            case .locate(let name, let service):
                asked.append(service)
                let lookup = services.first { $0.name == service }?.lookup
                channel.located(name, lookup ?? .records([]), at: now, into: &actions)
            case .upgrade(let id, _, _): channel.secured(id, at: now, into: &actions)
            case .compute(let name, let job):
                jobs.append(job)
                channel.computed(name, result(job), at: now, into: &actions)
            default: break
            }
        }
    }

    private static func isOrder(_ action: TransportAction) -> Bool {
        switch action {
        case .upgrade, .compute, .locate: true
        default: false
        }
    }

    private func result(_ job: TransportJob) -> TransportAnswer {
        switch job {
        case .channelBinding: binding.map { .bytes($0) } ?? .failed("TLS 1.2")
        case .random: .bytes(bytes(base64: Account.nonce))
        case .scram:
            .scram(proof: bytes(base64: Account.proof), serverSignature: bytes(base64: Account.signature))
        case .signRS256, .hmacSHA256, .capabilities, .capability, .pushKey, .signPush, .sealPush, .sealReport,
            .openReport:
            .failed("not asked for")
        }
    }

    mutating func fail(_ end: ConnectionEnd = .refused) {
        channel.connectFailed(.dial(.unreachable(end)), slot: DialSlot(0), at: now, into: &actions)
        answer()
    }

    mutating func lose(_ end: ConnectionEnd = .reset) { channel.closed(id, end, at: now, into: &actions) }

    mutating func wait(_ span: Duration) {
        let end = now.boot + span
        while let deadline = channel.nextDeadline, deadline <= end {
            move(to: max(deadline, now.boot))
            channel.timerFired(at: now, into: &actions)
            answer()
        }
        move(to: end)
    }

    private mutating func move(to time: BootTime) {
        now.wall = now.wall + (time - now.boot)
        now.boot = time
    }

    /// Until it dials again.
    mutating func waitForDial() {
        answer()
        for _ in 0..<100 where !actions.contains(where: { if case .connect = $0 { true } else { false } }) {
            guard let deadline = channel.nextDeadline else { return }
            move(to: max(deadline, now.boot))
            channel.timerFired(at: now, into: &actions)
            answer()
        }
    }

    @discardableResult mutating func deliver(
        _ id: String, to: String = "anna@example.com", content: DeliveryContent? = nil, isAlarm: Bool = true,
        wantsReceipt: Bool = true
    ) -> Bool {
        let notice = Notice(title: "ALARM Hall", text: "Zone 3 <Hall> & more", subject: .otherAlarm, time: now.wall)
        let delivery = Delivery(
            message: MessageID(id), address: DeliveryAddress(.phone(.topic), to), content: content ?? .words(notice),
            priority: isAlarm ? .alarm : .info, timeToLive: 3600, wantsReceipt: wantsReceipt)
        return channel.deliver(delivery, at: now, into: &actions)
    }

    mutating func admit(_ jids: String...) { channel.listen(to: jids, at: now, into: &actions) }
}

extension [TransportAction] {
    /// Everything sent, as text.
    var sent: String {
        reduce(into: "") { text, action in
            if case .send(_, let bytes) = action { text += String(decoding: bytes, as: UTF8.self) }
        }
    }
    var accepted: [String] { compactMap { if case .accepted(let id, _) = $0 { id.text } else { nil } } }
    var receivedIDs: [String] { compactMap { if case .received(let id) = $0 { id.text } else { nil } } }
    var returnedIDs: [String] {
        flatMap { (action) -> [String] in if case .returned(let ids) = action { ids.map(\.text) } else { [] } }
    }
    var refusals: [Refusal] { compactMap { if case .refused(_, let refusal) = $0 { refusal } else { nil } } }
    var inbound: [InboundMessage] { compactMap { if case .inbound(let message) = $0 { message } else { nil } } }
    var problemWords: [String] {
        compactMap { if case .problem(let problem?) = $0 { problem.description } else { nil } }
    }
    var targets: [DialTarget] { compactMap { if case .connect(_, let target) = $0 { target } else { nil } } }
    var closes: Int { count { if case .close = $0 { true } else { false } } }
}
