import AlarmModel

extension EventWriter {
    /// A sentence for people; its first letter is lower case, so that it can stand behind "while away:".
    func message(_ line: DSCLine, _ change: PartitionChange, isOwn: Bool) -> String {
        switch line.message {
        case .acknowledged(let command): "command \(command) acknowledged"
        case .commandError: "the module rejected a line"
        case .systemError(let code): "the module reports: \(SystemError(code))"
        case .login: "login"
        case .leds(let bits): "keypad lights: \(Self.lights(bits))"
        case .flashingLEDs(let bits): "keypad lights flashing: \(Self.lights(bits))"
        case .time(let clock):
            "panel clock \(clock.hour.padded()):\(clock.minute.padded()), "
                + "20\(clock.year.padded())-\(clock.month.padded())-\(clock.day.padded())"
        case .phoneRing: "phone ring"
        case .temperature(let reading):
            "\(reading.place.rawValue) temperature \(reading.degrees) degrees (thermostat \(reading.thermostat))"
        case .zoneAlarm(let partition, let number, let active):
            zoneAlarm(partition: partition, zone: number, active: active)
        case .zoneTamper(let partition, let number, let active):
            "\(active ? "tamper" : "tamper over"): \(zone(number)), \(self.partition(partition))"
        case .zoneFault(let number, let active):
            active ? "\(zone(number)) does not report (supervision lost)" : "\(zone(number)) reports again"
        case .zoneOpen(let number, let open): "\(zone(number)) \(open ? "open" : "closed")"
        case .zoneTimers: "zone timers received"
        case .bypassed(let zones):
            zones.isEmpty
                ? "no zone is bypassed" : "bypassed: \(zones.map { zone($0) }.joined(separator: ", "))"
        case .duress: "duress alarm"
        case .keyAlarm(let key, let active): Self.keyAlarm(key, active: active)
        case .smoke(let active): active ? "alarm: smoke detector (2-wire)" : "smoke detector alarm restored"
        case .partition(let number, let what): partitionText(number, what, change, message: line.message)
        case .keypadLockout(let number): "keypads locked out after wrong codes, \(partition(number))"
        case .failedToArm(let number): "\(partition(number)) failed to arm"
        case .outputInProgress(let number): "command output in progress, \(partition(number))"
        case .chime(let number, let on): "chime \(on ? "on" : "off"), \(partition(number))"
        case .invalidCode(let number):
            isOwn
                ? "the panel refused the code that was sent for an order, \(partition(number))"
                : "wrong code entered, \(partition(number))"
        case .functionNotAvailable(let number): "function not available, \(partition(number))"
        case .failureToArm(let number): "\(partition(number)) could not be armed"
        case .busy(let number): "\(partition(number)) busy"
        case .autoArming(let number): "\(partition(number)) is about to arm by itself"
        case .installerMode: "the panel is in installer mode"
        case .userClosing(let number, let who): "armed by \(user(who)), \(partition(number))"
        case .specialClosing(let number):
            "armed without a user code (quick arm, schedule, key switch or remote), \(partition(number))"
        case .partialClosing(let number): "armed with bypassed zones, \(partition(number))"
        case .userOpening(let number, let who): "disarmed by \(user(who)), \(partition(number))"
        case .specialOpening(let number):
            "disarmed without a user code (key switch or remote), \(partition(number))"
        case .trouble(let trouble, let active): active ? trouble.text : trouble.restoredText
        case .eventBufferNearlyFull: "the panel's event buffer is three quarters full"
        case .zoneLowBattery(let number, let active): "\(zone(number)) battery \(active ? "low" : "restored")"
        case .troubleLED(let number, let on): "trouble light \(on ? "on" : "off"), \(partition(number))"
        case .troubles(let bits):
            bits.isEmpty
                ? "the panel reports no trouble"
                : "troubles: \(bits.troubles.map(\.text).joined(separator: ", "))"
        case .codeRequired(let kind): "the panel asks for a code (\(kind.rawValue))"
        case .outputPressed(let number, let output): "command output \(output) pressed, \(partition(number))"
        case .serialModule: TPICode.entry(line.code)?.name ?? "line \(line.code) of a serial module"
        case .unknown(.unknownCode): "unknown line \(line.code) of the panel"
        case .unknown(.wrongData): misfit(line)
        }
    }

    private func misfit(_ line: DSCLine) -> String {
        guard TPICode.eventType(for: line) == .alarm, let name = TPICode.entry(line.code)?.name else {
            return "line \(line.code) of the panel with data that does not fit it"
        }
        return "\(name), but the panel's line '\(raw(line).prefix(16))' does not say where; look at the keypad"
    }

    private func zoneAlarm(partition number: Int, zone zoneNumber: Int, active: Bool) -> String {
        let place = "\(zone(zoneNumber)), \(partition(number))"
        if !active { return "alarm restored: \(place)" }
        return names.zone(zoneNumber)?.isFire == true ? "fire alarm: \(place)" : "alarm: \(place)"
    }

    private func partitionText(
        _ number: Int, _ line: DSCMessage.PartitionLine, _ change: PartitionChange, message: DSCMessage
    ) -> String {
        let who = partition(number)
        let isDisarmed = change.ended == .disarmed || change.disarms(message)
        let state: String
        switch line {
        case .ready: state = "ready"
        case .notReady: state = "not ready"
        case .readyForce: state = "ready to be armed by force"
        case .alarm: return "alarm: \(who)"
        case .disarmed: return "\(who) disarmed"
        case .exitDelay: return "\(who) is arming: exit delay\(armedAgain(change))"
        case .entryDelay: return "entry delay: \(who)"
        case .armed(let mode):
            let how = mode.map { " \($0.text)" } ?? ""
            guard change.isStillArmed else { return "\(who) armed\(how)\(armedAgain(change))" }
            if change.stopsSiren {
                return "the siren has stopped: \(who) is still armed\(how), nobody is known to have disarmed"
            }
            let isInAlarm = change.after?.isInAlarm ?? false
            return "\(who) is still armed\(how)\(isInAlarm ? ", nobody is known to have ended its alarm" : "")"
        }
        if change.ended == .noLongerReported {
            return "\(who) no longer reports its alarm (\(state)); nobody is known to have disarmed"
        }
        return "\(who) \(isDisarmed ? "disarmed and " : "")\(state)"
    }

    private func armedAgain(_ change: PartitionChange) -> String {
        change.ended == .armedAgain ? "; its alarm has ended, nobody is known to have disarmed" : ""
    }

    private static func keyAlarm(_ key: DSCMessage.KeyAlarm, active: Bool) -> String {
        let name =
            switch key {
            case .fire: "fire"
            case .auxiliary: "auxiliary"
            case .panic: "panic"
            }
        return active ? "alarm: \(name) key" : "\(name) key alarm restored"
    }

    private static func lights(_ bits: UInt8) -> String {
        let labels = ["ready", "armed", "memory", "bypass", "trouble", "program", "fire", "backlight"]
        let lit = labels.enumerated().filter { bits & (1 << UInt8($0.offset)) != 0 }.map(\.element)
        return lit.isEmpty ? "none" : lit.joined(separator: ", ")
    }

    func zone(_ number: Int) -> String { names.zone(number).map { "zone \(number) \($0.name)" } ?? "zone \(number)" }

    func partition(_ number: Int) -> String {
        names.partition(number).map { "partition \(number) \($0)" } ?? "partition \(number)"
    }

    private func user(_ number: Int) -> String {
        names.user(number).map { "\($0) (user \(number))" } ?? "user \(number)"
    }
}

extension ArmMode {
    var text: String {
        switch self {
        case .away: "away"
        case .stay: "stay"
        case .zeroEntryAway: "away without entry delay"
        case .zeroEntryStay: "stay without entry delay"
        }
    }
}

extension Trouble {
    var text: String {
        switch self {
        case .ac: "mains power lost"
        case .battery: "panel battery low"
        case .bell: "bell circuit trouble"
        case .phoneLine: "phone line trouble"
        case .failureToCommunicate: "the panel could not report to its monitoring station"
        case .tamper: "system tamper"
        case .fireTrouble: "fire detector trouble (not a fire)"
        case .clock: "the panel's clock is not set"
        case .service: "the panel needs service"
        case .zoneFault: "a zone or detector is faulty"
        case .zoneTamper: "a zone or detector was tampered with"
        case .zoneBattery: "the battery of a detector is low"
        case .keybus: "the module cannot reach the panel"
        case .fireKey: "fire key"
        case .auxiliaryKey: "auxiliary key"
        case .panicKey: "panic key"
        case .smoke: "smoke"
        }
    }

    var restoredText: String {
        switch self {
        case .ac: "mains power restored"
        case .battery: "panel battery restored"
        case .bell: "bell circuit restored"
        case .failureToCommunicate: "the panel reports to its monitoring station again"
        case .tamper: "system tamper over"
        case .fireTrouble: "fire detector trouble over"
        case .phoneLine, .clock, .service, .zoneFault, .zoneTamper, .zoneBattery, .keybus, .fireKey, .auxiliaryKey,
            .panicKey, .smoke:
            "over: \(text)"
        }
    }
}
