import AlarmModel

extension Agenda {
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
        sift { time, happening in
            guard let words = happening.wordsOfDrawn else { return (time, happening) }
            guard time < end else { return (time - (end - newEnd), happening) }
            number += 1
            guard time < newEnd, only?.contains(number) ?? true else { return nil }
            kept.append(DrawnHappening(number: number, at: time, words: words, source: happening.source))
            return (time, happening.over(by: newEnd, from: time))
        }
        return kept
    }
}

extension Happening {
    /// nil for what is not drawn from the seed before the run begins.
    fileprivate var wordsOfDrawn: String? {
        switch self {
        case .fault(let fault): "\(fault)"
        case .phoneFault(let fault): "phones: \(fault)"
        case .channelFault(let fault): "ways: \(fault)"
        case .codeUse(let use): "codes: \(use)"
        case .linkFault(let fault): "links: \(fault)"
        case .modemFault(let fault): "modem: \(fault)"
        case .input, .panelHears, .panelAccepts, .panelLoses, .panelTimer, .timer, .synced, .boot, .diskHeals,
            .pushHears, .pushAccepts, .pushLoses, .pushTimer, .pushTakes, .phoneHears, .phoneTimer, .pairingCheck,
            .channel, .channelTimer, .linksChange, .modemWork, .modemChanges, .watchdogLook, .followerReturns,
            .consoleTry:
            nil
        }
    }

    fileprivate var source: DrawnHappening.Source {
        switch self {
        case .fault(.house): .panel
        case .channelFault(.outage(let channel, _)), .channelFault(.fault(let channel, _)): .service(channel)
        default: .other
        }
    }

    /// The same, where what must not outlast the faults ends with them.
    fileprivate func over(by end: BootTime, from time: BootTime) -> Happening {
        switch self {
        case .phoneFault(.outage(let span)): .phoneFault(.outage(min(span, end - time)))
        case .channelFault(.outage(let channel, let span)): .channelFault(.outage(channel, min(span, end - time)))
        case .linkFault(let fault): .linkFault(fault.atMost(end - time))
        case .modemFault(let fault): .modemFault(fault.atMost(end - time))
        case .fault, .phoneFault, .channelFault, .input, .panelHears, .panelAccepts, .panelLoses, .panelTimer, .timer,
            .synced, .boot, .diskHeals, .pushHears, .pushAccepts, .pushLoses, .pushTimer, .pushTakes, .phoneHears,
            .phoneTimer, .pairingCheck, .channel, .channelTimer, .codeUse, .linksChange, .modemWork, .modemChanges,
            .watchdogLook, .followerReturns, .consoleTry:
            self
        }
    }
}
