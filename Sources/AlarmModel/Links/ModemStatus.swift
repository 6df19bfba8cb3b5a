/// What is known of the modem at a moment; told as a whole whenever something of it changes.
package struct ModemStatus: Codable, Equatable, Sendable {
    /// Maker and model, printable; empty when the modem did not tell.
    package var name: String
    package var phase: ModemPhase
    /// What holds the SIM back.
    package var lock: ModemLock
    /// Tries that are left for that lock; nil when the modem did not tell.
    package var triesLeft: Int?
    package var registration: ModemRegistration
    /// Percent, 0...100; nil when the modem did not tell.
    package var signal: Int?
    package var access: ModemAccess
    /// The network's name, printable; nil when there is none.
    package var operatorName: String?
    /// The data connection that stands.
    package var bearer: ModemBearer?

    package init(
        name: String = "", phase: ModemPhase = .unknown, lock: ModemLock = .unknown, triesLeft: Int? = nil,
        registration: ModemRegistration = .unknown, signal: Int? = nil, access: ModemAccess = .unknown,
        operatorName: String? = nil, bearer: ModemBearer? = nil
    ) {
        self.name = name
        self.phase = phase
        self.lock = lock
        self.triesLeft = triesLeft
        self.registration = registration
        self.signal = signal
        self.access = access
        self.operatorName = operatorName
        self.bearer = bearer
    }

    /// A text message can be sent: the SIM is open and a network has taken it in.
    package var canText: Bool { !lock.holdsBack && phase.isEnabled && registration.allowsTexts }
}

/// How far the modem is (MMModemState).
package enum ModemPhase: String, Codable, Hashable, Sendable {
    case unknown, starting, locked, disabled, disabling, enabling, enabled, searching, registered, disconnecting
    case connecting, connected
    /// It does not work: there is no SIM.
    case noSIM
    /// It does not work for another reason.
    case broken

    /// The radio is on.
    package var isEnabled: Bool {
        switch self {
        case .enabled, .searching, .registered, .disconnecting, .connecting, .connected: true
        case .unknown, .starting, .locked, .disabled, .disabling, .enabling, .noSIM, .broken: false
        }
    }
}

/// What the SIM or the modem asks for before it works (MMModemLock).
package enum ModemLock: String, Codable, Hashable, Sendable {
    case unknown, none, pin, puk
    /// The modem is locked to a network, a SIM or the like.
    case other

    package var holdsBack: Bool {
        switch self {
        case .unknown, .none: false
        case .pin, .puk, .other: true
        }
    }
}

/// What the mobile network makes of the modem (MMModem3gppRegistrationState).
package enum ModemRegistration: String, Codable, Hashable, Sendable, CustomStringConvertible {
    case unknown, idle, searching, home, roaming, denied, emergencyOnly
    /// The network carries text messages, no data.
    case textsOnly

    package var allowsTexts: Bool {
        switch self {
        case .home, .roaming, .textsOnly: true
        case .unknown, .idle, .searching, .denied, .emergencyOnly: false
        }
    }

    package var allowsData: Bool {
        switch self {
        case .home, .roaming: true
        case .unknown, .idle, .searching, .denied, .emergencyOnly, .textsOnly: false
        }
    }

    package var description: String {
        switch self {
        case .unknown: "unknown"
        case .idle: "not registered"
        case .searching: "searching"
        case .home: "registered"
        case .roaming: "roaming"
        case .denied: "denied"
        case .emergencyOnly: "emergency calls only"
        case .textsOnly: "text messages only"
        }
    }
}

/// The kind of radio in use.
package enum ModemAccess: String, Codable, Hashable, Sendable, CustomStringConvertible {
    case unknown, second, third, fourth, fifth

    package var description: String {
        switch self {
        case .unknown: "unknown"
        case .second: "2G"
        case .third: "3G"
        case .fourth: "4G"
        case .fifth: "5G"
        }
    }
}

/// A data connection that stands.
package struct ModemBearer: Codable, Equatable, Sendable {
    /// How the interface comes by its addresses.
    package enum Method: String, Codable, Hashable, Sendable {
        case unknown, ppp, dhcp
        /// As written here; somebody has to put them on the interface.
        case fixed
    }

    /// One family's settings.
    package struct Addressing: Codable, Equatable, Sendable {
        package var method: Method
        /// nil unless the method is `fixed`; then IPv6 may still lack it.
        package var address: IPAddress?
        /// Bits of the network part.
        package var prefix: Int
        package var gateway: IPAddress?
        /// In the network's order.
        package var nameServers: [IPAddress]
        /// Bytes; nil: the interface's own.
        package var mtu: Int?

        package init(
            method: Method, address: IPAddress? = nil, prefix: Int = 0, gateway: IPAddress? = nil,
            nameServers: [IPAddress] = [], mtu: Int? = nil
        ) {
            self.method = method
            self.address = address
            self.prefix = prefix
            self.gateway = gateway
            self.nameServers = nameServers
            self.mtu = mtu
        }
    }

    /// The network interface, such as `wwan0` or `ppp0`.
    package var interface: String
    package var ipv4: Addressing?
    package var ipv6: Addressing?

    package init(interface: String, ipv4: Addressing? = nil, ipv6: Addressing? = nil) {
        self.interface = interface
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }

    package var addresses: [IPAddress] { [ipv4?.address, ipv6?.address].compactMap { $0 } }
    package var nameServers: [IPAddress] { (ipv4?.nameServers ?? []) + (ipv6?.nameServers ?? []) }
}
