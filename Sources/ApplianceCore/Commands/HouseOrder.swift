import AlarmModel
import PhoneLink
import PhoneProtocol

/// What the broker or the command tube asked for, by the words of HowAlarming (docs/messages.md B.3) or of Home
/// Assistant.
struct HouseOrder: Codable, Equatable, Sendable {
    var verb: HouseVerb
    /// nil for what asks only.
    var command: PanelCommand?
    var code: Secret?

    /// nil: nothing that we know.
    init?(_ text: String, _ inbound: InboundMessage, first: Int) {
        if inbound.channel == .beanstalk {
            guard let job = try? CommandJob(parsing: Array(text.utf8)), let order = HouseOrder(job, first: first)
            else { return nil }
            self = order
            return
        }
        // `BASE/partition/N/set` and the like: the transport listens to no other.
        let parts = inbound.from.split(separator: "/", omittingEmptySubsequences: false)
        let base = parts.dropLast(3).joined(separator: "/")
        switch HomeAssistantWish(topic: inbound.from, payload: text, baseTopic: base) {
        case .panel(let asked):
            (verb, command) = Self.order(asked)
            code = asked.code
        case .chime(let partition, let isOn): (verb, command) = (.chime, .chime(partition: partition, on: isOn))
        case .output(let partition, let number):
            (verb, command) = (.output, .output(partition: partition, output: number))
        case .bypass(let zone, let isOn): (verb, command) = (.bypass, .bypass(zone: zone, bypassed: isOn))
        case nil: return nil
        }
    }

    private static func order(_ asked: HomeAssistantCommand) -> (HouseVerb, PanelCommand) {
        let partition = asked.partition
        return switch asked.action {
        case .disarm: (.disarm, .disarm(partition: partition))
        case .armAway: (.arm, .arm(partition: partition, mode: .away, force: false))
        case .armHome: (.arm, .arm(partition: partition, mode: .stay, force: false))
        case .armNight: (.arm, .arm(partition: partition, mode: .zeroEntry, force: false))
        case .armForce: (.force, .arm(partition: partition, mode: .away, force: true))
        case .trigger: (.panic, .panic(.police))
        }
    }

    /// A word, or one of the few commands of the panel's protocol that mean the same as a word (docs/messages.md B.3).
    /// Whatever else the protocol has is refused: it could bypass, reprogram or quiet the panel.
    private init?(_ job: CommandJob, first: Int) {
        switch job.content {
        case .word(let word):
            switch word {
            // The answer is what the panel reports then, as events.
            case .status: (verb, command) = (.status, .refresh)
            case .arm:
                verb = .arm
                command = .arm(partition: first, mode: .away, force: false)
            case .disarm:
                verb = .disarm
                command = .disarm(partition: first)
            case .fire: (verb, command) = (.fire, .panic(.fire))
            case .medical: (verb, command) = (.medical, .panic(.ambulance))
            case .police: (verb, command) = (.police, .panic(.police))
            }
        case .panel(let number, let data):
            let digits = Array(data.revealed.utf8)
            guard number != "001" else {
                guard digits.isEmpty else { return nil }
                (verb, command) = (.status, .refresh)
                return
            }
            // A partition, or which of the panic keys.
            guard let mark = digits.first, (0x31...0x38).contains(mark) else { return nil }
            let partition = Int(mark - 0x30)
            let rest = digits.dropFirst()
            switch (number, rest.isEmpty) {
            case ("030", true): (verb, command) = (.arm, .arm(partition: partition, mode: .away, force: false))
            case ("031", true): (verb, command) = (.arm, .arm(partition: partition, mode: .stay, force: false))
            case ("032", true): (verb, command) = (.arm, .arm(partition: partition, mode: .zeroEntry, force: false))
            case ("040", _):
                guard rest.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
                (verb, command) = (.disarm, .disarm(partition: partition))
                if !rest.isEmpty { code = Secret(String(decoding: rest, as: UTF8.self)) }
            case ("060", true) where partition == 1: (verb, command) = (.fire, .panic(.fire))
            case ("060", true) where partition == 2: (verb, command) = (.medical, .panic(.ambulance))
            case ("060", true) where partition == 3: (verb, command) = (.police, .panic(.police))
            case (_, _): return nil
            }
        }
    }
}
