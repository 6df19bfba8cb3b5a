package import AlarmModel

/// What the driver needs to know of this house; the times have the product's defaults.
package struct PanelSettings: Codable, Equatable, Sendable {
    package var password: Secret
    /// Answers a 900 that belongs to a command of ours, and disarms when no code is given.
    package var masterCode: Secret?
    /// Only kept from being shown: no command of ours is asked for it, so 922 is never answered.
    package var installerCode: Secret?
    package var names: SiteNames
    package var timeZone: TimeZoneRules
    /// Set the panel's clock after login and once a day; off unless configured.
    package var setsClock = false
    /// docs/ARCHITECTURE.md 8: a poll every 20 s, an answer within 5 s, the second miss closes: noticed within 30 s.
    /// The poll goes out every 5 min whatever stands here.
    package var pollInterval: Duration = .seconds(20)
    package var answerDeadline: Duration = .seconds(5)
    /// How long a state line may take to confirm an action.
    package var confirmDeadline: Duration = .seconds(5)
    /// Between keystrings (502 010 below this).
    package var keySpacing: Duration = .milliseconds(1500)
    /// Never send in the same instant as a line came (old EVL-3 lock-up).
    package var settleDelay: Duration = .milliseconds(30)
    /// A status report that does not end is taken as ended.
    package var statusCap: Duration = .seconds(5)
    package var loginDeadline: Duration = .seconds(12)
    package var reconnectMinimum: Duration = .seconds(1)
    package var reconnectMaximum: Duration = .seconds(60)
    /// After a reset at connect: the module holds a session for another client or for our old self.
    package var slotHeldWait: Duration = .seconds(30)
    /// After a wrong password, doubling to an hour.
    package var refusedWait: Duration = .minutes(5)
    /// After 658 or 502 016 no code is sent for so long.
    package var lockoutPause: Duration = .minutes(5)
    /// A zone that changes more often than this within a minute is flapping.
    package var flapThreshold = 6
    /// Partitions that exist even if the panel has not spoken of them yet.
    package var partitions: [Int] = [1]
    /// nil, as in recordings of earlier versions: `armed`.
    private var lossAlarm: LossAlarm?
    /// nil, as in recordings of earlier versions: `outputs`.
    private var codeRequest: CodeOnRequest?

    /// nil, as in recordings of earlier versions: they are not.
    private var temperatures: Bool?

    /// Thermostats (EMS-100) are asked for.
    package var asksTemperatures: Bool {
        get { temperatures ?? false }
        set { temperatures = newValue ? true : nil }
    }

    /// What is asked of a panel whose state is known again.
    func chores(hasTimers: Bool) -> [PanelTransaction.Purpose] {
        (hasTimers ? [] : [.timers]) + (asksTemperatures ? [.temperatures] : [])
    }

    /// When losing the panel is an alarm.
    package var lossIsAlarm: LossAlarm {
        get { lossAlarm ?? .armed }
        set { lossAlarm = newValue == .armed ? nil : newValue }
    }

    /// Which orders of ours answer the panel's demand for a code (900).
    package var codeOnRequest: CodeOnRequest {
        get { codeRequest ?? .outputs }
        set { codeRequest = newValue == .outputs ? nil : newValue }
    }

    private enum CodingKeys: String, CodingKey {
        case password = "password", masterCode = "masterCode", installerCode = "installerCode", names = "names",
            timeZone = "timeZone", setsClock = "setsClock", pollInterval = "pollInterval",
            answerDeadline = "answerDeadline", confirmDeadline = "confirmDeadline", keySpacing = "keySpacing",
            settleDelay = "settleDelay", statusCap = "statusCap", loginDeadline = "loginDeadline",
            reconnectMinimum = "reconnectMinimum", reconnectMaximum = "reconnectMaximum",
            slotHeldWait = "slotHeldWait", refusedWait = "refusedWait", lockoutPause = "lockoutPause",
            flapThreshold = "flapThreshold", partitions = "partitions", lossAlarm = "lossIsAlarm",
            codeRequest = "codeOnRequest", temperatures = "temperatures"
    }

    package init(
        password: Secret, masterCode: Secret? = nil, installerCode: Secret? = nil, names: SiteNames = SiteNames(),
        timeZone: TimeZoneRules = .utc
    ) {
        self.password = password
        self.masterCode = masterCode
        self.installerCode = installerCode
        self.names = names
        self.timeZone = timeZone
    }
}

/// `panel.loss_is_alarm`
package enum LossAlarm: String, Codable, Equatable, Sendable, CaseIterable {
    /// While a partition is armed, in exit or entry delay, or in alarm.
    case armed
    case always, never
}

/// `panel.code_on_request`. Who is in the module's network can ask for a code as the panel does.
package enum CodeOnRequest: String, Codable, Equatable, Sendable, CaseIterable {
    case never, outputs
    /// For arming, too.
    case always
}
