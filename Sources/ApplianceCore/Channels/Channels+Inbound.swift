import AlarmModel
import PhoneLink

/// Channels by which everything goes out and nothing comes in: alarms arrive, and what people want to do is not heard.
extension Channels {
    /// The problem of a channel has changed. One that keeps messages from going out hides this one.
    mutating func noteInbound(_ index: Int, _ problem: TransportProblem?, _ step: inout Step) {
        guard let problem else { return tellHearing(index, &step) }
        guard problem.isInward else { return }
        let before = channels[index].inboundFailure
        channels[index].inboundFailure = Channel.InboundFailure(
            problem: problem, since: before?.since ?? step.now.boot, told: before?.told)
        if !problem.isPassing { tellInboundFailure(index, &step) }
    }

    /// Short ones are no news.
    mutating func noticeInbound(_ step: inout Step) {
        for index in channels.indices where isInboundNews(index) {
            guard let since = channels[index].inboundFailure?.since else { continue }
            if step.now.boot - since >= Self.offlinePatience { tellInboundFailure(index, &step) }
        }
    }

    /// When that is to be looked at again.
    var inboundDeadlines: [BootTime] {
        var times: [BootTime] = []
        for index in channels.indices where isInboundNews(index) {
            if let since = channels[index].inboundFailure?.since { times.append(since + Self.offlinePatience) }
        }
        return times
    }

    /// What does not go out either is told as that.
    private func isInboundNews(_ index: Int) -> Bool {
        channels[index].isReady && channels[index].inboundFailure.map { $0.told == nil } ?? false
    }

    private mutating func tellInboundFailure(_ index: Int, _ step: inout Step) {
        guard let failure = channels[index].inboundFailure, failure.told != failure.problem else { return }
        channels[index].inboundFailure?.told = failure.problem
        step.note(
            .fault, .pushOffline,
            "What phones send does not come in\(words(of: index)): \(failure.problem). Alarms still go out.",
            about: .channel(channels[index].kind))
    }

    private mutating func tellHearing(_ index: Int, _ step: inout Step) {
        let wasTold = channels[index].inboundFailure?.told != nil
        channels[index].inboundFailure = nil
        guard wasTold else { return }
        step.note(
            .recovery, .pushOnline, "What phones send comes in again\(words(of: index)).",
            about: .channel(channels[index].kind))
    }
}
