import AlarmModel
import ApplianceCore
import PhoneLink
import Uplinks

/// Two links of the bench: what goes over one that is dead is never answered.
struct LinkWorld {
    var facts: [LinkFacts] = []
    /// Interfaces that swallow everything.
    var blackHoles: [String] = []
    /// Interfaces by which everybody but the targets of probes refuses.
    var refusing: [String] = []
    /// Interfaces by which everybody but the targets of probes opens, and nobody proves who he is.
    var unsecured: [String] = []
    var objection = TLSFailure.stalled
    /// Interfaces by which everybody but the targets of probes opens and proves who he is, and nothing that is sent
    /// arrives.
    var swallowing: [String] = []
    /// Interfaces by which each connection is reset when something is sent on it.
    var resetting: [String] = []
    /// How many of the next handshakes by an interface are cut off.
    var handshakesToCut: [String: Int] = [:]
    /// Attack of somebody in the path of an interface.
    var cut: LinkCut?
    var dialogues = Dialogues()
    /// Addresses at which the name servers find hosts.
    var names: [String: IPAddress] = [:]
    /// By which interface each connection went.
    private(set) var routes: [(connection: ConnectionID, interface: String)] = []
    private(set) var texts: [TextMessage] = []
    /// Calls by the modem, in their order.
    private(set) var dialed: [(id: CallID, number: String)] = []
    private(set) var spoken: [SpokenWords] = []
    private(set) var tones: [CallID] = []
    private(set) var hungUp: [CallID] = []

    /// The answers; nil when this effect has nothing to do with a link, or passes it unharmed.
    mutating func carryOut(_ effect: Effect, at now: Moment) -> [Input]? {
        if let answers = cutShort(effect, at: now) { return answers }
        switch effect {
        case .watchLinks, .readLinks: return [.links(facts)]
        case .useNameServers: return []
        case .modem(.sendText(let message)):
            texts.append(message)
            return [.modem(.textSent(message.id))]
        case .modem(.call(let id, let number)):
            dialed.append((id, number))
            return []
        case .modem(.speak(_, let words, _)):
            spoken.append(words)
            return []
        case .modem(.sendTone(let id, _)):
            tones.append(id)
            return []
        case .modem(.hangUp(let id)):
            hungUp.append(id)
            return []
        case .modem: return []
        case .resolve(let id, let host, .interface(let name)):
            guard works(name) else { return [] }
            guard let address = isLying(name) ? LinkCut.liar : names[host], names[host] != nil else {
                return [.resolved(id, .failed(.notFound))]
            }
            return [.resolved(id, .addresses([address]))]
        case .open(let id, _, .interface(let name)):
            routes.append((id, name))
            if refusing.contains(name), id < Appliance.firstProbe { return [.closed(id, .refused)] }
            guard works(name) else {
                return facts.contains { $0.interface == name && $0.hasCarrier } ? [] : [.closed(id, .unreachable)]
            }
            return id >= Appliance.firstProbe ? [.connected(id)] : nil
        case .open(let id, _, .any) where id >= PushWorld.firstConnection:
            // As the operating system would send it.
            guard let name = facts.first(where: \.hasCarrier)?.interface else { return nil }
            routes.append((id, name))
            return works(name) ? nil : []
        case .startTLS(let id, _, _, _):
            guard let name = interface(of: id) else { return nil }
            if let left = handshakesToCut[name], left > 0 {
                handshakesToCut[name] = left - 1
                return [.closed(id, .tls(.cutOff))]
            }
            guard unsecured.contains(name) else { return nil }
            return [.closed(id, .tls(objection))]
        case .send(let id, _):
            if let name = interface(of: id), resetting.contains(name) { return [.closed(id, .reset)] }
            return isSwallowed(id) ? [] : nil
        case _: return nil
        }
    }

    mutating func note(_ id: ConnectionID, by interface: String) { routes.append((id, interface)) }

    func interface(of id: ConnectionID) -> String? { routes.last { $0.connection == id }?.interface }

    func works(_ interface: String) -> Bool {
        !blackHoles.contains(interface) && facts.contains { $0.interface == interface && $0.hasCarrier }
    }

    private func isSwallowed(_ id: ConnectionID) -> Bool {
        interface(of: id).map { !works($0) || swallowing.contains($0) } ?? false
    }
}

extension Bench {
    /// `eth0`, and `wwan0`, which is metered.
    static var twoLinks: UplinkSettings {
        UplinkSettings(
            links: [
                LinkSettings(name: "ethernet", kind: .ethernet, interface: "eth0"),
                LinkSettings(name: "modem", kind: .modem, interface: "wwan0", isMetered: true),
            ],
            targets: ["198.51.100.1", "198.51.100.2"].compactMap { text in
                IPAddress(text).map { ProbeTarget(host: $0, port: 443) }
            }, probeName: "example.org")
    }

    static var interfaces: [LinkFacts] {
        [
            LinkFacts(interface: "eth0", addresses: [IPAddress("192.0.2.100")].compactMap { $0 }),
            LinkFacts(interface: "wwan0", addresses: [IPAddress("203.0.113.5")].compactMap { $0 }),
        ]
    }

    /// A store app at a topic server, and two links.
    static func withLinks(
        at host: String = "192.0.2.9", _ change: (inout Configuration) -> Void = { _ in },
        start: (inout Start) -> Void = { _ in }
    ) -> Bench {
        var configuration = configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [.ntfy(NtfySettings(host: host))]
        configuration.uplinks = twoLinks
        change(&configuration)
        var bench = Bench(configuration)
        bench.net.facts = interfaces
        bench.start(configuration, start)
        bench.logIn()
        bench.advance(.minutes(2))
        return bench
    }

    /// Something of the interfaces has changed.
    mutating func changeLinks(_ change: (inout LinkWorld) -> Void) {
        change(&net)
        feed(.links(net.facts))
    }

    /// The interface by which the topic server is reached now.
    var link: String? { topics.connections.last.flatMap { net.interface(of: $0) } }
}
