package import AlarmModel

/// `reminders`: what people are reminded of, and what is armed by the schedule. All of it is off without its line.
package struct ReminderSettings: Codable, Equatable, Sendable {
    /// `reminders.not_armed`
    package struct NotArmed: Codable, Equatable, Sendable {
        package var at: DailyTime
        /// In which the button of the reminder arms.
        package var mode: PanelCommand.ArmRequest
        /// nil: all.
        package var partitions: [Int]?

        package init(at: DailyTime, mode: PanelCommand.ArmRequest = .stay, partitions: [Int]? = nil) {
            self.at = at
            self.mode = mode
            self.partitions = partitions
        }
    }

    /// `reminders.door_open`
    package struct LeftOpen: Codable, Equatable, Sendable {
        package var after: Duration
        /// nil: those that the configuration calls doors (`device_class`).
        package var zones: [Int]?

        package init(after: Duration, zones: [Int]? = nil) {
            self.after = after
            self.zones = zones
        }
    }

    /// `reminders.auto_arm`
    package struct AutoArm: Codable, Equatable, Sendable {
        /// Without a lead.
        package var at: DailyTime
        package var mode: PanelCommand.ArmRequest
        /// So long before people are warned.
        package var warning: Duration
        /// nil: all.
        package var partitions: [Int]?

        package init(
            at: DailyTime, mode: PanelCommand.ArmRequest = .stay, warning: Duration = .minutes(10),
            partitions: [Int]? = nil
        ) {
            self.at = at
            self.mode = mode
            self.warning = warning
            self.partitions = partitions
        }

        /// When people are warned.
        var warns: DailyTime { DailyTime(hour: at.hour, minute: at.minute, lead: warning) }

        /// A change of it ends what was announced.
        var text: String {
            "\(warns.text) \(mode.rawValue) \(partitions.map { $0.map(String.init).joined(separator: ",") } ?? "all")"
        }
    }

    /// `reminders.history`
    package struct History: Codable, Equatable, Sendable {
        package var at: MonthlyTime
        /// Mail addresses; at least one.
        package var recipients: [String]
        /// Of whoever makes and sends it.
        package var socket: String
        /// Trusted instead of the system's authorities at the mail server, in PEM: who sends it reads no file of the owner's.
        package var authorities: String?

        package init(at: MonthlyTime, recipients: [String], socket: String = "/run/howalarming-history/socket") {
            self.at = at
            self.recipients = recipients
            self.socket = socket
        }
    }

    /// Days without what has a time of day, the first and the last included.
    package struct Days: Codable, Equatable, Sendable {
        package var first: CalendarDay
        package var last: CalendarDay

        package init(first: CalendarDay, last: CalendarDay) {
            self.first = first
            self.last = last
        }
    }

    package var notArmed: NotArmed?
    package var leftOpen: LeftOpen?
    /// `reminders.bypassed`
    package var bypassed: DailyTime?
    /// `reminders.maintenance`: it ends by itself after so long.
    package var maintenance: Duration?
    /// `reminders.vacation`
    package var vacation: [Days]
    package var autoArm: AutoArm?
    /// `reminders.nobody_home`: nobody home for so long, and a partition of `notArmed` is disarmed.
    package var nobodyHome: Duration?
    package var history: History?

    package init(
        notArmed: NotArmed? = nil, leftOpen: LeftOpen? = nil, bypassed: DailyTime? = nil, maintenance: Duration? = nil,
        vacation: [Days] = [], autoArm: AutoArm? = nil, nobodyHome: Duration? = nil, history: History? = nil
    ) {
        self.notArmed = notArmed
        self.leftOpen = leftOpen
        self.bypassed = bypassed
        self.maintenance = maintenance
        self.vacation = vacation
        self.autoArm = autoArm
        self.nobodyHome = nobodyHome
        self.history = history
    }

    /// Something has a time of day.
    var needsClock: Bool { notArmed != nil || bypassed != nil || autoArm != nil }

    func isVacation(_ time: WallTime, in zone: TimeZoneRules) -> Bool {
        let day = CalendarDay(zone.civilTime(at: time))
        return vacation.contains { ($0.first...max($0.first, $0.last)).contains(day) }
    }

    /// In which mode the button beside this event arms.
    func mode(for event: Event) -> PanelCommand.ArmRequest {
        switch EventCode(rawValue: event.code) {
        case .reminderNotArmed: notArmed?.mode ?? .away
        case .scheduleFailed: autoArm?.mode ?? .away
        default: .away
        }
    }
}

/// What of the house the configuration calls a door.
extension SiteNames.Zone {
    package var isDoor: Bool { ["door", "garage_door"].contains(deviceClass) }
}
