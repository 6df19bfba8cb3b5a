import AlarmModel
import PhoneLink

/// Ways by which everything goes out and nothing comes in: alarms arrive, and what people want to do is not heard.
extension Appliance {
    /// The problem of a way has changed. One that keeps messages from going out hides this one.
    mutating func noteDeafness(_ index: Int, _ problem: TransportProblem?, at now: Moment) {
        guard let problem else { return tellHearing(index, at: now) }
        guard problem.isInward else { return }
        let before = hall.ways[index].deafness
        hall.ways[index].deafness = Way.Deafness(
            problem: problem, since: before?.since ?? now.boot, told: before?.told)
        if !problem.isPassing { tellDeafness(index, at: now) }
    }

    /// Short ones are no news.
    mutating func noticeDeafness(at now: Moment) {
        for index in hall.ways.indices where isDeafnessNews(index) {
            guard let since = hall.ways[index].deafness?.since else { continue }
            if now.boot - since >= Self.offlinePatience { tellDeafness(index, at: now) }
        }
    }

    /// When that is to be looked at again.
    var deafnessDeadline: [BootTime] {
        var times: [BootTime] = []
        for index in hall.ways.indices where isDeafnessNews(index) {
            if let since = hall.ways[index].deafness?.since { times.append(since + Self.offlinePatience) }
        }
        return times
    }

    /// What does not go out either is told as that.
    private func isDeafnessNews(_ index: Int) -> Bool {
        hall.ways[index].isReady && hall.ways[index].deafness.map { $0.told == nil } ?? false
    }

    private mutating func tellDeafness(_ index: Int, at now: Moment) {
        guard let deafness = hall.ways[index].deafness, deafness.told != deafness.problem else { return }
        hall.ways[index].deafness?.told = deafness.problem
        note(
            .fault, .pushOffline,
            "What phones send does not come in\(wayWords(index)): \(deafness.problem). Alarms still go out.",
            at: now)
    }

    private mutating func tellHearing(_ index: Int, at now: Moment) {
        let wasTold = hall.ways[index].deafness?.told != nil
        hall.ways[index].deafness = nil
        if wasTold { note(.recovery, .pushOnline, "What phones send comes in again\(wayWords(index)).", at: now) }
    }
}
