import AlarmModel

// The score runs from 0 to passesToComeUp + failsToGoDown. A link comes up when it reaches passesToComeUp, and then has
// the full score; it goes down when failures bring it back to passesToComeUp, and then has none. So single losses change
// nothing, while steady ones add up.
extension LinkTrack {
    static func scoreLimit(_ timings: FailoverTimings) -> Int {
        max(1, timings.passesToComeUp) + max(1, timings.failsToGoDown)
    }

    /// A pass was good.
    mutating func passed(_ timings: FailoverTimings, at now: BootTime) {
        passesInRow += 1
        failsInRow = 0
        isSuspect = false
        isAnswering = true
        lastCounted = now
        if goodSince == nil { goodSince = now }
        score = min(score + 1, Self.scoreLimit(timings))
        switch health {
        case .up: break
        case .down, .connecting:
            health = .connecting
            if score >= max(1, timings.passesToComeUp) { rise(timings, at: now) }
        }
    }

    /// It counts as up from now on.
    mutating func rise(_ timings: FailoverTimings, at now: BootTime) {
        health = .up
        score = Self.scoreLimit(timings)
        lastRise = now
        if goodSince == nil { goodSince = now }
    }

    /// A pass failed; true when that took the link down.
    mutating func failed(_ timings: FailoverTimings, at now: BootTime) -> Bool {
        passesInRow = 0
        failsInRow += 1
        isAnswering = false
        lastCounted = now
        switch health {
        case .up:
            score -= 1
            isSuspect = true
            guard score <= max(1, timings.passesToComeUp) else { return false }
            noteFall(timings, at: now)
            health = .down
            isSuspect = false
            score = 0
            goodSince = nil
            return true
        case .connecting, .down:
            health = .down
            score = 0
            goodSince = nil
            return false
        }
    }

    /// It was up and is no longer: a flap when that comes soon after it rose from the last time.
    mutating func noteFall(_ timings: FailoverTimings, at now: BootTime) {
        flaps = lastDown != nil && now - lastRise < timings.flapWindow ? min(flaps + 1, 30) : 0
        lastDown = now
    }

    /// Extra passes come back with time, one for each regular one.
    mutating func refillExtraPasses(_ timings: FailoverTimings, at now: BootTime) {
        let pace = max(1, timings.meteredStandby.nanoseconds)
        let whole = (now - extraSince).nanoseconds / pace
        guard whole > 0 else { return }
        extraPasses = whole > Int64(Self.extraLimit) ? Self.extraLimit : min(extraPasses + Int(whole), Self.extraLimit)
        extraSince = extraSince + .nanoseconds(whole * pace)
    }
}
