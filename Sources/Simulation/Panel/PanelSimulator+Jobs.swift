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
        case .exitDelayEnds(let partition): exitDelayEnds(partition)
        case .entryDelayEnds(let partition): entryDelayEnds(partition)
        case .bellEnds(let partition): bellEnds(partition)
        case .attributeOpening(let partition, let who): attributeOpening(partition, who)
        case .settle(let partition): settled(partition)
        case .closeZone(let zone): setZone(zone, open: false)
        case .menuEnds(let partition): leaveMenu(partition)
        case .repeatTroubles: tellTroubles()
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
        switch effect {
        case .arm(let partition, let intent, let who): arm(partition, intent, by: who)
        case .code(let partition, let code, let thenArm): enter(code, at: partition, isArming: thenArm)
        case .keys(let partition, let keys): press(keys, at: partition)
        case .panic(let kind):
            switch kind {
            case .fire: panicKey(.fire)
            case .ambulance: panicKey(.auxiliary)
            case .police: panicKey(.panic)
            }
        case .output(let partition, let output): useOutput(output, of: partition)
        case .ask(let kind, let partition, let purpose): ask(kind, partition, purpose)
        case .answerCode(let request, let code): codeGiven(code, for: request)
        case .report: sendStatusReport()
        case .timers: reply("615", zoneTimers)
        case .temperature: tellTemperatures()
        }
    }

    mutating func act(_ stimulus: Stimulus) {
        switch stimulus {
        case .open(let zone): setZone(zone, open: true)
        case .close(let zone): setZone(zone, open: false)
        case .trip(let zone, let span):
            setZone(zone, open: true)
            cancel(.closeZone(zone))
            after(span, .closeZone(zone))
        case .zoneTamper(let zone, let on): setZoneTamper(zone, on)
        case .zoneFault(let zone, let on): setZoneFault(zone, on)
        case .zoneBattery(let zone, let low): setZoneBattery(zone, low)
        case .arm(let partition, let intent, let user):
            noteKey()
            arm(partition, intent, by: user.map { .user($0) } ?? .special)
        case .disarm(let partition, let user):
            noteKey()
            disarm(partition, by: user.map { .user($0) } ?? .special)
        case .keys(let partition, let keys): press(keys.revealed, at: partition)
        case .duress(let partition):
            disarm(partition, by: .user(house.users.first { $0.isDuress }?.number ?? 33))
            report("620", "0000")
        case .key(let key): panicKey(key)
        case .smoke(let on): setSmoke(on)
        case .busy(let partition, let on): setBusy(partition, on)
        case .chime(let partition, let on): setChime(partition, on)
        case .output(let partition, let output): useOutput(output, of: partition)
        case .autoArming(let partition): report("674", "\(partition)")
        case .installer(let on): setInstallerMode(on)
        case .trouble(let trouble, let on): setTrouble(trouble, on)
        case .keybus(let alive): setKeybus(alive: alive)
        case .eventBufferNearlyFull: report("816")
        case .phoneRing: report("560")
        case .temperature(let temperature): setTemperature(temperature)
        case .clock(let clock): setClock(PanelClockTime(clock))
        case .clockBroadcast: report("550", broadcastClock)
        case .rebootModule(let down): rebootModule(down: down ?? house.rebootTime)
        case .powerCycle(let down):
            rebootModule(down: down ?? house.rebootTime)
            setTrouble(.clock, true)
        case .clientVanished: clientVanished()
        case .dropClient(let reset): dropClient(reset: reset)
        case .fault(let fault): switchFault(fault)
        case .rawLine(let text): sendRaw(line: text)
        case .rawBytes(let bytes): push(bytes)
        }
    }
}
