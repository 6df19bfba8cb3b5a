import AlarmModel
import PhoneLink

/// Ways by which everything goes out and nothing comes in: alarms arrive, and what people want to do is not heard.
extension Appliance {
    /// The problem of a way has changed. One that keeps messages from going out hides this one.
    mutating func noteDeafness(_ index: Int, _ problem: TransportProblem?, _ step: inout Step) {
        guard let problem else { return tellHearing(index, &step) }
        guard problem.isInward else { return }
        let before = hall.ways[index].deafness
        hall.ways[index].deafness = Way.Deafness(
            why: problem.description, since: before?.since ?? step.now.boot, told: before?.told)
        if !problem.isPassing { tellDeafness(index, &step) }
    }

    /// Short ones are no news.
    mutating func noticeDeafness(_ step: inout Step) {
        for index in hall.ways.indices where isDeafnessNews(index) {
            guard let since = hall.ways[index].deafness?.since else { continue }
            if step.now.boot - since >= Self.offlinePatience { tellDeafness(index, &step) }
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

    private mutating func tellDeafness(_ index: Int, _ step: inout Step) {
        guard let why = hall.ways[index].deafness?.why, hall.ways[index].deafness?.told != why else { return }
        hall.ways[index].deafness?.told = why
        note(
            .fault, .pushOffline, "What phones send does not come in\(wayWords(index)): \(why). Alarms still go out.",
            &step)
    }

    private mutating func tellHearing(_ index: Int, _ step: inout Step) {
        let wasTold = hall.ways[index].deafness?.told != nil
        hall.ways[index].deafness = nil
        if wasTold { note(.recovery, .pushOnline, "What phones send comes in again\(wayWords(index)).", &step) }
    }
}
