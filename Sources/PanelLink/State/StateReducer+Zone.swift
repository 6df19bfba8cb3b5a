import AlarmModel

extension StateReducer {
    /// 609/610.
    mutating func takeZone(
        _ number: Int, open: Bool, at now: Moment, _ settings: PanelSettings, isReport: Bool, believesClosed: Bool
    ) {
        change(zone: number, settings) { zone in
            guard !isReport || open || believesClosed else { return }
            zone.open = .known(open)
            zone.isClosedByReport = nil
            zone.knownAt = now.wall
            // The 602 was lost if a report shows the zone as closed, or if the zone opens again. A live 610 comes just
            // before its 602.
            if open != isReport { zone.restore = nil }
            guard !isReport else { return }
            if open {
                zone.lastOpened = now.wall
            } else {
                zone.lastClosed = now.wall
            }
        }
    }

    /// 616: the full set.
    mutating func takeBypassed(_ zones: [Int], _ settings: PanelSettings) {
        for index in state.zones.indices { setBypassed(at: index, zones) }
        for number in zones { change(zone: number, settings) { $0.bypassed = .known(true) } }
    }

    /// What the report could not prove is closed: a 615 says so, or the panel's readiness does.
    mutating func confirmClosed(_ number: Int, at now: Moment, _ settings: PanelSettings, byReport: Bool = false) {
        change(zone: number, settings) {
            $0.open = .known(false)
            $0.restore = nil
            $0.isClosedByReport = byReport ? true : nil
            $0.knownAt = now.wall
        }
    }

    /// 615 tells when a zone closed before we listened; an event of our own is more exact.
    mutating func takeTimers(_ timers: [ZoneTimer], at now: Moment) {
        for zone in state.zones where timers.indices.contains(zone.number - 1) {
            guard case .closed(let ago) = timers[zone.number - 1] else { continue }
            let closed = now.wall + .milliseconds(-ago.milliseconds)
            if let last = zone.lastClosed, last + .seconds(10) >= closed { continue }
            changeTimes(of: zone.number) { $0.lastClosed = closed }
        }
    }
}
