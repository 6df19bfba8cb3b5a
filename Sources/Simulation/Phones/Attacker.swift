import AlarmModel
import PhoneProtocol

/// What the attacker does.
enum Attack: Codable, Equatable, Sendable {
    case replayUp(Int)
    /// The newest commands once more.
    case repeatNewest
    case replayDown(Int)
    case alterUp
    case alterDown
    /// Envelopes for one phone go to another.
    case wrongPhone
    case dropUp(Duration)
    case dropDown(Duration)
    /// Commands of a phone are kept back for so long.
    case holdCommands(Int, Duration)
    /// What was kept back for its time goes on.
    case release
}

/// Sits at the push service: records everything, and can drop, delay, repeat, alter and misdirect it.
struct Attacker: Equatable, Sendable {
    private struct Held: Equatable, Sendable {
        var phone: Int
        var data: JSON
        var until: BootTime
    }
    private(set) var up: [JSON] = []
    private(set) var commands: [JSON] = []
    private(set) var down: [JSON] = []
    private var held: [Held] = []
    private var holding: (phone: Int, until: BootTime)?
    private var dropsUpUntil = BootTime.zero
    private(set) var dropsDownUntil = BootTime.zero
    private(set) var hasDroppedDown = false
    private var serial = 0

    private static let memory = 300

    static func == (a: Attacker, b: Attacker) -> Bool { a.serial == b.serial && a.held == b.held }
    func hash(into hasher: inout Hasher) { hasher.combine(serial) }

    mutating func hold(_ phone: Int, until: BootTime) { holding = (phone, until) }

    /// A message of a phone passes by; false: it does not go on now.
    mutating func lets(
        _ data: JSON, from phone: Int, isCommand: Bool, at now: BootTime, _ chance: inout Jitter
    ) -> Bool {
        serial += 1
        let isKnown = commands.contains(data)
        if isCommand, !isKnown { commands.append(data) }
        up.append(data)
        if up.count > Self.memory { up.removeFirst() }
        if commands.count > Self.memory { commands.removeFirst() }
        if let holding, holding.phone == phone, holding.until > now, isCommand || isKnown {
            if !held.contains(where: { $0.data == data }) {
                held.append(Held(phone: phone, data: data, until: holding.until))
            }
            return false
        }
        return dropsUpUntil <= now || chance.next() % 2 == 0
    }

    mutating func lets(_ data: JSON, to phone: Int, at now: BootTime, _ chance: inout Jitter) -> Bool {
        down.append(data)
        if down.count > Self.memory { down.removeFirst() }
        return dropsDownUntil <= now || chance.next() % 2 == 0
    }

    /// What goes on after all; nil: everything.
    mutating func takeHeld(at now: BootTime?) -> [Happening] {
        let due = held.filter { held in now.map { held.until <= $0 } ?? true }
        held.removeAll { due.contains($0) }
        return due.enumerated().map { number, held in
            .pushTakes(phone: held.phone, id: "held-\(serial)-\(number)", held.data)
        }
    }

    mutating func dropUp(until end: BootTime) { dropsUpUntil = end }

    mutating func dropDown(until end: BootTime) {
        dropsDownUntil = end
        hasDroppedDown = true
    }

    mutating func rest() {
        holding = nil
        dropsUpUntil = .zero
        dropsDownUntil = .zero
    }

    mutating func nextName() -> String {
        serial += 1
        return "attack-\(serial)"
    }

    /// One bit of the envelope is another.
    static func altered(_ data: JSON, _ chance: inout Jitter) -> JSON {
        guard let text = data["e"]?.stringValue, var bytes = try? Base64URL.decode(text), !bytes.isEmpty else {
            return data
        }
        bytes[Int(chance.next() % UInt64(bytes.count))] ^= 1 << UInt8(chance.next() % 8)
        let members = (data.objectValue ?? []).map { member in
            member.key == "e" ? JSON.Member(key: "e", value: .string(Base64URL.encode(bytes))) : member
        }
        return .object(members)
    }
}
