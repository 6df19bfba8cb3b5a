package import AlarmModel
import Companion

extension VirtualPhone {
    /// Does what its owner says. `waitFor` is for who reads the lines.
    package mutating func perform(_ word: PhoneWord, at now: Moment, into actions: inout [Action]) {
        switch word {
        case .pair(let code): pair(code, at: now, into: &actions)
        case .digits: actions.append(.print("digits \(digits ?? "none")"))
        case .ping: ping(at: now, into: &actions)
        case .sync: sync(at: now, into: &actions)
        case .snapshot: snapshot(at: now, into: &actions)
        case .prepare: prepare(at: now, into: &actions)
        case .list(let name): list(name, at: now, into: &actions)
        case .offline: setOnline(false, into: &actions)
        case .online: setOnline(true, into: &actions)
        case .command(let command): give(command, at: now, into: &actions)
        case .seen:
            guard let alarm = phone?.memory.log.events.last(where: \.isAlarm), let place = alarm.position else {
                return actions.append(.print("no alarm to be seen"))
            }
            give(.seen(place), at: now, into: &actions)
        case .log: actions += (phone.map { PhoneText.log($0.memory) } ?? ["not paired"]).map { .print($0) }
        case .state:
            let time = PhoneTime(uptime: now.boot.nanoseconds / 1_000_000, wall: now.wall.seconds)
            actions += (phone.map { PhoneText.state($0.memory, at: time) } ?? ["not paired"]).map { .print($0) }
            if let phone { actions.append(.print(PhoneText.contact(phone.memory))) }
        case .waitFor: break
        case .quit: actions.append(.quit)
        }
    }
}
