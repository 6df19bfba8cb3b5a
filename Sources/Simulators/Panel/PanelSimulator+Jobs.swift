import AlarmModel
import PanelLink

extension PanelSimulator {
    mutating func run(_ job: PanelJob) {
        switch job {
        case .loginDeadline(let client): loginDeadlinePassed(client)
        case .answer(let client, let command):
            guard session?.client == client else { return }
            session?.isProcessing = false
            answer(command)
        case .lateAck(let client, let code):
            if session?.client == client { reply("500", code) }
        case .effect(let effect): run(effect)
        case .exitDelayEnds(let partition): panelTurn { $0.exitDelayEnds(partition) }
        case .entryDelayEnds(let partition): panelTurn { $0.entryDelayEnds(partition) }
        case .bellEnds(let partition): panelTurn { $0.bellEnds(partition) }
        case .attributeOpening(let partition, let who): panelTurn { $0.attributeOpening(partition, who) }
        case .settle(let partition): panelTurn { $0.settled(partition) }
        case .closeZone(let zone): panelTurn { $0.setZone(zone, open: false) }
        case .menuEnds(let partition): panelTurn { $0.leaveMenu(partition) }
        case .repeatTroubles: panelTurn { $0.tellTroubles() }
        case .broadcastTime:
            broadcastTime()
            after(.minutes(4), .broadcastTime)
        case .broadcastTemperature:
            tellTemperatures()
            after(.minutes(5), .broadcastTemperature)
        case .watchdog: rebootModule(down: house.rebootTime)
        case .moduleStarts: moduleStarts()
        case .blank: blank()
        case .stallEnds(let client): stallEnds(client)
        case .flood: flood()
        case .strayAck:
            if faults.proxy, session?.isLoggedIn == true {
                reply("500", "000")
                after(.seconds(20), .strayAck)
            }
        }
    }

    mutating func run(_ effect: PanelEffect) {
        source = .network
        defer { source = .keypad }
        switch effect {
        case .arm(let partition, let intent, let who): panelTurn { $0.arm(partition, intent, by: who) }
        case .code(let partition, let code, let thenArm): panelTurn { $0.enter(code, at: partition, isArming: thenArm) }
        case .keys(let partition, let keys): press(keys, at: partition)
        case .panic(let kind):
            switch kind {
            case .fire: panelTurn { $0.panicKey(.fire) }
            case .ambulance: panelTurn { $0.panicKey(.auxiliary) }
            case .police: panelTurn { $0.panicKey(.panic) }
            }
        case .output(let partition, let output): panelTurn { $0.useOutput(output, of: partition) }
        case .ask(let kind, let partition, let purpose): panelTurn { $0.ask(kind, partition, purpose) }
        case .answerCode(let request, let code): panelTurn { $0.codeGiven(code, for: request) }
        case .report: sendStatusReport()
        case .timers: reply("615", zoneTimers)
        case .temperature: tellTemperatures()
        }
    }

    private mutating func press(_ keys: String, at partition: Int) {
        if house.partitions.contains(partition) { noteKey() }
        panelTurn { $0.press(keys, at: partition) }
    }

    mutating func act(_ stimulus: Stimulus) {
        switch stimulus {
        case .open(let zone): panelTurn { $0.setZone(zone, open: true) }
        case .close(let zone): panelTurn { $0.setZone(zone, open: false) }
        case .trip(let zone, let span):
            panelTurn { $0.setZone(zone, open: true) }
            cancel(.closeZone(zone))
            after(span, .closeZone(zone))
        case .zoneTamper(let zone, let on): panelTurn { $0.setZoneTamper(zone, on) }
        case .zoneFault(let zone, let on): panelTurn { $0.setZoneFault(zone, on) }
        case .zoneBattery(let zone, let low): panelTurn { $0.setZoneBattery(zone, low) }
        case .arm(let partition, let intent, let user):
            noteKey()
            panelTurn { $0.arm(partition, intent, by: user.map { .user($0) } ?? .special) }
        case .disarm(let partition, let user):
            noteKey()
            panelTurn { $0.disarm(partition, by: user.map { .user($0) } ?? .special) }
        case .keys(let partition, let keys): press(keys.revealed, at: partition)
        case .duress(let partition):
            let user = house.users.first { $0.isDuress }?.number ?? 33
            panelTurn { $0.disarm(partition, by: .user(user)) }
            report("620", "0000")
        case .key(let key): panelTurn { $0.panicKey(key) }
        case .smoke(let on): panelTurn { $0.setSmoke(on) }
        case .busy(let partition, let on): panelTurn { $0.setBusy(partition, on) }
        case .chime(let partition, let on): panelTurn { $0.setChime(partition, on) }
        case .output(let partition, let output): panelTurn { $0.useOutput(output, of: partition) }
        case .autoArming(let partition): report("674", "\(partition)")
        case .installer(let on): panelTurn { $0.setInstallerMode(on) }
        case .trouble(.keybus, let on): setKeybus(alive: !on)
        case .trouble(let trouble, let on): panelTurn { $0.setTrouble(trouble, on) }
        case .keybus(let alive): setKeybus(alive: alive)
        case .eventBufferNearlyFull: report("816")
        case .phoneRing: report("560")
        case .temperature(let temperature): panelTurn { $0.setTemperature(temperature) }
        case .clock(let clock): panelTurn { $0.setClock(PanelClockTime(clock)) }
        case .clockBroadcast: report("550", broadcastClock)
        case .rebootModule(let down): rebootModule(down: down ?? house.rebootTime)
        case .powerCycle(let down):
            rebootModule(down: down ?? house.rebootTime)
            panelTurn { $0.setTrouble(.clock, true) }
        case .clientVanished: clientVanished()
        case .dropClient(let reset): dropClient(reset: reset)
        case .fault(let fault): switchFault(fault)
        case .rawLine(let text): sendRaw(line: text)
        case .rawBytes(let bytes): push(bytes)
        }
    }
}
