import AlarmModel
import ApplianceCore
import PhoneProtocol

extension Bench {
    /// Forgets what came so far.
    mutating func forget() {
        history = []
        replies = []
        batches = []
    }

    func answers(_ number: UInt64 = 1) -> [ControlReply] {
        replies.filter { $0.client == Bench.client(number) }.map(\.reply)
    }

    func listed(_ number: UInt64 = 1) -> [Int64] {
        answers(number).flatMap { reply -> [Int64] in
            if case .events(let events) = reply { events.map(\.seq.number) } else { [] }
        }
    }

    func unstored(_ number: UInt64 = 1) -> [Event] {
        answers(number).compactMap { if case .unstored(let event) = $0 { event } else { nil } }
    }

    func outcomes(_ number: UInt64 = 1) -> [ControlReply] {
        answers(number).filter { if case .outcome = $0 { true } else { false } }
    }

    var codes: [String] { stored.map(\.event.code) }

    func events(_ code: EventCode) -> [Event] { stored.map(\.event).filter { $0.code == code.rawValue } }

    /// Lines to the panel, without checksum, polls left out.
    var sent: [String] {
        history.compactMap { effect in
            guard case .send(_, let bytes) = effect else { return nil }
            let line = String(decoding: bytes.dropLast(4), as: UTF8.self)
            return line == "000" ? nil : line
        }
    }

    var notes: [ServiceNote] { history.compactMap { if case .notify(let note) = $0 { note } else { nil } } }
    var isFinished: Bool { history.contains(.finish(status: 0)) }
    var logs: [LogEntry] { history.compactMap { if case .log(let entry) = $0 { entry } else { nil } } }
    var pausings: [Effect] {
        history.filter {
            switch $0 {
            case .pause, .resume: true
            case .resolve, .open, .openLocal, .compute, .derive, .locate, .startTLS, .send, .close, .commit, .read,
                .readMessages, .vault,
                .setTimer, .reply, .watchLinks, .readLinks, .useNameServers, .modem, .notify, .log, .reboot, .update,
                .stick,
                .healthy,
                .finish:
                false
            }
        }
    }

    /// The numbers of the batches in the order in which they were ordered.
    var orders: [UInt64] { batches.map(\.id.number) }

    func status() throws -> StatusReport? {
        var copy = self
        copy.forget()
        copy.ask(.status, as: 999)
        guard case .status(let report)? = copy.answers(999).first else { return nil }
        return report
    }

    /// Where a text occurs in what the core ordered, in the form in which it is recorded.
    func places(of marker: String, _ isSearched: (Effect) -> Bool) throws -> [String] {
        try history.filter(isSearched).map { try JSON.encoding($0).text }.filter { $0.contains(marker) }
    }

    static let broken = StoreFailure(.inputOutput, "test")

    static func moment(_ boot: Duration, _ wall: Int64, _ isSynchronised: Bool = true) -> Moment {
        Moment(boot: .zero + boot, wall: WallTime(milliseconds: wall), isWallTrusted: isSynchronised)
    }
}
