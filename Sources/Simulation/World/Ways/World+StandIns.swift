import AlarmModel
import ApplianceCore
import PanelLink

/// A way that takes messages and confirms nothing, just when something other than an alarm happens: what a person's
/// other ways are then for.
extension World {
    /// Such a message leaves by the next way after 30 s; then it may have to be repeated once. In a flood its turn comes
    /// later: faults leave in the order in which they came, and when 30 have left at once an address gets one per
    /// `OutboxPolicy.faultInterval`.
    private static func standInPatience(_ waiting: WayChecks.Waiting) -> Duration {
        .seconds(60) + OutboxPolicy().faultInterval * waiting.ahead
    }

    mutating func drawSilences(for span: Duration) {
        var chance = Jitter(seed: seed ^ 0x73_74_61_6E_64)
        let begin = Duration.minutes(4)
        guard span > begin * 2 else { return }
        for number in 0..<3 {
            let at = BootTime.zero + chance.duration(in: begin..<(span - begin))
            agenda.add(.phoneFate(.outage(.seconds(150))), at: at)
            let trouble: Trouble = [.battery, .bell, .ac][number]
            agenda.add(.fate(.house(.trouble(trouble, true))), at: at + .seconds(1))
            agenda.add(.fate(.house(.trouble(trouble, false))), at: at + .seconds(200))
        }
    }

    /// No fault waits for a person's first way while another one of theirs is sound.
    func checkStandIns() throws(Violation) {
        guard !phoneChecks.storeIsBad(at: now), disk.fault == nil, now - wayChecks.lastHold > .minutes(40),
            let book = disk.phones.book
        else { return }
        for waiting in wayChecks.waiting where waiting.priority == .fault {
            let since = waiting.since - .seconds(20)
            guard now - waiting.since > Self.standInPatience(waiting), runSince < since,
                wayChecks.storeGoodSince < since,
                let owner = wayChecks.owners[waiting.address], let person = owner.person, owner.since < since,
                let index = host(owner.way), let sound = hosts[index].sound(at: now), sound < since,
                book.contacts.contains(where: { $0.address == waiting.address && $0.state == .inUse }),
                let row = disk.phones.message(waiting.message)
            else { continue }
            let siblings = disk.phones.messages.filter { message in
                guard message.place == row.place, message.row.message != waiting.message else { return false }
                let phone = disk.phones.owners[message.row.address].flatMap { book.phone($0) }
                return (phone?.person ?? wayChecks.owners[message.row.address]?.person) == person
            }
            guard !siblings.contains(where: { $0.state.isFinal }) else { continue }
            throw broken(
                .standInsGoOut,
                "\(waiting.message) for \(owner.value) has not left for \(now - waiting.since), \(waiting.ahead) were "
                    + "ahead of it, and none of \(siblings.count) others has arrived")
        }
    }
}
