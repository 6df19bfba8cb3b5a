import AlarmModel
import ApplianceCore
import PhoneProtocol

/// Whoever mails the history, as the core sees it: a socket in the file system, one connection for each mail.
struct HistoryMailer {
    /// What is said to each request; nil: nothing.
    var answer: (HistoryRequest) -> HistoryAnswer? = { _ in .sent }
    /// Instead of an answer.
    var nonsense: String?
    private(set) var requests: [HistoryRequest] = []
    private(set) var open: [ConnectionID] = []
    private(set) var mostAtOnce = 0
    /// Nobody is there.
    var isAway = false

    /// nil: it is for somebody else.
    mutating func carryOut(_ effect: Effect) -> [Input]? {
        switch effect {
        case .openLocal(let id, "/run/howalarming-history/socket"):
            guard !isAway else { return [.closed(id, .refused)] }
            open.append(id)
            mostAtOnce = max(mostAtOnce, open.count)
            return [.connected(id)]
        case .send(let id, let bytes) where open.contains(id):
            guard let request = HistoryRequest(Array(bytes.dropLast())) else { return [.closed(id, .reset)] }
            requests.append(request)
            if let nonsense { return [.received(id, Array(nonsense.utf8))] }
            // In two pieces.
            let line = answer(request).map { $0.json.utf8 + [0x0A] } ?? []
            return line.isEmpty
                ? [] : [.received(id, Array(line.prefix(3))), .received(id, Array(line.dropFirst(3)))]
        case .close(let id) where open.contains(id):
            open.removeAll { $0 == id }
            return []
        default: return nil
        }
    }
}
