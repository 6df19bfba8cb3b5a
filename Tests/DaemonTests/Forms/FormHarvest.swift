import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulation

@testable import EventStore

/// What simulated houses store, send and record: of values that have the same members the first.
struct FormHarvest {
    private(set) var inputs: [String] = []
    private(set) var replies: [String] = []
    private(set) var books: [String] = []
    private(set) var partitions: [String] = []
    private(set) var zones: [String] = []
    private(set) var systems: [String] = []
    private(set) var boxes: [String] = []
    private(set) var outcomes: [String] = []
    private var shapes: Set<String> = []
    /// Of one kind so many are enough.
    private static let limit = 12
    private var counts: [String: Int] = [:]

    /// Houses that have each channel, links and a modem.
    static let houses: [(seed: UInt64, channels: [ChannelKind]?, hasModem: Bool)] = [
        (1, [.ntfy, .mqtt], false), (5, [.xmpp, .mail], false), (9, [.fcm, .url], false),
        (13, [.program, .beanstalk], false), (21, nil, true), (22, nil, true),
    ]

    mutating func live(_ look: (Input, [Effect]) -> Void = { _, _ in }) throws {
        for house in Self.houses {
            var met: [(input: Input, moment: Moment, effects: [Effect])] = []
            _ = WitnessedRun.live(
                seed: house.seed, span: .minutes(20), channels: house.channels, hasModem: house.hasModem
            ) { met.append(($0, $1, $2)) }
            for (input, _, effects) in met {
                look(input, effects)
                try note(input)
                for effect in effects { try note(effect) }
            }
            let asked = Self.questions(in: met.map { ($0.input, $0.moment) })
            for effect in asked { try note(effect) }
            look(.signal(.terminate), asked)
        }
    }

    /// What a core in the middle of this life answers to everything that may be asked.
    private static func questions(in life: [(input: Input, moment: Moment)]) -> [Effect] {
        guard case .started(let start)? = life.first?.input else { return [] }
        var core = Appliance(configuration: start.configuration)
        var effects: [Effect] = []
        var end = life.first?.moment
        // Up to the end of the first run of the daemon, at most until there are phones.
        for (index, step) in life.enumerated() {
            if index > 0, case .started = step.input { break }
            if index > 4000 { break }
            core.handle(step.input, at: step.moment, into: &effects)
            end = step.moment
        }
        guard let end else { return [] }
        effects = []
        let requests: [ControlRequest] = [
            .status, .panel, .links(isTest: false), .trace, .people(.list), .phones(.list), .phones(.dead(limit: 10)),
            .console(.begin), .maintenance(on: nil),
        ]
        for (index, request) in requests.enumerated() {
            let client = ConnectionID(Appliance.firstClient.number + 1000 + UInt64(index))
            core.handle(.accepted(client), at: end, into: &effects)
            core.handle(.request(client, request), at: end, into: &effects)
        }
        return effects
    }

    private mutating func note(_ input: Input) throws {
        switch input {
        case .received, .sent: break
        default: try add(input, of: "input", to: \.inputs)
        }
    }

    private mutating func note(_ effect: Effect) throws {
        switch effect {
        case .reply(_, let reply): try add(reply, of: "reply", to: \.replies)
        case .commit(let batch):
            if let book = batch.phoneBook { try add(book, of: "book", to: \.books) }
            if let snapshot = batch.snapshot {
                for partition in snapshot.panel.partitions { try add(partition, of: "partition", to: \.partitions) }
                for zone in snapshot.panel.zones { try add(zone, of: "zone", to: \.zones) }
                try add(snapshot.panel.system, of: "system", to: \.systems)
                try add(SnapshotRows.Box(snapshot), of: "box", to: \.boxes)
            }
            for row in batch.ledger {
                if let outcome = row.outcome { try add(outcome, of: "outcome", to: \.outcomes) }
            }
        default: break
        }
    }

    private mutating func add(
        _ value: some Encodable, of kind: String, to place: WritableKeyPath<FormHarvest, [String]>
    ) throws {
        let json = try JSON.encoding(value, placeholder: SecretPlaceholder { $0 })
        guard shapes.insert(kind + Self.shape(json)).inserted else { return }
        var head = kind
        if case .object(let members) = json, kind == "input" || kind == "reply" { head += members.first?.key ?? "" }
        counts[head, default: 0] += 1
        guard counts[head, default: 0] <= Self.limit else { return }
        self[keyPath: place].append(json.text)
    }

    private static func shape(_ json: JSON) -> String {
        switch json {
        case .null: "n"
        case .bool: "b"
        case .integer, .number: "i"
        case .string: "s"
        case .array(let items): "[\(Set(items.map(shape)).sorted().joined(separator: ","))]"
        case .object(let members): "{\(members.map { "\($0.key):\(shape($0.value))" }.joined(separator: ","))}"
        }
    }
}
