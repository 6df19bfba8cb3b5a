import AlarmModel
import PanelLink

/// Keys and codes, typed at a keypad or sent as keystrings.
extension SimulatedPanel {
    mutating func press(_ keys: String, at partition: Int) {
        guard house.partitions.contains(partition) else { return }
        for key in keys where !press(key, at: partition) { return }
    }

    /// False: what was typed after it is lost.
    private mutating func press(_ key: Character, at partition: Int) -> Bool {
        switch partitions[partition - 1].menu {
        case .none: return pressWithoutMenu(key, partition)
        case .star: return pressAfterStar(key, partition)
        case .bypass: pressInBypass(key, partition)
        case .output:
            partitions[partition - 1].menu = .none
            if let output = key.wholeNumberValue, (1...4).contains(output) {
                if demandsCode(.output) {
                    ask(.user, partition, .output(output))
                    return false
                }
                useOutput(output, of: partition)
            }
        case .installer:
            partitions[partition - 1].digits = key == "#" ? partitions[partition - 1].digits + "#" : ""
            if partitions[partition - 1].digits == "##" { setInstallerMode(false) }
        }
        return true
    }

    private mutating func pressWithoutMenu(_ key: Character, _ partition: Int) -> Bool {
        switch key {
        case "*":
            partitions[partition - 1].digits = ""
            partitions[partition - 1].menu = .star
            restartMenu(partition)
        case "#":
            partitions[partition - 1].digits = ""
            actions.append(.asksNoMore)
            if demandsCode(.bypass), status(of: partition).isArmed { ask(.user, partition, .nothing) }
        case "0"..."9":
            partitions[partition - 1].digits.append(key)
            let code = partitions[partition - 1].digits
            if code.count >= house.codeLength {
                partitions[partition - 1].digits = ""
                let isOn = partitions[partition - 1].mode != nil || partitions[partition - 1].phase == .alarm
                enter(code, at: partition, isArming: !isOn)
            }
        default: break
        }
        return true
    }

    private mutating func pressAfterStar(_ key: Character, _ partition: Int) -> Bool {
        let isOn = partitions[partition - 1].mode != nil
        if key != "2", key != "3" {
            partitions[partition - 1].menu = .none
            cancel(.menuEnds(partition))
        }
        switch key {
        case "1":
            if isOn {
                report("671", "\(partition)")
            } else if demandsCode(.bypass) {
                ask(.user, partition, .bypass)
            } else {
                enterBypassMenu(partition)
                return true
            }
            return false
        case "4": setChime(partition, !partitions[partition - 1].chime)
        case "5", "6":
            ask(.master, partition, .nothing)
            return false
        case "7": partitions[partition - 1].menu = .output
        case "8":
            ask(.installer, partition, .installer)
            return false
        case "9":
            ask(.user, partition, .arm(.zeroEntry))
            return false
        case "0":
            if house.allowsQuickArm { arm(partition, .away, by: .special) }
        default: break
        }
        return true
    }

    // MARK: - Bypass

    private mutating func enterBypassMenu(_ partition: Int) {
        partitions[partition - 1].menu = .bypass
        partitions[partition - 1].digits = ""
        restartMenu(partition)
        showLEDs()
        if partition == 1 { actions.append(.flashing(0x08)) }
    }

    private mutating func pressInBypass(_ key: Character, _ partition: Int) {
        restartMenu(partition)
        switch key {
        case "#": leaveMenu(partition)
        case "0"..."9":
            partitions[partition - 1].digits.append(key)
            guard partitions[partition - 1].digits.count == 2 else { return }
            let number = Int(partitions[partition - 1].digits) ?? 0
            partitions[partition - 1].digits = ""
            if let zone = house.zone(number), zone.partition == partition, zone.kind != .fire24h {
                zones[number - 1].isBypassed.toggle()
            }
        default: partitions[partition - 1].digits = ""
        }
    }

    /// A client that waits for an answer keeps the menu open.
    mutating func keepMenu(_ partition: Int) {
        if partitions[partition - 1].menu != .none { restartMenu(partition) }
    }

    private mutating func restartMenu(_ partition: Int) {
        cancel(.menuEnds(partition))
        after(.seconds(30), .menuEnds(partition))
    }

    /// Leaving *1 dumps the bypassed zones (616).
    mutating func leaveMenu(_ partition: Int) {
        cancel(.menuEnds(partition))
        let menu = partitions[partition - 1].menu
        guard menu != .installer else { return }
        partitions[partition - 1].menu = .none
        partitions[partition - 1].digits = ""
        guard menu == .bypass else { return }
        if partition == 1 { actions.append(.flashing(0)) }
        report("616", bypassField)
        showLEDs()
        announce(partition)
    }

    // MARK: - Codes

    func isLockedOut(at time: BootTime) -> Bool { lockedUntil > time }

    func demandsCode(_ function: SimulatedHouse.CodeDemand) -> Bool {
        asksAlways || house.codeDemands.contains(function)
    }

    /// The fault `code900`.
    mutating func askAlways(_ on: Bool) { asksAlways = on }

    mutating func ask(_ kind: DSCMessage.CodeKind, _ partition: Int, _ purpose: CodeRequest.Purpose) {
        let request = CodeRequest(
            kind: kind, partition: partition, purpose: purpose, expires: now + house.codeWindow)
        actions.append(.asks(request))
        switch kind {
        case .user: report("900")
        case .master: report("921")
        case .installer: report("922")
        }
    }

    /// A code typed, or sent with 033 or 040.
    mutating func enter(_ code: String, at partition: Int, isArming: Bool) {
        guard !isLockedOut(at: now) else { return }
        guard let user = house.user(code: code, partition: partition) else { return wrongCode(partition) }
        wrongCodes = 0
        if isArming {
            arm(partition, .byDoor, by: .user(user.number))
        } else {
            disarm(partition, by: .user(user.number))
        }
        if user.isDuress { report("620", "0000") }
    }

    mutating func codeGiven(_ code: String, for request: CodeRequest) {
        let user = house.user(code: code, partition: request.partition)
        let isRight =
            switch request.kind {
            case .user: user != nil
            case .master: user?.number == 40
            case .installer: code == house.installerCode.revealed
            }
        guard isRight else { return wrongCode(request.partition) }
        wrongCodes = 0
        switch request.purpose {
        case .arm(let intent):
            arm(request.partition, intent, by: user.map { .user($0.number) } ?? .special)
            if user?.isDuress == true { report("620", "0000") }
        case .output(let output): useOutput(output, of: request.partition)
        case .bypass: enterBypassMenu(request.partition)
        case .installer:
            partitions[request.partition - 1].menu = .installer
            setInstallerMode(true)
        case .nothing: break
        }
    }

    private mutating func wrongCode(_ partition: Int) {
        report("670", "\(partition)")
        ledger.note(IncidentLedger.WrongCode(at: now, partition: partition, source: source))
        wrongCodes += 1
        guard wrongCodes >= house.lockoutAfter else { return }
        wrongCodes = 0
        lockedUntil = now + house.lockoutTime
        report("658", "\(partition)")
    }

    mutating func setInstallerMode(_ on: Bool) {
        guard isInstallerMode != on else { return }
        isInstallerMode = on
        if on {
            report("680")
            for partition in house.partitions { actions.append(.tellsAnew(partition)) }
            showLEDs()
        } else {
            for index in partitions.indices where partitions[index].menu == .installer {
                partitions[index].menu = .none
                partitions[index].digits = ""
            }
            showLEDs()
            for partition in house.partitions { announce(partition) }
        }
    }

    mutating func useOutput(_ output: Int, of partition: Int) {
        report("660", "\(partition)")
        report("912", "\(partition)\(output)")
    }
}
