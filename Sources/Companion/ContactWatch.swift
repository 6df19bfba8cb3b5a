/// Since when nothing was heard of the box, on the clock that never steps.
struct ContactWatch: Equatable, Sendable {
    /// `lastContact` as it was looked at last.
    private var known: Int64?
    /// The same on the uptime; nil until it was looked at.
    private(set) var contactAt: Int64?
    /// Uptime at which the box was asked because it is late.
    var askedAt: Int64?

    mutating func look(_ view: HouseView, at time: PhoneTime) {
        guard let contact = view.lastContact, contact != known || contactAt == nil else { return }
        known = contact
        let uptime = time.uptime - max(0, time.wall - contact) * 1000
        contactAt = contactAt.map { max($0, uptime) } ?? uptime
        askedAt = nil
    }

    /// Uptime at which the box is late; nil: never.
    func lateAt(_ view: HouseView) -> Int64? {
        guard let contactAt, let span = view.overdueAfter else { return nil }
        return contactAt + span * 1000
    }

    /// Uptime at which something is to be done; 0 is at once.
    func deadline(_ view: HouseView) -> Int64? {
        guard view.overdueSince == nil, view.overdueAfter != nil, view.lastContact != nil else { return nil }
        guard contactAt != nil else { return 0 }
        return askedAt.map { $0 + OpenRequest.patience } ?? lateAt(view)
    }
}

extension PairedPhone {
    /// Asks the box where its sign of life is late, and tells the owner where there is no answer either: a push service
    /// may drop what has no time to live, which is no reason to wake anybody.
    mutating func watchContact(at time: PhoneTime, _ actions: inout [PhoneAction]) {
        watch.look(memory.view, at: time)
        let isLate = watch.lateAt(memory.view).map { time.uptime >= $0 } ?? false
        if let since = memory.view.overdueSince {
            guard !isLate else { return }
            memory.view.overdueSince = nil
            actions += [.store, .heardAgain(since: since), .changed]
        } else if isLate, let since = memory.view.lastContact {
            guard let asked = watch.askedAt else {
                watch.askedAt = time.uptime
                return wantPing(at: time)
            }
            guard time.uptime - asked >= OpenRequest.patience else { return }
            memory.view.overdueSince = since
            actions += [.store, .overdue(since: since), .changed]
        }
    }
}
