import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Uplinks

/// What a simulated house is made of: all that a seed draws of it before faults are drawn. Beside a list of faults it
/// is a whole run, which no other order of draws changes.
struct HousePlan: Codable, Equatable, Sendable {
    struct Channel: Codable, Hashable, Sendable {
        var kind: ChannelKind
        /// Of the service and how the box reaches it.
        var seed: UInt64
    }
    struct PhoneOfHouse: Codable, Equatable, Sendable {
        /// Its place in `HousePhone.household`.
        var place: Int
        var seed: UInt64
    }
    /// The phones live by the topic server, which wants no account, and by no push service of Google's.
    struct Topics: Codable, Equatable, Sendable {
        /// Places in the household of those whose browsers take pushes, too.
        var browsers: [Int]
    }
    /// Two links.
    struct Links: Codable, Equatable, Sendable {
        var standby: StandbyPolicy
        var hasBudget: Bool
        var isLossAlarm: Bool
        var modem: Modem?
    }
    /// The second of them, driven by the box itself.
    struct Modem: Codable, Equatable, Sendable {
        var hasWrongPIN: Bool
        /// Until an alarm goes out as a text, and until it is worth a call.
        var minutes: Int
        /// It calls, too; nil: from before there were calls.
        var hasCalls: Bool?
    }
    /// Where the generators stand from which a run draws while it lasts.
    struct Draws: Codable, Equatable, Sendable {
        var world: UInt64
        var phones: UInt64
        var channels: UInt64
        var links: UInt64?
        var modem: UInt64?
    }

    /// The daemon's, too.
    var seed: UInt64
    var asksCodeToArm: Bool
    var panel: UInt64
    var push: UInt64
    var vault: UInt64
    var phones: [PhoneOfHouse]
    var channels: [Channel]
    var links: Links?
    var topics: Topics?
    /// nil: as old houses are.
    var incidents: Incidents?
    var draws: Draws

    /// - Parameters: as those of `World`
    init(seed: UInt64, channels wanted: [ChannelKind]?, hasLinks: Bool, hasModem: Bool) {
        self.seed = seed
        var chance = Jitter(seed: seed)
        asksCodeToArm = chance.next() % 3 == 0
        panel = chance.next()
        var channelChance = Jitter(seed: seed ^ 0x77_61_79_73)
        channels = ChannelHost.draw(hasLinks ? [] : wanted, from: &channelChance)
        var phoneChance = Jitter(seed: seed ^ 0x70_68_6F_6E_65)
        push = phoneChance.next()
        vault = phoneChance.next()
        phones = HousePhone.household(seed: seed).indices.map { PhoneOfHouse(place: $0, seed: phoneChance.next()) }
        draws = Draws(world: chance.position, phones: phoneChance.position, channels: channelChance.position)
        guard hasLinks else {
            drawTopics(wanted)
            return
        }
        var linkChance = Jitter(seed: seed ^ 0x6C_69_6E_6B)
        var links = Links(
            standby: StandbyPolicy.allCases[Int(linkChance.next() % 3)], hasBudget: linkChance.next() % 2 == 0,
            isLossAlarm: linkChance.next() % 2 == 0)
        // What the modem draws it draws from the same place as the links, and does not move them on.
        draws.links = linkChance.position
        if hasModem {
            // In a few houses somebody has written down the wrong PIN.
            links.modem = Modem(hasWrongPIN: seed % 7 == 0, minutes: Int(linkChance.next() % 3) + 1)
            draws.modem = linkChance.next()
            links.modem?.hasCalls = linkChance.next() % 2 == 0
        }
        self.links = links
    }
}

extension HousePlan {
    /// Every third house with a topic server, and any house of which browsers' pushes are wanted. Drawn apart, so that the
    /// other houses stay as they are.
    private mutating func drawTopics(_ wanted: [ChannelKind]?) {
        var chance = Jitter(seed: seed ^ 0x74_6F_70_69_63)
        let isThird = chance.next() % 3 == 0 && wanted == nil && channels.contains { $0.kind == .ntfy }
        guard wanted?.contains(.webPush) ?? isThird else { return }
        channels.removeAll { ChannelHost.carriers.contains($0.kind) && wanted?.contains($0.kind) != true }
        var browsers = phones.map(\.place).filter { _ in chance.next() % 3 != 0 }
        if wanted != nil, browsers.isEmpty { browsers = [0] }
        let needed: [ChannelKind] = browsers.isEmpty ? [.ntfy] : [.ntfy, .webPush]
        for kind in needed where !channels.contains(where: { $0.kind == kind }) {
            channels.append(Channel(kind: kind, seed: chance.next()))
        }
        channels.sort { $0.kind < $1.kind }
        topics = Topics(browsers: browsers)
    }

    /// How the box knows the panel.
    var panelSettings: PanelSettings {
        var settings = PanelSettings(
            password: Secret("user"), masterCode: Secret("1234"),
            names: SiteNames(
                partitions: [.init(number: 1, name: "House"), .init(number: 2, name: "Workshop")],
                zones: [.init(number: 1, name: "Front door", partition: 1)], users: [.init(number: 40, name: "Anna")]))
        settings.partitions = [1, 2]
        if asksCodeToArm { settings.codeOnRequest = .always }
        if incidents != nil { settings.names = Incidents.name(settings.names) }
        return settings
    }
}
