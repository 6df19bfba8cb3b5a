import AlarmModel
import ApplianceCore
import PanelLink

/// A channel that takes messages and confirms nothing, just when something other than an alarm happens: what a person's
/// other channels are then for.
extension World {
    /// Such a message leaves by the next channel after 30 s; then it may have to be repeated once. In a flood its turn
    /// comes later: faults leave in order, and after 30 at once an address gets one per `OutboxPolicy.faultInterval`.
    private static func fallbackPatience(_ waiting: ChannelChecks.Waiting) -> Duration {
        .seconds(60) + OutboxPolicy().faultInterval * waiting.ahead
    }

    mutating func drawSilences(for span: Duration) {
        var chance = Jitter(seed: seed ^ 0x73_74_61_6E_64)
        let begin = Duration.minutes(4)
        guard span > begin * 2 else { return }
        for number in 0..<3 {
            let at = BootTime.zero + chance.duration(in: begin..<(span - begin))
            agenda.add(.phoneFault(.outage(.seconds(150))), at: at)
            let trouble: Trouble = [.battery, .bell, .ac][number]
            agenda.add(.fault(.house(.trouble(trouble, true))), at: at + .seconds(1))
            agenda.add(.fault(.house(.trouble(trouble, false))), at: at + .seconds(200))
        }
    }

    /// No fault waits for a person's first channel while another one of theirs is sound.
    func checkFallbacks() throws(Violation) {
        guard !store.isBad(at: now), store.disk.fault == nil, now - channelChecks.lastHold > .minutes(40),
            let book = store.disk.phones.book
        else { return }
        for waiting in channelChecks.waiting where waiting.priority == .fault {
            let since = waiting.since - .seconds(20)
            guard now - waiting.since > Self.fallbackPatience(waiting), runSince < since,
                store.goodSince < since,
                let owner = channelChecks.owners[waiting.address], let person = owner.person, owner.since < since,
                let index = hosts.index(owner.channel), let sound = hosts[index].sound(at: now), sound < since,
                book.contacts.contains(where: { $0.address == waiting.address && $0.state == .inUse }),
                let row = store.disk.phones.message(waiting.message)
            else { continue }
            let siblings = store.disk.phones.messages.filter { message in
                guard message.place == row.place, message.row.message != waiting.message else { return false }
                let phone = store.disk.phones.owners[message.row.address].flatMap { book.phone($0) }
                return (phone?.person ?? channelChecks.owners[message.row.address]?.person) == person
            }
            guard !siblings.contains(where: { $0.state.isFinal }) else { continue }
            throw broken(
                .fallbacksGoOut,
                "\(waiting.message) for \(owner.value) has not left for \(now - waiting.since), \(waiting.ahead) were "
                    + "ahead of it, and none of \(siblings.count) others has arrived")
        }
    }
}
