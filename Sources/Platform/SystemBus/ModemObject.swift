import AlarmModel

/// A modem's properties as ModemManager tells them, and what they mean (ModemManager API, "Flags and enumerations").
struct ModemObject {
    let path: String
    /// By interface, the properties by name; looked up, never gone through.
    private var interfaces: [String: [String: BusValue]] = [:]
    private var bearers: [String: [String: BusValue]] = [:]

    init(path: String) { self.path = path }

    mutating func merge(_ properties: BusValue, of interface: String) {
        for entry in properties.entries ?? [] {
            guard let name = entry.key.text else { continue }
            interfaces[interface, default: [:]][name] = entry.value.plain
        }
        let paths = bearerPaths
        bearers = bearers.filter { paths.contains($0.key) }
    }

    mutating func mergeBearer(_ path: String, _ properties: BusValue) {
        for entry in properties.entries ?? [] {
            guard let name = entry.key.text else { continue }
            bearers[path, default: [:]][name] = entry.value.plain
        }
    }

    private func property(_ name: String, _ interface: String = "Modem") -> BusValue? {
        interfaces["org.freedesktop.ModemManager1.\(interface)"]?[name]
    }

    var bearerPaths: [String] { (property("Bearers")?.elements ?? []).compactMap(\.text) }

    /// Of the texts that lie at the modem, received or to be sent.
    var textPaths: [String] { (property("Messages", "Modem.Messaging")?.elements ?? []).compactMap(\.text) }

    /// nil without a SIM.
    var simPath: String? {
        guard let path = property("Sim")?.text, path != "/" else { return nil }
        return path
    }

    var status: ModemStatus {
        let lockNumber = property("UnlockRequired")?.integer ?? 0
        let name = [property("Manufacturer")?.text, property("Model")?.text].compactMap { $0 }
        let network = property("OperatorName", "Modem.Modem3gpp")?.text.map { Self.printable($0) } ?? ""
        let left = property("UnlockRetries")?.entries?.first { $0.key.integer == lockNumber }?.value.integer
        return ModemStatus(
            name: Self.printable(name.joined(separator: " ")), phase: phase, lock: Self.lock(lockNumber),
            triesLeft: left,
            registration: Self.registration(property("RegistrationState", "Modem.Modem3gpp")?.integer),
            signal: property("SignalQuality")?.elements?.first?.integer.map { min(max($0, 0), 100) },
            access: Self.access(property("AccessTechnologies")?.integer ?? 0),
            operatorName: network.isEmpty ? nil : network, bearer: bearer)
    }

    private var phase: ModemPhase {
        switch property("State")?.integer ?? 0 {
        // MM_MODEM_STATE_FAILED_REASON_SIM_MISSING
        case -1: property("StateFailedReason")?.integer == 2 ? .noSIM : .broken
        case 1: .starting
        case 2: .locked
        case 3: .disabled
        case 4: .disabling
        case 5: .enabling
        case 6: .enabled
        case 7: .searching
        case 8: .registered
        case 9: .disconnecting
        case 10: .connecting
        case 11: .connected
        default: .unknown
        }
    }

    private static func lock(_ number: Int) -> ModemLock {
        switch number {
        case 0: .unknown
        // A second PIN or PUK (3, 5) keeps nothing of ours back.
        case 1, 3, 5: .none
        case 2: .pin
        case 4: .puk
        default: .other
        }
    }

    private static func registration(_ number: Int?) -> ModemRegistration {
        switch number {
        case 0: .idle
        case 1, 9: .home
        case 2: .searching
        case 3: .denied
        case 5, 10: .roaming
        case 6, 7: .textsOnly
        case 8: .emergencyOnly
        default: .unknown
        }
    }

    /// A set of bits; the newest kind of radio counts.
    private static func access(_ bits: Int) -> ModemAccess {
        if bits & 1 << 15 != 0 { return .fifth }
        if bits & (1 << 14 | 1 << 16 | 1 << 17) != 0 { return .fourth }
        if bits & 0x3FE0 != 0 { return .third }
        return bits & 0x1E != 0 ? .second : .unknown
    }

    // MARK: The data connection

    private var bearer: ModemBearer? {
        for path in bearerPaths {
            guard let properties = bearers[path], properties["Connected"]?.boolValue == true,
                let interface = properties["Interface"]?.text, Self.isInterfaceName(interface)
            else { continue }
            return ModemBearer(
                interface: interface, ipv4: Self.addressing(properties["Ip4Config"]),
                ipv6: Self.addressing(properties["Ip6Config"]))
        }
        return nil
    }

    private static func addressing(_ properties: BusValue?) -> ModemBearer.Addressing? {
        guard let properties, let number = properties["method"]?.integer else { return nil }
        let method: ModemBearer.Method
        switch number {
        case 1: method = .ppp
        case 2: method = .fixed
        case 3: method = .dhcp
        // Unknown: this family is not there.
        default: return nil
        }
        let address = properties["address"]?.text.flatMap { IPAddress($0) }
        let bits = address?.isIPv6 == true ? 128 : 32
        let servers = ["dns1", "dns2", "dns3"].compactMap { properties[$0]?.text.flatMap { IPAddress($0) } }
        return ModemBearer.Addressing(
            method: method, address: address, prefix: min(max(properties["prefix"]?.integer ?? bits, 0), bits),
            gateway: properties["gateway"]?.text.flatMap { IPAddress($0) }, nameServers: servers,
            mtu: properties["mtu"]?.integer.flatMap { (68...65_535).contains($0) ? $0 : nil })
    }

    /// What Linux takes as a name and no file or line can be tricked with.
    private static func isInterfaceName(_ name: String) -> Bool {
        (1...15).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { byte in
                switch Character(Unicode.Scalar(byte)) {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
                default: false
                }
            }
    }

    /// Names come from the air.
    private static func printable(_ text: String) -> String {
        BusError(name: "", words: String(text.prefix(60))).words
    }
}
