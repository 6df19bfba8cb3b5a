import AlarmModel
import PhoneProtocol

/// What a signed command asks for (docs/pairing.md 7.1).
enum PhoneAction: Codable, Equatable, Sendable {
    case panel(PanelCommand)
    /// A new address of the phone itself.
    case address(AddressKind, String)
    /// The phone unpairs itself.
    case leave
    /// All acting verbs of another phone, until lifted at the box.
    case suspend(PhoneID)
    /// A person has seen this alarm of this log, and with it those before; without a number all that there are.
    case seen(log: String?, SequenceNumber?)
}

/// A verb with what it demands.
enum PhoneVerb: String, Codable, Equatable, Sendable, CaseIterable {
    case arm, disarm, bypass, output, chime, panic, addr, leave, suspend, seen

    var role: Roles {
        switch self {
        case .arm, .chime: .arm
        case .disarm: .disarm
        case .bypass, .output: .bypass
        case .panic: .panic
        case .suspend: .admin
        case .addr, .leave, .seen: .view
        }
    }

    /// Key 2 wants its owner's presence for every use: what quiets a siren or weakens arming is signed with it, arming
    /// with open zones, too.
    func wantsPresence(_ arguments: Arguments) -> Bool {
        switch self {
        case .disarm, .bypass, .output, .suspend: true
        case .arm: !["0", nil].contains(arguments["f"])
        case .chime, .panic, .addr, .leave, .seen: false
        }
    }

    /// Whether a time is never enough. It is for a new address: the box may know none at which a challenge arrives.
    var wantsChallenge: Bool {
        switch self {
        case .disarm, .bypass, .output, .suspend, .leave: true
        case .arm, .chime, .panic, .addr, .seen: false
        }
    }

    /// Acting verbs are refused to a locked phone.
    var acts: Bool {
        switch self {
        case .arm, .disarm, .bypass, .output, .chime, .panic, .suspend: true
        case .addr, .leave, .seen: false
        }
    }

    /// Refused to a suspended phone: what acts, and the word that its person has seen an alarm.
    var isRefusedWhileSuspended: Bool { acts || self == .seen }

    /// Refused when the partition was armed or disarmed since.
    var takesCondition: Bool {
        switch self {
        case .arm, .disarm: true
        case .bypass, .output, .chime, .panic, .addr, .leave, .suspend, .seen: false
        }
    }

    /// nil when the arguments do not make sense; one that is not known makes no sense either.
    func action(_ arguments: Arguments) -> PhoneAction? {
        guard Self.known(self).isSuperset(of: arguments.pairs.map(\.key)) else { return nil }
        func number(_ key: String, _ range: ClosedRange<Int>) -> Int? {
            arguments[key].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        func flag(_ key: String, otherwise: Bool) -> Bool? {
            switch arguments[key] {
            case nil: otherwise
            case "1": true
            case "0": false
            case .some: nil
            }
        }
        let partition: Int? = arguments["p"] == nil ? 1 : number("p", 1...8)
        switch self {
        case .arm:
            let mode = PanelCommand.ArmRequest(rawValue: arguments["m"] ?? "away")
            guard let partition, let mode, let force = flag("f", otherwise: false) else { return nil }
            return .panel(.arm(partition: partition, mode: mode, force: force))
        case .disarm: return partition.map { .panel(.disarm(partition: $0)) }
        case .bypass:
            guard let zone = number("z", 1...64), let on = flag("on", otherwise: true) else { return nil }
            return .panel(.bypass(zone: zone, bypassed: on))
        case .output:
            guard let partition, let output = number("o", 1...4) else { return nil }
            return .panel(.output(partition: partition, output: output))
        case .chime:
            guard let partition, let on = flag("on", otherwise: true) else { return nil }
            return .panel(.chime(partition: partition, on: on))
        case .panic: return arguments["k"].flatMap(PanelCommand.Panic.init(rawValue:)).map { .panel(.panic($0)) }
        case .addr:
            guard let kind = number("k", 1...6).flatMap({ AddressKind(rawValue: UInt8($0)) }),
                let bytes = arguments["v"].flatMap({ try? Base64URL.decode($0) }), (1...900).contains(bytes.count),
                bytes.allSatisfy({ (33...126).contains($0) })
            else { return nil }
            return .address(kind, String(decoding: bytes, as: UTF8.self))
        case .leave: return .leave
        case .suspend: return arguments["id"].flatMap { PhoneID($0) }.map { .suspend($0) }
        case .seen:
            guard let text = arguments["seq"] else { return .seen(log: nil, nil) }
            guard let seq = Int64(text), seq >= 0, let log = arguments["log"] else { return nil }
            return .seen(log: log, SequenceNumber(seq))
        }
    }

    private static func known(_ verb: PhoneVerb) -> Set<String> {
        switch verb {
        case .arm: ["p", "m", "f"]
        case .disarm: ["p"]
        case .bypass: ["z", "on"]
        case .output: ["p", "o"]
        case .chime: ["p", "on"]
        case .panic: ["k"]
        case .addr: ["k", "v"]
        case .leave: []
        case .suspend: ["id"]
        case .seen: ["log", "seq"]
        }
    }
}
