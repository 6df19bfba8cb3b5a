import AlarmModel
import PanelLink

/// The client's commands (docs/envisalink.md 2.1) and the answers 500, 501, 502 (1.4).
extension PanelSimulator {
    mutating func refuse(_ error: Int) { reply("502", error.padded(3)) }

    mutating func answer(_ command: ClientCommand) {
        let data = command.data
        if command.code != "000", command.code != "005", PanelFaults.use(&faults.busy.times) {
            return refuse(faults.busy.code)
        }
        switch command.code {
        case "000":
            restartWatchdog()
            guard hasFit(data, 0...0) else { return }
            accept(command)
        case "001":
            guard hasFit(data, 0...0), reachesPanel() else { return }
            accept(command, then: .report, after: .zero)
        case "005": login(data)
        case "008":
            guard hasFit(data, 0...0) else { return }
            accept(command, then: .timers, after: .zero)
        case "010": setClock(command)
        case "020":
            guard hasFit(data, 2...2), let partition = partition(data), isFree(partition) else { return }
            guard let output = data.last?.wholeNumberValue, (1...4).contains(output) else { return refuse(20) }
            accept(
                command,
                then: panel.demandsCode(.output)
                    ? .ask(.user, partition, .output(output)) : .output(partition, output))
        case "030": arm(command, .away)
        case "031": arm(command, .stay)
        case "032": arm(command, .zeroEntry)
        case "033":
            guard hasFit(data, 5...7), let partition = partition(data), isFree(partition), mayArm(partition) else {
                return
            }
            accept(command, then: .code(partition, String(data.dropFirst()), thenArm: true))
        case "040": disarm(command)
        case "055", "056", "057": setOption(command)
        case "060":
            guard hasFit(data, 1...1), reachesPanel() else { return }
            switch data {
            case "1": accept(command, then: .panic(.fire))
            case "2": accept(command, then: .panic(.ambulance))
            case "3": accept(command, then: .panic(.police))
            default: refuse(20)
            }
        case "070":
            guard reachesPanel() else { return }
            accept(command, then: .keys(1, String(data.prefix(1))), after: house.keyLatency)
        case "071": keystring(command)
        case "072", "073":
            guard hasFit(data, 1...1), let partition = partition(data), isFree(partition) else { return }
            accept(command, then: .ask(.master, partition, .nothing))
        case "074":
            guard hasFit(data, 1...1), let partition = partition(data) else { return }
            panelTurn { $0.keepMenu(partition) }
            accept(command)
        case "080":
            guard reachesPanel() else { return }
            accept(command, then: .temperature)
        case "200": answerCode(command)
        default: refuse(22)
        }
    }

    /// Acknowledges, and lets the panel act after its latency, or before where that fault is on.
    private mutating func accept(_ command: ClientCommand, then effect: PanelEffect? = nil, after span: Duration? = nil)
    {
        if PanelFaults.use(&faults.eventBeforeAck) {
            report("510", Self.hexadecimal(leds))
            if let effect { run(effect) }
            return acknowledge(command)
        }
        acknowledge(command)
        guard let effect else { return }
        let span = span ?? house.panelLatency
        if span == .zero { run(effect) } else { after(span, .effect(effect)) }
    }

    private mutating func acknowledge(_ command: ClientCommand) {
        guard let client = session?.client else { return }
        if PanelFaults.use(&faults.noAck) { return }
        if PanelFaults.use(&faults.wrongAck) { return reply("500", command.code == "000" ? "001" : "000") }
        if faults.lateAck > .zero { return after(faults.lateAck, .lateAck(client, command.code)) }
        reply("500", command.code)
    }

    // MARK: - Checks; each answers itself when it fails

    private mutating func hasFit(_ data: String, _ lengths: ClosedRange<Int>, _ letters: String = "0123456789") -> Bool
    {
        guard data.count >= lengths.lowerBound else {
            refuse(25)
            return false
        }
        guard data.count <= lengths.upperBound else {
            if faults.quirk501 { reply("501") } else { refuse(25) }
            return false
        }
        guard data.allSatisfy({ letters.contains($0) }) else {
            if faults.quirk501 { reply("501") } else { refuse(27) }
            return false
        }
        return true
    }

    private mutating func partition(_ data: String) -> Int? {
        guard let number = data.first?.wholeNumberValue, (1...8).contains(number) else {
            refuse(21)
            return nil
        }
        return reachesPanel() ? number : nil
    }

    private mutating func reachesPanel() -> Bool {
        if !module.isKeybusAlive { refuse(14) }
        return module.isKeybusAlive
    }

    /// Not locked out, no installer, nobody in a menu of another keypad.
    private mutating func isFree(_ partition: Int) -> Bool {
        if panel.isLockedOut(at: now) {
            refuse(16)
        } else if panel.isInstallerMode {
            refuse(17)
        } else if panel.partitions[partition - 1].isBusy {
            refuse(18)
        } else {
            return true
        }
        return false
    }

    private mutating func mayArm(_ partition: Int) -> Bool {
        switch panel.status(of: partition) {
        case .ready, .readyForce, .disarmed:
            if !module.isBlanked, panel.isReady(partition) || panel.isForceReady(partition) { return true }
        case .alarm: if panel.hidesAlarm(partition), panel.isReady(partition) { return true }
        case .notReady, .exitDelay, .armed, .entryDelay, .notEnabled: break
        }
        refuse(24)
        return false
    }

    // MARK: - Commands of more than a line

    private mutating func arm(_ command: ClientCommand, _ intent: ArmIntent) {
        guard hasFit(command.data, 1...1), let partition = partition(command.data), isFree(partition),
            mayArm(partition)
        else { return }
        let asks = intent == .zeroEntry || panel.demandsCode(.arm) || !house.allowsQuickArm
        accept(
            command, then: asks ? .ask(.user, partition, .arm(intent)) : .arm(partition, intent, .special))
    }

    private mutating func disarm(_ command: ClientCommand) {
        guard hasFit(command.data, 5...7), let partition = partition(command.data), isFree(partition) else { return }
        switch panel.status(of: partition) {
        case .exitDelay, .armed, .entryDelay, .alarm: break
        case .disarmed, .ready, .readyForce, .notReady, .notEnabled: return refuse(23)
        }
        accept(command, then: .code(partition, String(command.data.dropFirst()), thenArm: false))
    }

    private mutating func setOption(_ command: ClientCommand) {
        guard hasFit(command.data, 1...1, "01") else { return }
        let on = command.data == "1"
        switch command.code {
        case "055": module.stampsLines = on
        case "056":
            module.broadcastsTime = on
            cancel(.broadcastTime)
            if on { after(.minutes(4), .broadcastTime) }
        default:
            module.broadcastsTemperature = on
            cancel(.broadcastTemperature)
            if on { after(.minutes(5), .broadcastTemperature) }
        }
        accept(command)
    }

    private mutating func setClock(_ command: ClientCommand) {
        guard hasFit(command.data, 10...10), reachesPanel() else { return }
        let digits = command.data.compactMap(\.wholeNumberValue)
        let pairs = stride(from: 0, to: 10, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        let time = PanelClockTime(
            year: pairs[4], month: pairs[2], day: pairs[3], hour: pairs[0], minute: pairs[1], second: 0)
        guard time.isValid else { return refuse(20) }
        accept(command)
        panelTurn { $0.setClock(time) }
    }

    private mutating func keystring(_ command: ClientCommand) {
        guard hasFit(command.data, 2...7, "0123456789*#"), let partition = partition(command.data) else { return }
        guard !panel.isLockedOut(at: now) else { return refuse(16) }
        guard module.keysBusyUntil <= now else { return refuse(10) }
        module.keysBusyUntil = now + house.keyLatency
        accept(command, then: .keys(partition, String(command.data.dropFirst())), after: house.keyLatency)
    }

    private mutating func answerCode(_ command: ClientCommand) {
        guard hasFit(command.data, 4...6), reachesPanel() else { return }
        guard !panel.isLockedOut(at: now) else { return refuse(16) }
        guard let request = module.codeRequest, request.expires > now else { return refuse(26) }
        module.codeRequest = nil
        accept(command, then: .answerCode(request, command.data))
    }
}
