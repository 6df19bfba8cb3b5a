package import AlarmModel
package import Companion
package import PhoneProtocol

/// A phone with the app, as a machine: the app's library around a push service, with the manners of the real client
/// library (docs/messages.md B.5). It sends now or never, and nothing of its own accord before its channel stands.
///
/// It prints lines that programs can wait for: `ready`, `digits 123456`, `event …`, `command 3 disarm ok` and so on.
package struct VirtualPhone<C: Crypto>: Sendable {
    /// What the shell does for it, in this order.
    package enum Action: Equatable, Sendable {
        /// One line to the push service.
        case tell(JSON)
        case print(String)
        /// Keep `memory`, `secrets` and `token` durably before doing what follows.
        case store
        case quit
    }

    package private(set) var token: String
    private let addressKind: ContactAddress.Kind
    package private(set) var phone: PairedPhone<C>?
    package private(set) var pairing: PhonePairing<C>?
    /// Shown last; the owner types them at the box.
    package private(set) var digits: String?
    package private(set) var isReady = false
    package private(set) var isOnline = true
    /// Its owner waits until a command can be given.
    private var isPreparing = false
    private let name: String
    private let signers: PhoneSigners
    private let crypto: C
    private var nextMessage = 1

    /// `token` as the push service knows the phone, or `host/topic` where it lives by a topic server; `stored` as it was
    /// kept after `Action.store`.
    package init(
        token: String, addressKind: ContactAddress.Kind = .fcmToken, name: String, signers: PhoneSigners, crypto: C,
        stored: (secrets: PhoneSecrets, memory: PhoneMemory)? = nil
    ) {
        self.token = token
        self.addressKind = addressKind
        self.name = name
        self.signers = signers
        self.crypto = crypto
        phone = stored.map {
            PairedPhone(secrets: $0.secrets, memory: $0.memory, crypto: crypto, signers: signers)
        }
    }

    package var nextDeadline: BootTime? {
        [pairing?.nextDeadline, phone?.nextDeadline].compactMap { $0 }.min().map {
            BootTime(nanoseconds: $0.multipliedReportingOverflow(by: 1_000_000).partialValue)
        }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [Action]) {
        let time = Self.time(now)
        if pairing?.timerFired(at: time) == true { sendFrame(&actions) }
        if case .failed(let why) = pairing?.phase {
            actions.append(.print("pairing failed: \(why)"))
            pairing = nil
        }
        withPhone(at: time, &actions) { $0.timerFired(at: time, into: &$1) }
    }

    /// The connection to the push service stands.
    package mutating func connected(into actions: inout [Action]) {
        isReady = false
        actions.append(.tell(.object(["hello": .string(token), "client": .string("ios")])))
        if !isOnline { actions.append(.tell(.object(["online": .bool(false)]))) }
    }

    /// One line of the push service; what it does not know is passed over.
    package mutating func heard(_ line: JSON, at now: Moment, into actions: inout [Action]) {
        let time = Self.time(now)
        if line["ready"]?.boolValue == true {
            isReady = true
            actions.append(.print("ready"))
            if pairing?.phase == .waiting { sendFrame(&actions) }
            withPhone(at: time, &actions) { $0.becameReachable(at: time, into: &$1) }
        } else if line["deleted"]?.boolValue == true {
            actions.append(.print("deleted"))
            withPhone(at: time, &actions) { $0.becameReachable(at: time, into: &$1) }
        } else if let error = line["error"] {
            actions.append(.print("error \(error["code"]?.integerValue ?? 0) for \(error["id"]?.stringValue ?? "?")"))
        } else if let new = line["token"]?.stringValue {
            token = new
            actions += [.store, .print("token \(new)")]
            withPhone(at: time, &actions) { [addressKind] phone, wanted in
                phone.addressChanged(to: ContactAddress(kind: addressKind, value: new), at: time, into: &wanted)
                phone.becameReachable(at: time, into: &wanted)
            }
        } else if let text = line["message"]?["data"]?["e"]?.stringValue, let bytes = PhoneWire.bytes(text) {
            received(bytes, at: time, &actions)
        } else if let problem = line["problem"]?.stringValue {
            actions.append(.print("problem: \(problem)"))
        }
    }

    private mutating func received(_ bytes: [UInt8], at time: PhoneTime, _ actions: inout [Action]) {
        if pairing?.phase == .waiting {
            pairing?.received(bytes)
            switch pairing?.phase {
            case .digits(let digits, let site):
                self.digits = digits
                actions.append(.print("digits \(digits)"))
                actions.append(.print("type them at the box '\(site)': howalarming phones confirm \(digits)"))
                if let paired = pairing?.paired {
                    phone = PairedPhone(
                        secrets: paired.secrets, memory: paired.memory, crypto: crypto, signers: signers)
                    actions.append(.store)
                }
                pairing = nil
                return
            case .failed(let why):
                actions.append(.print("pairing failed: \(why)"))
                pairing = nil
                return
            case .waiting, nil: break
            }
        }
        withPhone(at: time, &actions) { $0.received(bytes, at: time, into: &$1) }
    }

    // MARK: What its owner does

    package mutating func pair(_ code: String, at now: Moment, into actions: inout [Action]) {
        do throws(PairingProblem) {
            pairing = try PhonePairing(
                code: code, name: name, addresses: [ContactAddress(kind: addressKind, value: token)], signers: signers,
                crypto: crypto, at: Self.time(now))
            actions.append(.print("pairing"))
            if isReady { sendFrame(&actions) }
        } catch {
            actions.append(.print("pairing failed: \(error)"))
        }
    }

    package mutating func give(_ command: HouseCommand, at now: Moment, into actions: inout [Action]) {
        guard phone?.secrets != nil else { return actions.append(.print("not paired; pair first")) }
        let time = Self.time(now)
        withPhone(at: time, &actions) { phone, wanted in
            let id = phone.give(command, at: time, into: &wanted)
            guard let record = phone.memory.commands.first(where: { $0.id == id }), record.outcome == .pending else {
                return
            }
            wanted.insert(.command(record), at: 0)
        }
    }

    /// A ping, as when the app comes to the front.
    package mutating func ping(at now: Moment, into actions: inout [Action]) {
        let time = Self.time(now)
        withPhone(at: time, &actions) { $0.becameReachable(at: time, into: &$1) }
    }

    package mutating func sync(at now: Moment, into actions: inout [Action]) {
        let time = Self.time(now)
        withPhone(at: time, &actions) { $0.fillGaps(at: time, into: &$1) }
    }

    /// Has a challenge at hand before a command is given, and says so.
    package mutating func prepare(at now: Moment, into actions: inout [Action]) {
        let time = Self.time(now)
        isPreparing = true
        withPhone(at: time, &actions) { $0.prepareCommand(at: time, into: &$1) }
    }

    package mutating func snapshot(at now: Moment, into actions: inout [Action]) {
        let time = Self.time(now)
        withPhone(at: time, &actions) { $0.askForSnapshot(at: time, into: &$1) }
    }

    package mutating func list(_ name: BoxList.Name, at now: Moment, into actions: inout [Action]) {
        let time = Self.time(now)
        withPhone(at: time, &actions) { $0.askForList(name, at: time, into: &$1) }
    }

    package mutating func setOnline(_ isOnline: Bool, into actions: inout [Action]) {
        self.isOnline = isOnline
        isReady = false
        actions += [.tell(.object(["online": .bool(isOnline)])), .print(isOnline ? "online" : "offline")]
    }

    /// The connection to the push service is gone.
    package mutating func disconnected(into actions: inout [Action]) {
        isReady = false
        actions.append(.print("disconnected"))
    }

    /// Its browser takes pushes there from now on (docs/pairing.md 4, kind 6).
    package mutating func subscribed(_ subscription: String, at now: Moment, into actions: inout [Action]) {
        let time = Self.time(now)
        withPhone(at: time, &actions) {
            $0.addressChanged(to: ContactAddress(kind: .webPush, value: subscription), at: time, into: &$1)
        }
    }

    // MARK: -

    private mutating func sendFrame(_ actions: inout [Action]) {
        guard let pairing else { return }
        send(pairing.frame, to: Self.topic(of: pairing), &actions)
    }

    private static func topic(of pairing: PhonePairing<C>) -> String? {
        pairing.servers.first { $0.kind == 1 }.map { "\($0.place)/\(pairing.topicUp)" }
    }

    /// As the box has named it; before that its own with the ending that all have.
    private var commandTopic: String {
        let named = phone?.memory.commandAddresses.flatMap { try? JSON(parsing: $0) }?.arrayValue ?? []
        return named.first { $0["k"]?.stringValue == "1" }?["v"]?.stringValue ?? token + "--"
    }

    /// - Parameter topic: on a topic server; nil: the command topic. To a push service's account there is one way only.
    private mutating func send(_ bytes: [UInt8], to topic: String? = nil, _ actions: inout [Action]) {
        var members = PhoneWire.inbound(bytes).map { JSON.Member(key: $0.key, value: .string($0.value)) }
        if addressKind == .topic {
            members.append(JSON.Member(key: "to", value: .string(topic ?? commandTopic)))
        }
        let data = JSON.object(members)
        actions.append(
            .tell(
                .object([
                    "send": .object(["id": .string("p\(nextMessage)"), "data": data, "ttl": .integer(0)])
                ])))
        nextMessage += 1
    }

    private mutating func withPhone(
        at time: PhoneTime, _ actions: inout [Action],
        _ body: (inout PairedPhone<C>, inout [PhoneAction]) -> Void
    ) {
        guard var paired = phone else { return }
        // Moved out and in again, so that the log is not copied.
        phone = nil
        var wanted: [PhoneAction] = []
        body(&paired, &wanted)
        phone = paired
        defer {
            if isPreparing, paired.isPrepared(at: time) {
                isPreparing = false
                actions.append(.print("prepared"))
            }
        }
        for action in wanted {
            switch action {
            case .store: if actions.last != .store { actions.append(.store) }
            case .send(let bytes): send(bytes, &actions)
            // Its keys answer at once.
            case .sign: break
            case .numbered: break
            case .arrived(let event):
                actions.append(.print("event \(PhoneText.row(event))"))
                if let notice = PhoneText.notice(event, of: paired.memory) {
                    actions.append(.print("notice \(notice.title) | \(notice.text)"))
                }
            case .changed: if paired.memory.view.isTwoBoxes { actions.append(.print(HouseView.twoBoxesText)) }
            case .overdue(let since): actions.append(.print(PhoneText.overdue(since)))
            case .heardAgain(let since):
                actions.append(
                    .print("the box is heard of again; it had been silent since \(PhoneText.time(since))"))
            case .picture(let picture):
                actions.append(.print("picture of the camera '\(picture.camera)', which the app can show"))
            case .answered: break
            case .command(let record): actions.append(.print(PhoneText.command(record)))
            case .listed(let list): actions += PhoneText.rows(list).map { .print($0) }
            case .welcomed:
                actions.append(
                    .print(
                        "paired with \(paired.memory.siteName): \((paired.memory.roles ?? []).joined(separator: ","))"))
            case .left: actions.append(.print("the box has ended the pairing; the log stays"))
            }
        }
    }

    private static func time(_ now: Moment) -> PhoneTime {
        PhoneTime(uptime: now.boot.nanoseconds / 1_000_000, wall: now.wall.seconds)
    }
}
