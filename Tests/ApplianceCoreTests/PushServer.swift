import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// The push service of the simulated world as the core's tests look at it. Every token is somebody's.
struct PushServer {
    enum Answer {
        case ack
        case silence
        case nack(String)
    }

    /// A message that the box has handed over.
    struct Push {
        var json: JSON
        var at: Moment
        var connection: ConnectionID
        /// Its row was on the disk by then.
        var wasStored: Bool

        var id: String { json["message_id"]?.stringValue ?? "" }
        var to: String { json["to"]?.stringValue ?? "" }
        var data: JSON { json["data"] ?? .null }
        var isSealed: Bool { data["e"] != nil }
        /// Sealed bytes.
        var bytes: [UInt8]? { data["e"]?.stringValue.flatMap { try? Base64URL.decode($0) } }
    }

    private static let app = PushClient(kind: .ios, category: "com.example")

    private var machine: PushSimulator
    private var time = BootTime.zero
    var isUp = true
    /// True while the server hears, from somebody in the path, bytes that belong to no dialogue.
    var isCutOff = false
    var answer = Answer.ack {
        didSet {
            var nack = PushFaults.Nack(code: "", times: 0)
            if case .nack(let code) = answer { nack = PushFaults.Nack(code: code, times: .max) }
            var delay = Duration.zero
            if case .silence = answer { delay = .hours(1_000_000) }
            _ = act { $0.perform(.nack(nack), at: $1, into: &$2) }
            _ = act { $0.perform(.delayAcks(delay), at: $1, into: &$2) }
        }
    }
    /// Tokens that nobody has any more.
    var unregistered: [String] = [] {
        didSet {
            for token in oldValue {
                _ = act { $0.phoneRegistered(token, Self.app, at: $1, into: &$2) }
                _ = act { $0.phonePresence(token, .online, at: $1, into: &$2) }
            }
            for token in unregistered {
                _ = act { $0.phoneRegistered(token, Self.app, at: $1, into: &$2) }
                _ = act { $0.phoneUnregistered(token, at: $1, into: &$2) }
            }
        }
    }
    /// What the account's password has to be.
    var key: Secret {
        get { machine.settings.key }
        set { machine.settings.key = newValue }
    }
    /// An app's order that comes with the next login, before the word that the session stands.
    var early: (token: String, id: String, data: JSON)?
    /// In the order of the wire.
    private(set) var pushes: [Push] = []
    /// Ids of inbound messages that the box has acknowledged.
    private(set) var acknowledged: [String] = []

    init() {
        var settings = PushSettings(sender: "123456789012", key: Secret(Bench.apiKey))
        settings.window = 1_000_000
        settings.messagesPerMinute = 1_000_000
        settings.messagesPerHour = 1_000_000
        settings.channelDelay = .zero..<(.nanoseconds(1))
        settings.takesAnyToken = true
        settings.isTraced = true
        machine = PushSimulator(settings: settings, seed: 1)
    }

    var current: ConnectionID? { machine.truth.connections.last { $0.isReady }.map { ConnectionID($0.id) } }
    var logins: Int { machine.truth.tally.logins }

    mutating func opened(_ id: ConnectionID) -> [Input] {
        isUp ? [.connected(id)] + act { $0.accepted(id, at: $1, into: &$2) } : [.closed(id, .refused)]
    }

    mutating func closed(_ id: ConnectionID) { _ = act { $0.closed(id, at: $1, into: &$2) } }

    /// Every connection ends: with a word, or like a cut cable.
    mutating func end(gracefully: Bool) -> [Input] {
        let inputs = act { $0.perform(gracefully ? .closeGraceful : .closeAbrupt, at: $1, into: &$2) }
        if let early {
            self.early = nil
            _ = act { $0.perform(.eager(true), at: $1, into: &$2) }
            _ = inbound(early.id, from: early.token, early.data, ttl: 600)
        }
        return inputs
    }

    mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, isStored: (String) -> Bool
    ) -> [Input] {
        time = now.boot
        let inputs = act(at: now, isStored: isStored) { $0.received(id, bytes, at: $1, into: &$2) }
        let tally = machine.truth.tally
        precondition(
            isCutOff || tally.streamErrors + tally.stanzaErrors == 0,
            "the box wrote what the service does not know")
        return inputs
    }

    /// What the service hands to the box for an app.
    mutating func inbound(_ id: String, from token: String, _ data: JSON, ttl: Int64 = 0) -> [Input] {
        act { $0.phoneSends(token, messageID: id, data: data, ttl: ttl, at: $1, into: &$2) }
    }

    /// A device confirms a message without being asked.
    mutating func receipt(of message: String, token: String) -> [Input] {
        act { $0.perform(.receipt(of: message, token: token), at: $1, into: &$2) }
    }

    /// The app has another token from now on.
    mutating func rename(_ old: String, to new: String) {
        _ = act { $0.phoneRegistered(old, Self.app, at: $1, into: &$2) }
        _ = act { $0.perform(.canonicalID(old: old, new: new), at: $1, into: &$2) }
    }

    private mutating func act(
        at now: Moment = Bench.start, isStored: (String) -> Bool = { _ in false },
        _ body: (inout PushSimulator, BootTime, inout [PushSimulator.Action]) -> Void
    ) -> [Input] {
        var actions: [PushSimulator.Action] = []
        body(&machine, time, &actions)
        return actions.compactMap { action in
            switch action {
            case .send(let id, let bytes): return .received(id, bytes)
            case .close(let id): return .closed(id, .finished)
            case .reset(let id): return .closed(id, .reset)
            case .heard(let id, let json):
                let message = json["message_id"]?.stringValue ?? ""
                if json["message_type"]?.stringValue == "ack" {
                    acknowledged.append(message)
                } else {
                    pushes.append(Push(json: json, at: now, connection: id, wasStored: isStored(message)))
                }
                return nil
            case .stopReading, .resumeReading, .listen, .certificate, .deliver, .deletedMessages, .sendFailed,
                .channelUp, .tokenChanged, .wire:
                return nil
            }
        }
    }
}
