import AlarmModel

extension World {
    /// Leaves out what the selection leaves out. Called before the first step.
    ///
    /// - Parameter span: for which the happenings were drawn. The calm at its end, and what owners do in it, stays.
    /// - Returns: what takes place
    @discardableResult
    mutating func keep(_ selection: Selection, of span: Duration) -> [DrawnHappening] {
        let end = BootTime.zero + span
        let newEnd = BootTime.zero + selection.end(of: span)
        let only = selection.only.map { Set($0) }
        var number = 0
        var kept: [DrawnHappening] = []
        agenda.sift { time, happening in
            guard let words = happening.wordsOfDrawn else { return (time, happening) }
            guard time < end else { return (time - (end - newEnd), happening) }
            number += 1
            guard time < newEnd, only?.contains(number) ?? true else { return nil }
            kept.append(DrawnHappening(number: number, at: time, words: words))
            return (time, happening.over(by: newEnd, from: time))
        }
        return kept
    }

    /// As `live(for:)` begins, without asking whether everything settles.
    mutating func live(before end: Duration) throws(Violation) {
        for index in phones.indices { phoneTurn(index) { phone, _, actions in phone.connected(into: &actions) } }
        try live(until: .zero + end)
    }
}

extension Happening {
    /// nil for what is not drawn from the seed before the run begins.
    fileprivate var wordsOfDrawn: String? {
        switch self {
        case .fate(let fate): "\(fate)"
        case .phoneFate(let fate): "phones: \(fate)"
        case .wayFate(let fate): "ways: \(fate)"
        case .codeUse(let use): "codes: \(use)"
        case .linkFate(let fate): "links: \(fate)"
        case .modemFate(let fate): "modem: \(fate)"
        case .input, .panelHears, .panelAccepts, .panelLoses, .panelTimer, .timer, .synced, .boot, .diskHeals,
            .pushHears,
            .pushAccepts, .pushLoses, .pushTimer, .pushTakes, .phoneHears, .phoneTimer, .caretaker, .way, .wayTimer,
            .linksChange, .modemWork, .modemChanges, .watchdogLook, .followerReturns, .consoleTry:
            nil
        }
    }

    /// The same, where what must not outlast the faults ends with them.
    fileprivate func over(by end: BootTime, from time: BootTime) -> Happening {
        switch self {
        case .phoneFate(.outage(let span)): .phoneFate(.outage(min(span, end - time)))
        case .wayFate(.outage(let way, let span)): .wayFate(.outage(way, min(span, end - time)))
        case .linkFate(let fate): .linkFate(fate.atMost(end - time))
        case .modemFate(let fate): .modemFate(fate.atMost(end - time))
        case .fate, .phoneFate, .wayFate, .input, .panelHears, .panelAccepts, .panelLoses, .panelTimer, .timer, .synced,
            .boot, .diskHeals, .pushHears, .pushAccepts, .pushLoses, .pushTimer, .pushTakes, .phoneHears, .phoneTimer,
            .caretaker, .way, .wayTimer, .codeUse, .linksChange, .modemWork, .modemChanges, .watchdogLook,
            .followerReturns, .consoleTry:
            self
        }
    }
}
