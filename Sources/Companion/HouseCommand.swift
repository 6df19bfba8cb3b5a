import PhoneProtocol

/// What a phone can order (docs/pairing.md 7.1), with the arguments as both sides write them:
///
///     arm      p=1;m=away|stay|zero-entry[;f=1]       disarm   p=1          bypass   z=3;on=1|0
///     panic    k=fire|ambulance|police                output   p=1;o=2      suspend  id=16 hexadecimal digits
///     chime    p=1;on=1|0
///     addr     k=kind number;v=base64url of the text  leave                 seen     log=8 hexadecimal digits;seq=…
///
/// `arm` and `disarm` carry the condition `log=…;seq=…`: the place of the state that their owner looked at.
public enum HouseCommand: Codable, Equatable, Sendable {
    public enum ArmMode: String, Codable, Hashable, Sendable, CaseIterable {
        case away, stay
        /// Stay without entry delay.
        case zeroEntry = "zero-entry"
    }
    public enum Panic: String, Codable, Hashable, Sendable, CaseIterable {
        case fire, ambulance, police
    }

    /// `force`: also with zones open.
    case arm(partition: Int, mode: ArmMode, force: Bool)
    case disarm(partition: Int)
    case bypass(zone: Int, on: Bool)
    case panic(Panic)
    case output(partition: Int, number: Int)
    /// The keypad's sound when a door opens.
    case chime(partition: Int, on: Bool)
    /// All acting verbs of another phone (16 hexadecimal digits), until that is lifted at the box.
    case suspend(phone: String)
    /// This phone has a new address; the box probes it before it uses it.
    case address(ContactAddress)
    /// Unpair this phone.
    case leave
    /// A person has seen this alarm: no repeats, the others are told.
    case seen(LogPosition)

    public var verb: String {
        switch self {
        case .arm: "arm"
        case .disarm: "disarm"
        case .bypass: "bypass"
        case .panic: "panic"
        case .output: "output"
        case .chime: "chime"
        case .suspend: "suspend"
        case .address: "addr"
        case .leave: "leave"
        case .seen: "seen"
        }
    }

    /// Signed with key 2, which wants its owner's presence; arming with open zones, too.
    public var wantsPresence: Bool {
        switch self {
        case .disarm, .bypass, .output, .suspend: true
        case .arm(_, _, let force): force
        case .chime, .panic, .address, .leave, .seen: false
        }
    }

    /// A time does not do. It does for a new address: a challenge would go to the old one.
    var wantsChallenge: Bool {
        switch self {
        case .disarm, .bypass, .output, .suspend, .leave: true
        case .arm, .chime, .panic, .address, .seen: false
        }
    }

    var wantsCondition: Bool {
        switch self {
        case .arm, .disarm: true
        case .bypass, .panic, .output, .chime, .suspend, .address, .leave, .seen: false
        }
    }

    var arguments: Arguments {
        switch self {
        case .arm(let partition, let mode, let force):
            force
                ? Arguments(["p": "\(partition)", "m": mode.rawValue, "f": "1"])
                : Arguments(["p": "\(partition)", "m": mode.rawValue])
        case .disarm(let partition): Arguments(["p": "\(partition)"])
        case .bypass(let zone, let on): Arguments(["z": "\(zone)", "on": on ? "1" : "0"])
        case .panic(let kind): Arguments(["k": kind.rawValue])
        case .output(let partition, let number): Arguments(["p": "\(partition)", "o": "\(number)"])
        case .chime(let partition, let on): Arguments(["p": "\(partition)", "on": on ? "1" : "0"])
        case .suspend(let phone): Arguments(["id": phone])
        case .address(let address):
            Arguments(["k": "\(address.kind.rawValue)", "v": Base64URL.encode(Array(address.value.utf8))])
        case .leave: Arguments()
        case .seen(let position): Arguments(["log": position.logText, "seq": "\(position.seq)"])
        }
    }
}
