package import AlarmModel

extension Failover {
    package mutating func resolved(
        _ question: ResolveID, _ answer: Resolution, at now: Moment, into actions: inout [Action]
    ) {
        guard let index = links.firstIndex(where: { $0.pass?.question == question }), var pass = links[index].pass,
            pass.names == .waiting
        else { return }
        // "No such name" is an answer. "Server failed" is what a router says whose own way out is dead.
        let isAnswered =
            switch answer {
            case .addresses, .failed(.notFound): true
            case .failed(.timedOut), .failed(.serverFailed), .failed(.noServers): false
            }
        pass.names = isAnswered ? .answered : .silent
        links[index].pass = pass
        noteNames(isAnswered, of: index)
        if pass.asked == 0, !pass.isDecided { decidePass(of: index, isGood: isAnswered, at: now.boot, into: &actions) }
        dropFinishedPass(of: index)
        settle(at: now, into: &actions)
    }

    package mutating func opened(_ id: ConnectionID, at now: Moment, into actions: inout [Action]) {
        guard let index = takeConnect(id) else { return }
        actions.append(.close(id))
        links[index].pass?.answered += 1
        if links[index].isUndecided { decidePass(of: index, isGood: true, at: now.boot, into: &actions) }
        dropFinishedPass(of: index)
        settle(at: now, into: &actions)
    }

    /// It did not open, or closed before it was told to. A refusal is no proof of a path: a router may send it.
    package mutating func openFailed(
        _ id: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [Action]
    ) {
        guard let index = takeConnect(id) else { return }
        if links[index].isUndecided, links[index].pass?.connects.isEmpty ?? false {
            decidePass(of: index, isGood: false, at: now.boot, into: &actions)
        }
        dropFinishedPass(of: index)
        settle(at: now, into: &actions)
    }

    /// The phone connection brought bytes from the other side over this link: as good as a probe.
    package mutating func peerHeard(_ link: Link, at now: Moment, into actions: inout [Action]) {
        guard let index = links.firstIndex(where: { $0.link == link }), links[index].canBeProbed else { return }
        let track = links[index]
        if track.isUndecided {
            decidePass(of: index, isGood: true, isProbe: false, at: now.boot, into: &actions)
            dropFinishedPass(of: index)
        } else if track.isSuspect || !track.isAnswering || isCountable(index, at: now.boot) {
            links[index].passed(timings, at: now.boot)
        }
        links[index].lastHeard = now.boot
        settle(at: now, into: &actions)
    }

    /// Bytes that come thick and fast are one pass per interval, as probes would be.
    private func isCountable(_ index: Int, at now: BootTime) -> Bool {
        guard let last = links[index].lastCounted else { return true }
        return now >= last + interval(of: index)
    }

    /// The phone connection over this link got no answer in time: the link is suspect and probed at once.
    package mutating func peerSilent(_ link: Link, at now: Moment, into actions: inout [Action]) {
        guard let index = links.firstIndex(where: { $0.link == link }), links[index].canBeProbed else { return }
        if links[index].health == .up { links[index].isSuspect = true }
        links[index].isDueAtOnce = true
        settle(at: now, into: &actions)
    }

    // MARK: one pass

    /// True when a pass was over as it started.
    mutating func startDuePasses(at now: BootTime, into actions: inout [Action]) -> Bool {
        var wasAnyOver = false
        for index in links.indices {
            guard let due = passDue(of: index), now >= due else { continue }
            startPass(of: index, at: now, into: &actions)
            wasAnyOver = wasAnyOver || links[index].pass == nil
        }
        return wasAnyOver
    }

    private mutating func startPass(of index: Int, at now: BootTime, into actions: inout [Action]) {
        guard let link = links[index].link else { return }
        endPass(of: index, at: now, into: &actions)
        payForPass(of: index, at: now)
        var pass = ProbePass(start: now, deadline: now + timings.probeDeadline)
        if !settings.probeName.isEmpty && !links[index].nameServers.isEmpty {
            pass.question = nextQuestion
            pass.names = .waiting
            actions.append(.resolve(nextQuestion, name: settings.probeName, link))
            nextQuestion.number += 1
        } else {
            links[index].answersNames = false
        }
        for target in targets(for: links[index]) {
            pass.connects.append(nextConnection)
            pass.asked += 1
            actions.append(.open(nextConnection, target.endpoint, link))
            nextConnection.number += 1
        }
        links[index].pass = pass
        links[index].lastStart = now
        links[index].isDueAtOnce = false
        if pass.asked == 0 && pass.names == .notAsked {
            decidePass(of: index, isGood: settings.probeName.isEmpty, at: now, into: &actions)
            dropFinishedPass(of: index)
        }
    }

    /// Those of a family in which the link has an address; all when that leaves none.
    private func targets(for track: LinkTrack) -> [ProbeTarget] {
        let addresses = track.facts?.addresses ?? []
        #if SABOTAGE
            if sabotage == .probesOneTarget { return Array(settings.targets.prefix(1)) }
        #endif
        let fitting = settings.targets.filter { target in
            addresses.contains { $0.isIPv6 == target.host.isIPv6 }
        }
        let targets = fitting.isEmpty ? settings.targets : fitting
        return targets
    }

    /// Ends what is under way; what was not decided has failed.
    mutating func endPass(of index: Int, at now: BootTime, into actions: inout [Action]) {
        guard let pass = links[index].pass else { return }
        abandonPass(of: index, into: &actions)
        if pass.names == .waiting { noteNames(false, of: index) }
        if pass.answered > 0 { links[index].silentTargets = pass.asked - pass.answered }
        if !pass.isDecided { decidePass(of: index, isGood: false, at: now, into: &actions) }
    }

    /// Closes what is under way, without a result.
    mutating func abandonPass(of index: Int, into actions: inout [Action]) {
        for id in links[index].pass?.connects ?? [] { actions.append(.close(id)) }
        links[index].pass = nil
    }

    private mutating func decidePass(
        of index: Int, isGood: Bool, isProbe: Bool = true, at now: BootTime, into actions: inout [Action]
    ) {
        links[index].pass?.isDecided = true
        if isGood {
            if isProbe, let start = links[index].pass?.start { links[index].latency = now - start }
            links[index].passed(timings, at: now)
        } else if links[index].failed(timings, at: now) {
            tellLost(index, at: now, into: &actions)
        }
    }

    private mutating func dropFinishedPass(of index: Int) {
        guard let pass = links[index].pass, pass.isOver else { return }
        links[index].silentTargets = pass.answered > 0 ? pass.asked - pass.answered : links[index].silentTargets
        links[index].pass = nil
    }

    private mutating func noteNames(_ isAnswered: Bool, of index: Int) {
        links[index].answersNames = isAnswered
        links[index].silentNames = isAnswered ? 0 : links[index].silentNames + 1
    }

    private mutating func takeConnect(_ id: ConnectionID) -> Int? {
        for index in links.indices {
            guard let place = links[index].pass?.connects.firstIndex(of: id) else { continue }
            links[index].pass?.connects.remove(at: place)
            return index
        }
        return nil
    }
}
