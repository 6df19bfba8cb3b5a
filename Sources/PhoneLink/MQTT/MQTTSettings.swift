package import AlarmModel

/// How to reach the broker, what the house is called there, and how patient to be.
package struct MQTTSettings: Codable, Equatable, Sendable {
    package enum Level: String, Codable, Equatable, Sendable, CaseIterable {
        /// Version 5, and 3.1.1 where the broker does not know it.
        case automatic
        case v5 = "5"
        case v311 = "3.1.1"
    }

    package var host: String
    package var port: UInt16
    package var security: DialTarget.Security
    package var user: String?
    package var password: Secret?
    package var clientID: String
    package var protocolVersion = Level.automatic
    /// The house's mark in topics and ids: letters, digits, `_` and `-`.
    package var site: String
    /// What Home Assistant calls the device.
    package var deviceName: String
    /// Everything of ours is below it; without wildcards and without a slash at its end.
    package var baseTopic: String
    /// nil: Home Assistant is not told of the house.
    package var discoveryPrefix: String? = "homeassistant"
    /// On plain connections only where the configuration says so in words.
    package var commandsAllowed: Bool
    /// What of it; nil: arming and disarming.
    package var verbs: [HouseVerb]?
    /// A person's one-time code goes with every command and is checked here, not in Home Assistant.
    package var requiresCode = true
    /// Where it is said whether anybody is at home; none of `isOwn`. nil: nowhere.
    package var presenceTopic: String?

    /// Without a byte from the broker, or to it, for so long, it is asked for a sign of life …
    package var idleBeforePing = Duration.seconds(60)
    /// … and given up after so long.
    package var pingPatience = Duration.seconds(15)
    /// For an attempt to connect to be answered at all; the dialer has shorter limits of its own.
    package var dialPatience = Duration.seconds(90)
    /// From the connection until the broker has let us in.
    package var setupDeadline = Duration.seconds(15)
    /// For the answer to a message.
    package var answerPatience = Duration.seconds(60)
    package var pace = ReconnectPace()
    /// A connection that stood for so long makes the back-off start anew.
    package var steadyAfter = Duration.seconds(60)
    /// For the announcement that the broker has kept, before ours replaces it.
    package var recallPatience = Duration.seconds(2)
    /// Home Assistant has come up: the announcement is repeated after a delay drawn from here.
    package var announceEarliest = Duration.seconds(1)
    package var announceLatest = Duration.seconds(5)
    /// Events under way; the broker may allow fewer.
    package var window = 20
    /// Of these, kept for alarms.
    package var reservedForAlarms = 5

    package init(
        host: String, port: UInt16? = nil, security: DialTarget.Security = .tls(authorityFile: nil),
        user: String? = nil, password: Secret? = nil, site: String, deviceName: String? = nil,
        commandsAllowed: Bool? = nil
    ) {
        self.host = host
        let isPlain = security == .plain
        self.port = port ?? (isPlain ? 1883 : 8883)
        self.security = security
        self.user = user
        self.password = password
        self.site = site
        self.deviceName = deviceName ?? Product.name
        clientID = "howalarming-\(site)"
        baseTopic = "howalarming/\(site)"
        self.commandsAllowed = commandsAllowed ?? !isPlain
    }

    package var eventTopic: String { baseTopic + "/event" }
    /// What became of a command of Home Assistant's.
    package var answerTopic: String { baseTopic + "/answer" }
    package var panelTopic: String { baseTopic + "/panel" }
    package var boxTopic: String { baseTopic + "/box" }
    package var availabilityTopic: String { baseTopic + "/availability" }
    /// Where a camera's last picture goes; nil: Home Assistant is not told of the house.
    package func imageTopic(ofCamera name: String) -> String? {
        discoveryPrefix.map { _ in "\(baseTopic)/camera/\(Self.mark(ofCamera: name))" }
    }

    /// In topics and ids: no two cameras have the same. A blank is a dot, which no camera's name has.
    package static func mark(ofCamera name: String) -> String { String(name.lowercased().map { $0 == " " ? "." : $0 }) }
    /// Where commands come that are allowed; empty: none is.
    package var commandFilters: [String] {
        guard commandsAllowed else { return [] }
        let others: [(HouseVerb, String)] = [
            (.chime, "partition/+/chime"), (.output, "partition/+/output"), (.bypass, "zone/+/bypass"),
        ]
        return ["\(baseTopic)/partition/+/set"] + others.filter { allows($0.0) }.map { "\(baseTopic)/\($0.1)" }
    }
    package var statusTopic: String? { discoveryPrefix.map { $0 + "/status" } }
    package var discoveryTopic: String? { discoveryPrefix.map { "\($0)/device/howalarming_\(site)/config" } }

    /// What is said there is ours, or for us.
    package func isOwn(_ topic: String) -> Bool {
        topic == baseTopic || topic.hasPrefix(baseTopic + "/") || topic == statusTopic || topic == discoveryTopic
    }

    package func allows(_ verb: HouseVerb) -> Bool {
        commandsAllowed && (verbs?.contains(verb) ?? (verb == .arm || verb == .disarm))
    }

    /// Whether a site's mark can stand in topics and in Home Assistant's ids.
    package static func isSite(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }
}
