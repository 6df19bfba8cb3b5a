import AlarmModel

/// A modem with its SIM and the service that drives it (as ModemManager does), and the mobile network around them.
///
/// Guarantees: what it does follows from its generator and from what it is told; a modem that hangs answers nothing but a
/// reset, and nothing else helps it.
struct SimulatedModem: Sendable {
    static let interface = "wwan0"
    static let pin = Secret("73915524")

    let pin = Self.pin
    private(set) var chance: Jitter
    /// Neither the service nor the modem is there before.
    var serviceAwayUntil = BootTime.zero
    /// Unplugged, or restarting.
    private(set) var awayUntil = BootTime.zero
    /// No network before.
    var networkAwayUntil = BootTime.zero
    /// The network refuses data before.
    var refusesUntil = BootTime.zero
    /// The network takes no text before.
    var textsFailUntil = BootTime.zero
    private(set) var isLocked = true
    private(set) var triesLeft = 3
    private(set) var isOn = false
    /// When the network takes it in; nil while nobody has asked for it.
    private(set) var registersAt: BootTime?
    private(set) var hasBearer = false
    private(set) var hungSince: BootTime?
    /// What was under way for an older one is lost.
    private(set) var life = 0

    /// What an order comes to, and when. Without words: silence.
    enum Answer: Equatable, Sendable {
        case silence
        case now(ModemFact, in: Duration)
        /// It is done by then, unless something else happens before.
        case work(ModemTask, in: Duration)
    }

    init(seed: UInt64) { chance = Jitter(seed: seed) }

    func isThere(at now: BootTime) -> Bool { serviceAwayUntil <= now && awayUntil <= now }
    func isRegistered(at now: BootTime) -> Bool {
        isThere(at: now) && isOn && hungSince == nil && networkAwayUntil <= now
            && registersAt.map { $0 <= now } ?? false
    }
    /// It has taken the wrong PIN too often.
    var isSIMDead: Bool { triesLeft == 0 }

    /// nil while there is none.
    func status(at now: BootTime) -> ModemStatus? {
        guard isThere(at: now) else { return nil }
        var status = ModemStatus(name: "ACME M1", lock: isLocked ? (isSIMDead ? .puk : .pin) : .none)
        status.triesLeft = isLocked ? triesLeft : nil
        status.registration = isRegistered(at: now) ? .home : isOn ? .searching : .idle
        if isRegistered(at: now) { status.operatorName = "Test Net" }
        if hasBearer {
            status.bearer = ModemBearer(interface: Self.interface, ipv4: ModemBearer.Addressing(method: .dhcp))
        }
        status.phase =
            isLocked
            ? .locked : !isOn ? .disabled : hasBearer ? .connected : isRegistered(at: now) ? .registered : .searching
        return status
    }

    /// When something of it changes by itself.
    func nextChange(after now: BootTime) -> BootTime? {
        [serviceAwayUntil, awayUntil, networkAwayUntil, registersAt ?? .zero].filter { $0 > now }.min()
    }

    // MARK: Orders

    mutating func take(_ order: ModemOrder, at now: BootTime) -> Answer {
        let task = order.task
        guard isThere(at: now) else {
            let failure = ModemFailure(.noModem)
            if case .sendText(let message) = order {
                return .now(.textFailed(message.id, failure), in: .milliseconds(20))
            }
            if case .call(let id, _) = order { return .now(.call(id, .failed(failure)), in: .milliseconds(20)) }
            return task.map { .now(.failed($0, failure), in: .milliseconds(20)) } ?? .silence
        }
        switch order {
        case .find: return .work(.find, in: .milliseconds(50))
        case .reset:
            goAway(until: now + .milliseconds(1500) + chance.duration(in: .seconds(8)..<(.seconds(25))))
            return .now(.done(.reset), in: .milliseconds(200))
        case .unlock, .enable, .connect, .disconnect, .sendText, .call, .speak, .sendTone, .hangUp:
            guard hungSince == nil else { return .silence }
        }
        switch order {
        case .unlock(let given):
            guard isLocked, !isSIMDead else { return .now(.failed(.unlock, ModemFailure(.other)), in: .seconds(1)) }
            guard given.revealed == pin.revealed else {
                triesLeft -= 1
                return .now(.failed(.unlock, ModemFailure(.wrongPIN)), in: .seconds(1))
            }
            return .work(.unlock, in: .seconds(2))
        case .enable: return .work(.enable, in: .seconds(1))
        case .connect:
            guard isRegistered(at: now), refusesUntil <= now else {
                return .now(.failed(.connect, ModemFailure(.other, "the network says no")), in: .seconds(4))
            }
            return .work(.connect, in: chance.duration(in: .seconds(1)..<(.seconds(6))))
        case .disconnect: return .work(.disconnect, in: .seconds(1))
        case .sendText(let message):
            let span = chance.duration(in: .seconds(1)..<(.seconds(9)))
            guard isRegistered(at: now), textsFailUntil <= now, chance.next() % 8 != 0 else {
                return .now(.textFailed(message.id, ModemFailure(.other, "not taken")), in: span)
            }
            // The network has it, and the answer is lost.
            return chance.next() % 12 == 0 ? .silence : .now(.textSent(message.id), in: span)
        case .call(let id, _): return called(id, at: now)
        case .speak(let id, _, _): return heard(id)
        case .sendTone(let id, _):
            switch chance.next() % 16 {
            case 0: return .now(.call(id, .keyPressed), in: .seconds(1))
            case 1: return .now(.call(id, .toneFailed(ModemFailure(.other, "not supported"))), in: .milliseconds(50))
            default: return .silence
            }
        case .hangUp, .find, .reset: return .silence
        }
    }

    /// It rings at somebody who takes the call or does not; a mailbox does.
    private mutating func called(_ id: CallID, at now: BootTime) -> Answer {
        guard isRegistered(at: now) else {
            return .now(.call(id, .failed(ModemFailure(.other, "no network"))), in: .seconds(1))
        }
        let span = chance.duration(in: .seconds(2)..<(.seconds(50)))
        switch chance.next() % 8 {
        case 0, 1: return .silence
        case 2: return .now(.call(id, .ended), in: span)
        case 3: return .now(.call(id, .failed(ModemFailure(.other, "the call broke off"))), in: span)
        default: return .now(.call(id, .answered), in: span)
        }
    }

    /// Whoever took it listens, presses a key or hangs up; in half of the calls nothing can be spoken. Now and then the
    /// answer comes when the call is long over.
    private mutating func heard(_ id: CallID) -> Answer {
        let span = chance.duration(in: .seconds(2)..<(.seconds(45)))
        switch chance.next() % 8 {
        case 0...3: return .now(.call(id, .unspoken(ModemFailure(.other, "no sound"))), in: .milliseconds(200))
        case 4, 5: return .now(.call(id, .keyPressed), in: span)
        case 6: return .now(.call(id, .ended), in: span)
        default: return .silence
        }
    }

    /// A work is over; nil when it failed silently with a life before.
    mutating func finish(_ task: ModemTask, at now: BootTime) -> ModemFact? {
        guard isThere(at: now) else { return nil }
        guard hungSince == nil || task == .find else { return nil }
        switch task {
        case .unlock: isLocked = false
        case .enable:
            isOn = true
            registersAt = now + registrationTime()
        case .connect:
            guard isRegistered(at: now) else { return .failed(.connect, ModemFailure(.other, "lost on the way")) }
            hasBearer = true
        case .disconnect: hasBearer = false
        case .find, .reset: break
        }
        return .done(task)
    }

    /// Mostly soon, sometimes late.
    private mutating func registrationTime() -> Duration {
        chance.next() % 4 == 0
            ? chance.duration(in: .seconds(60)..<(.seconds(200))) : chance.duration(in: .seconds(2)..<(.seconds(30)))
    }

    // MARK: What happens to it

    /// It loses all that it knew: unplugged, without power, or reset.
    mutating func goAway(until time: BootTime) {
        awayUntil = max(awayUntil, time)
        isLocked = true
        isOn = false
        registersAt = nil
        hasBearer = false
        hungSince = nil
        life += 1
    }

    mutating func hang(at now: BootTime) {
        guard hungSince == nil, isThere(at: now), !isLocked, isOn else { return }
        hungSince = now
        hasBearer = false
        life += 1
    }

    mutating func loseNetwork(until time: BootTime) {
        networkAwayUntil = max(networkAwayUntil, time)
        hasBearer = false
        if isOn { registersAt = networkAwayUntil + registrationTime() }
    }

    /// The service starts anew and finds the modem as it is.
    mutating func loseService(until time: BootTime) {
        serviceAwayUntil = max(serviceAwayUntil, time)
        hasBearer = false
        life += 1
    }

    mutating func dropData() { hasBearer = false }
}
