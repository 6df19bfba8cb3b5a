package import AlarmModel
package import PhoneLink

/// What the configuration says about phones.
package struct PhoneSettings: Codable, Equatable, Sendable {
    /// `alert_gcm`: the account at Google's push service; nil: phones are not served that way.
    package var account: Account?
    /// `phones.fcm.host`.
    package var host: String
    /// `phones.fcm.port`, 1…65535.
    package var port: UInt16
    /// `phones.fcm.ca_file`: trusted instead of the system's authorities.
    package var authorityFile: String?
    /// `phones.legacy.enabled`: the original apps may be approved and served.
    package var isLegacyEnabled: Bool
    /// `phones.legacy.topic`: what the original apps are told goes to the topic of the one for Android, too. nil: an older
    /// recording, in which it did not.
    package var tellsLegacyTopic: Bool?
    /// `phones.command_rate`: commands a minute and phone; 0 is no limit.
    package var commandRate: Int
    package var timing: Timing
    /// `phones.heartbeat`: paired phones get a sign of life within each such interval; nil: none.
    package var heartbeat: Duration? = .minutes(15)
    /// `phones.test_alarm`; nil: none.
    package var testAlarm: MonthlyTime?
    /// The other channels that are configured.
    package var channels: [ChannelSettings] = []
    /// Where the house tells its events without regard to people, in the order of the file.
    package var house: [HouseTarget] = []
    /// `ntfy.trusted`: the server is the owner's own, so that a store app may be allowed to disarm.
    package var isTopicServerTrusted = false
    /// What may be asked for by the broker and by the command tube; none where it is off.
    package var houseVerbs: [HouseVerbs] = []
    /// `people`, in the order of the file; nil: it names nobody.
    package var people: [PersonSettings]?

    private enum CodingKeys: String, CodingKey {
        case account = "account", host = "host", port = "port", authorityFile = "authorityFile",
            isLegacyEnabled = "isLegacyEnabled", tellsLegacyTopic = "tellsLegacyTopic", commandRate = "commandRate",
            timing = "timing",
            heartbeat = "heartbeat", testAlarm = "testAlarm", channels = "ways", house = "house",
            isTopicServerTrusted = "isTopicServerTrusted", houseVerbs = "houseVerbs",
            people = "people"
    }

    /// `ntfy`: the server of store apps; nil: there is none.
    package var topicServer: NtfySettings? {
        for case .ntfy(let settings) in channels { return settings }
        return nil
    }

    /// `alert_email`; nil: there is none.
    package var mailServer: MailSettings? {
        for case .mail(let settings) in channels { return settings }
        return nil
    }

    /// `mqtt`; nil: there is none.
    package var broker: MQTTSettings? {
        for case .mqtt(let settings) in channels { return settings }
        return nil
    }

    /// One mail address, URL, program, tube, the broker, or an account at a receiver.
    package struct HouseTarget: Codable, Equatable, Sendable {
        package var kind: HouseAddress.Kind
        /// A mail address, a URL, a program's name, a tube; for the broker its topic, for a receiver the account.
        package var value: String
        package var triggers: [EventType]
        /// As in `HouseAddress`.
        package var goesByOwnType: Bool
        /// As in `HouseAddress`.
        package var isDuressContact: Bool?

        package init(
            kind: HouseAddress.Kind, value: String, triggers: [EventType], goesByOwnType: Bool = false,
            isDuressContact: Bool? = nil
        ) {
            self.kind = kind
            self.value = value
            self.triggers = triggers
            self.goesByOwnType = goesByOwnType
            self.isDuressContact = isDuressContact
        }
    }

    /// Commands that come in without a person's name.
    package struct HouseVerbs: Codable, Equatable, Sendable {
        /// `.mqtt` or `.beanstalk`.
        package var channel: ChannelKind
        package var allowed: [HouseVerb]
        /// What has to be given with `disarm`; nil: nothing, or a one-time code.
        package var code: Secret?
        /// `disarm` needs a one-time code of anybody who has such codes (docs/pairing.md 10); nil: it does not.
        package var takesOneTimeCodes: Bool?
        /// What the owner lists and is not done any more: told at the start.
        package var withdrawn: [HouseVerb]?

        private enum CodingKeys: String, CodingKey {
            case channel = "way", allowed = "allowed", code = "code",
                takesOneTimeCodes = "takesOneTimeCodes", withdrawn = "withdrawn"
        }

        package init(channel: ChannelKind, allowed: [HouseVerb], code: Secret? = nil) {
            self.channel = channel
            self.allowed = allowed
            self.code = code
        }
    }

    package struct Account: Codable, Equatable, Sendable {
        /// The numeric project number.
        package var senderID: String
        package var apiKey: Secret

        package init(senderID: String, apiKey: Secret) {
            self.senderID = senderID
            self.apiKey = apiKey
        }
    }

    /// `phones.timing`; tests and the demo shorten these.
    package struct Timing: Codable, Equatable, Sendable {
        /// Silence on the push connection after which it is asked whether it lives.
        package var pingAfter: Duration = .seconds(60)
        package var pingPatience: Duration = .seconds(15)
        package var setupDeadline: Duration = .seconds(15)
        package var ackPatience: Duration = .seconds(20)
        package var reconnectMinimum: Duration = .seconds(1)
        package var reconnectMaximum: Duration = .seconds(60)
        /// The longest wait before a new connection while an alarm or a fault waits.
        package var reconnectUrgent: Duration = .seconds(5)
        package var refusedWait: Duration = .minutes(5)
        /// An alarm without receipt is marked and repeated after this.
        package var receiptPatience: Duration = .seconds(30)
        package var pairingLife: Duration = .minutes(10)

        package init() {}
    }

    package init(
        account: Account? = nil, host: String = "fcm-xmpp.googleapis.com", port: UInt16 = 5235,
        authorityFile: String? = nil, isLegacyEnabled: Bool = false, commandRate: Int = 5, timing: Timing = Timing()
    ) {
        self.account = account
        self.host = host
        self.port = port
        self.authorityFile = authorityFile
        self.isLegacyEnabled = isLegacyEnabled
        self.commandRate = commandRate
        self.timing = timing
    }

    /// What changed, in words; never shows a secret.
    func changes(from old: PhoneSettings) -> [String] {
        var changes: [String] = []
        if old.account?.senderID != account?.senderID { changes.append("alert_gcm.sender_id changed") }
        if old.account?.apiKey != account?.apiKey { changes.append("alert_gcm.api_key changed") }
        if old.host != host { changes.append("phones.fcm.host: \(old.host) → \(host)") }
        if old.port != port { changes.append("phones.fcm.port: \(old.port) → \(port)") }
        if old.authorityFile != authorityFile { changes.append("phones.fcm.ca_file changed") }
        if old.isLegacyEnabled != isLegacyEnabled {
            changes.append("phones.legacy.enabled: \(old.isLegacyEnabled) → \(isLegacyEnabled)")
        }
        if (old.tellsLegacyTopic ?? false) != (tellsLegacyTopic ?? false) {
            changes.append("phones.legacy.topic: \(old.tellsLegacyTopic ?? false) → \(tellsLegacyTopic ?? false)")
        }
        if old.commandRate != commandRate {
            changes.append("phones.command_rate: \(old.commandRate) → \(commandRate)")
        }
        func targets(_ settings: PhoneSettings, ofReceiver: Bool) -> [HouseTarget] {
            settings.house.filter { ($0.kind == .receiver) == ofReceiver }
        }
        if targets(old, ofReceiver: false) != targets(self, ofReceiver: false) {
            changes.append("mail, URLs, programs, tubes or the broker changed")
        }
        if targets(old, ofReceiver: true) != targets(self, ofReceiver: true) { changes.append("the receiver changed") }
        if old.people != people { changes.append("people changed") }
        if old.channels != channels { changes.append("the channels to people changed") }
        if old.houseVerbs != houseVerbs { changes.append("what the broker or a tube may ask for changed") }
        if old.isTopicServerTrusted != isTopicServerTrusted {
            changes.append("ntfy.trusted: \(old.isTopicServerTrusted) → \(isTopicServerTrusted)")
        }
        if old.heartbeat != heartbeat { changes.append("phones.heartbeat changed") }
        if old.testAlarm != testAlarm { changes.append("phones.test_alarm changed") }
        if old.timing != timing { changes.append("phones.timing changed") }
        return changes
    }
}

extension PhoneSettings {
    /// Disarming needs a topic server that is the owner's own, as the configuration says now (docs/pairing.md 10).
    func mayPress(_ verb: ContactVerb, _ contact: Contact) -> Bool {
        contact.allowed.contains(verb) && (verb != .disarm || isTopicServerTrusted)
    }
}
