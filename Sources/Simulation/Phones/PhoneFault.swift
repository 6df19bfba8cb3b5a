import AlarmModel
import Companion
import PhoneProtocol
import Simulators

/// What happens to phones, the push service and the way between, drawn from the seed before the run begins.
enum PhoneFault: Codable, Equatable, Sendable {
    case off(Int)
    case on(Int)
    case background(Int)
    /// The app is started anew.
    case restart(Int)
    case command(Int, HouseCommand)
    case word(Int, PhoneWord)
    case newToken(Int)
    case push(PushSimulator.Stimulus)
    /// The way from the box to the push service carries nothing.
    case outage(Duration)
    case revoke(Int)
    case test
    case house(PanelSimulator.Stimulus)
    case attack(Attack)
    case calm

    static func draw(for span: Duration, from chance: inout Jitter, phones: Int) -> [(BootTime, PhoneFault)] {
        var faults: [(BootTime, PhoneFault)] = []
        var at = BootTime.zero + .seconds(60)
        let end = BootTime.zero + span
        while at < end {
            faults += one(from: &chance, phones: phones).map { (at + $0, $1) }
            at = at + chance.duration(in: .milliseconds(500)..<(chance.next() % 4 == 0 ? .seconds(120) : .seconds(30)))
        }
        // What is under way in an outage arrives when it is over: none outlasts the faults.
        faults = faults.filter { $0.0 < end }.map { time, fault in
            guard case .outage(let span) = fault else { return (time, fault) }
            return (time, .outage(min(span, end - time)))
        }
        faults.append((end, .calm))
        for wait in [300, 600, 760] {
            for phone in 0..<phones { faults.append((end + .seconds(wait), .word(phone, .ping))) }
        }
        return faults
    }

    private static func one(from chance: inout Jitter, phones: Int) -> [(Duration, PhoneFault)] {
        let phone = Int(chance.next() % UInt64(phones))
        func span(_ low: Int, _ high: Int) -> Duration { chance.duration(in: .seconds(low)..<(.seconds(high))) }
        switch chance.next() % 100 {
        case 0..<32: return [(.zero, .command(phone, command(from: &chance)))]
        case 32..<40: return [(.zero, .off(phone)), (span(5, 600), .on(phone))]
        case 40..<44: return [(.zero, .background(phone)), (span(5, 200), .on(phone))]
        case 44..<48: return [(.zero, .restart(phone))]
        case 48..<54: return [(.zero, .word(phone, [.ping, .sync, .snapshot, .seen][Int(chance.next() % 4)]))]
        case 54..<57: return [(.zero, .newToken(phone))]
        case 57..<59: return [(.zero, .revoke(phone))]
        case 59:
            return chance.next() % 2 == 0 ? [(.zero, .test)] : [(.zero, .house(.duress(partition: 1)))]
        case 60..<64:
            let isLong = chance.next() % 6 == 0
            return [(.zero, .outage(isLong ? span(300, 3600) : span(1, 60)))]
        case 64..<67:
            // Something is under way when the connection ends.
            return [
                (.zero, .push(.delayAcks(.seconds(10)))), (.seconds(1), .test), (.seconds(5), .push(.closeAbrupt)),
                (.seconds(6), .push(.delayAcks(.zero))),
            ]
        case 67..<84: return push(from: &chance).map { ($0, .push($1)) }
        default: return attack(from: &chance, phone: phone, phones: phones)
        }
    }

    private static func push(from chance: inout Jitter) -> [(Duration, PushSimulator.Stimulus)] {
        let few = Int(chance.next() % 4) + 1
        let pause = chance.duration(in: .seconds(5)..<(.seconds(60)))
        switch chance.next() % 17 {
        case 0: return [(.zero, .closeGraceful)]
        case 1: return [(.zero, .closeAbrupt)]
        case 2: return [(.zero, .halfOpen)]
        case 3: return [(.zero, .drain(nil))]
        case 4: return [(.zero, .drainNack(nil))]
        case 5:
            let codes: [PushErrorCode] = [.serviceUnavailable, .internalServerError, .deviceRateExceeded]
            return [(.zero, .nack(.init(code: codes[few % 3].rawValue, times: few)))]
        case 6: return [(.zero, .delayAcks(.seconds(few * 2))), (pause, .delayAcks(.zero))]
        case 7: return [(.zero, .duplicateInbound(few))]
        case 8: return [(.zero, .duplicateDownstream(few * 2))]
        case 9: return [(.zero, .reorderInbound(few + 1))]
        case 10: return [(.zero, .reorderDownstream(few + 1))]
        case 11: return [(.zero, .refuseConnect(true)), (.zero, .closeAbrupt), (pause, .refuseConnect(false))]
        case 12: return [(.zero, .split(true)), (pause, .split(false))]
        case 13: return [(.zero, .streamError("system-shutdown"))]
        case 14: return [(.zero, .ping), (.seconds(1), .space)]
        case 15: return [(.zero, .garbage)]
        default: return [(.zero, .form(few % 2 == 0 ? .plain : .prefixed))]
        }
    }

    private static func attack(
        from chance: inout Jitter, phone: Int, phones: Int
    ) -> [(Duration, PhoneFault)] {
        let span = chance.duration(in: .seconds(70)..<(.seconds(400)))
        switch chance.next() % 10 {
        case 8, 9:
            // While its challenge holds, the same again.
            return [
                (.zero, .command(phone, .output(partition: 1, number: 3))),
                (.seconds(4), .attack(.repeatNewest)), (.seconds(12), .attack(.repeatNewest)),
            ]
        case 0: return [(.zero, .attack(.replayUp(6)))]
        case 1: return [(.zero, .attack(.replayDown(4)))]
        case 2: return [(.zero, .attack(.alterUp))]
        case 3: return [(.zero, .attack(.alterDown))]
        case 4: return [(.zero, .attack(.wrongPhone))]
        case 5: return [(.zero, .attack(.dropDown(span))), (.zero, .attack(.dropUp(span)))]
        default:
            // Something worth holding back.
            let order: HouseCommand = chance.next() % 2 == 0 ? .disarm(partition: 1) : .output(partition: 1, number: 3)
            return [
                (.zero, .attack(.holdCommands(phone, span))), (.seconds(2), .command(phone, order)),
                (span + .milliseconds(10), .attack(.release)),
            ]
        }
    }

    /// Some orders are never given at the box, so that they can be counted.
    private static func command(from chance: inout Jitter) -> HouseCommand {
        switch chance.next() % 10 {
        case 0: .arm(partition: 1, mode: .away, force: false)
        case 1, 2: .arm(partition: 1, mode: .zeroEntry, force: chance.next() % 2 == 0)
        case 3...5: .disarm(partition: 1)
        case 6: .bypass(zone: Int(chance.next() % 12) + 1, on: chance.next() % 2 == 0)
        case 7: .panic(.fire)
        default: .output(partition: 1, number: 3)
        }
    }
}
