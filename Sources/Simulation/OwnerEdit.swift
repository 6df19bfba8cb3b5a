import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink

/// What the owner writes into the configuration while the daemon runs, and has it read at once.
enum OwnerEdit: Codable, Equatable, Sendable {
    /// Nothing of a file with an error is taken.
    case mistake
    /// Other names of the house and a zone.
    case names(Int)
    /// How many events the journal keeps.
    case keeps(Int)
    case signOfLife(minutes: Int)
    /// The module answers at another address.
    case moduleMoves(Int)
    case modulePassword(isRight: Bool)
    case pushKey(isRight: Bool)
    case pushPort(UInt16)
    /// The account of the push service is taken out, or put back.
    case pushAccount(isThere: Bool)
    /// The same with another channel, its addresses included.
    case channel(ChannelKind, isThere: Bool)

    /// In every second house.
    static func draw(for span: Duration, seed: UInt64, channels: [ChannelKind]) -> [(BootTime, OwnerEdit)] {
        var chance = Jitter(seed: seed ^ 0x6F_77_6E_65_72)
        return chance.next() % 2 == 0 ? draw(for: span, from: &chance, channels: channels) : []
    }

    /// Draws the edits of one run. What is wrong or taken out is mended some time later, by the end at the latest: the
    /// calm mends it.
    private static func draw(for span: Duration, from chance: inout Jitter, channels: [ChannelKind]) -> [(
        BootTime, OwnerEdit
    )] {
        var edits: [(BootTime, OwnerEdit)] = []
        var at = BootTime.zero + .seconds(30)
        while true {
            at = at + chance.duration(in: .seconds(5)..<(.minutes(6)))
            guard at < .zero + span else { return edits }
            let later = at + chance.duration(in: .seconds(1)..<(chance.next() % 2 == 0 ? .seconds(20) : .minutes(4)))
            let few = Int(chance.next() % 8)
            switch chance.next() % 11 {
            case 0: edits.append((at, .mistake))
            case 1: edits.append((at, .names(few)))
            case 2: edits.append((at, .keeps(60 + 20 * few)))
            case 3: edits.append((at, .signOfLife(minutes: 5 + 5 * few)))
            case 4: edits.append((at, .moduleMoves(few)))
            case 5: edits += [(at, .modulePassword(isRight: false)), (later, .modulePassword(isRight: true))]
            case 6: edits += [(at, .pushKey(isRight: false)), (later, .pushKey(isRight: true))]
            case 7: edits.append((at, .pushPort(5230 + UInt16(few))))
            case 8: edits += [(at, .pushAccount(isThere: false)), (later, .pushAccount(isThere: true))]
            default:
                guard !channels.isEmpty else { continue }
                let channel = channels[few % channels.count]
                edits += [(at, .channel(channel, isThere: false)), (later, .channel(channel, isThere: true))]
            }
        }
    }

    /// - Parameter whole: the configuration as the house began with it
    func change(_ configuration: inout Configuration, whole: Configuration) {
        switch self {
        case .mistake: break
        case .names(let number):
            configuration.siteName = "House \(number)"
            configuration.panel.names.zones = [.init(number: 1, name: "Door \(number)", partition: 1)]
        case .keeps(let count): configuration.retention.maximumCount = count
        case .signOfLife(let minutes): configuration.phones.heartbeat = .minutes(minutes)
        case .moduleMoves(let number): configuration.panelHost = "192.0.2.\(10 + number)"
        case .modulePassword(let isRight):
            configuration.panel.password = isRight ? whole.panel.password : Secret("resu")
        case .pushKey(let isRight):
            configuration.phones.account?.apiKey = isRight ? Self.key(of: whole) : Secret("old-key")
        case .pushPort(let port): configuration.phones.port = port
        case .pushAccount(let isThere): configuration.phones.account = isThere ? whole.phones.account : nil
        case .channel(let kind, let isThere):
            configuration.phones.channels.removeAll { $0.kind == kind }
            configuration.phones.house.removeAll { $0.kind.channel == kind }
            configuration.phones.houseVerbs.removeAll { $0.channel == kind }
            guard isThere else { return }
            configuration.phones.channels += whole.phones.channels.filter { $0.kind == kind }
            configuration.phones.house += whole.phones.house.filter { $0.kind.channel == kind }
            configuration.phones.houseVerbs += whole.phones.houseVerbs.filter { $0.channel == kind }
        }
    }

    private static func key(of whole: Configuration) -> Secret { whole.phones.account?.apiKey ?? Secret("") }
}
