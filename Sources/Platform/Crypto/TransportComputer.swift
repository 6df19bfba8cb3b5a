package import AlarmModel
package import PhoneProtocol

/// Carries out the computations that channels to people order: the long ones on a thread of their own, which starts
/// with the first of them. Confined to the loop's thread.
package final class TransportComputer {
    private let loop: EventLoop
    private var worker: WorkerThread<Void>?

    private let pushKey: (any PushKeyStorage)?

    /// - Parameter pushKey: nil: nothing is signed for push services
    package init(on loop: EventLoop, pushKey: (any PushKeyStorage)? = nil) {
        self.loop = loop
        self.pushKey = pushKey
    }

    /// Exactly one answer follows, never inside this call; long jobs are answered in their order.
    ///
    /// - `stream`: the connection of a `channelBinding`; asked at once
    package func carryOut(
        _ job: TransportJob, stream: (ConnectionID) -> (any ByteStream)?,
        then report: @escaping (TransportAnswer) -> Void
    ) {
        if case .channelBinding(let id) = job {
            let binding = (stream(id) as? SecureStream)?.channelBinding
            let answer = binding.map { TransportAnswer.bytes($0) } ?? TransportComputation.noBinding
            loop.later { report(answer) }
        } else if TransportComputation.isLong(job) {
            do throws(SystemError) {
                let pushKey = pushKey
                try longWorker().submit({ _ in TransportComputation.answer(to: job, pushKey) }, then: report)
            } catch {
                let answer = TransportAnswer.failed("no thread for a long computation: \(error)")
                loop.later { report(answer) }
            }
        } else {
            let answer = TransportComputation.answer(to: job)
            loop.later { report(answer) }
        }
    }

    /// The same for the console's PIN.
    package func derive(_ job: PINJob, then report: @escaping (PINAnswer) -> Void) {
        do throws(SystemError) {
            try longWorker().submit({ _ in PINDerivation.answer(to: job) }, then: report)
        } catch {
            let answer = PINAnswer.failed("no thread to check the PIN on: \(error)")
            loop.later { report(answer) }
        }
    }

    private func longWorker() throws(SystemError) -> WorkerThread<Void> {
        if let worker { return worker }
        let made = try WorkerThread<Void>("computer", on: loop, state: {})
        worker = made
        return made
    }
}
