package import ApplianceCore

extension ControlReply {
    /// What a command asked for, as `read` finds it here; else the refusal.
    package func answer<Answer>(_ read: (ControlReply) -> Answer?) throws(DaemonLinkError) -> Answer {
        guard let answer = read(self) else { throw misfit }
        return answer
    }

    /// Why a reply that is none of those that fit is no answer.
    package var misfit: DaemonLinkError { if case .error(let why) = self { .refused(why) } else { .unexpected } }
}
