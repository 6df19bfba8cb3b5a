import AlarmModel
import ApplianceCore
import PhoneProtocol

/// The fetcher, as the core sees it: a socket in the file system that answers as it is told.
struct FetchServer {
    /// What is said to each task.
    var answers: [FetchRequest.Task: [FetchAnswer]] = [:]
    var requests: [FetchRequest] = []
    /// Nobody is there.
    var isAway = false
    private var connection: ConnectionID?

    var tasks: [FetchRequest.Task] { requests.map(\.task) }

    /// nil: it is for somebody else.
    mutating func carryOut(_ effect: Effect) -> [Input]? {
        switch effect {
        case .openLocal(let id, "/run/howalarming-fetch/socket"):
            guard !isAway else { return [.closed(id, .refused)] }
            connection = id
            return [.connected(id)]
        case .send(let id, let bytes) where id == connection:
            guard let request = FetchRequest(Array(bytes.dropLast())) else { return [.closed(id, .reset)] }
            requests.append(request)
            return (answers[request.task] ?? []).map { .received(id, $0.json.utf8 + [0x0A]) }
        case .close(let id) where id == connection:
            connection = nil
            return []
        default: return nil
        }
    }

    /// It says something by itself.
    func says(_ bytes: [UInt8]) -> Input? { connection.map { .received($0, bytes) } }
    var ends: Input? { connection.map { .closed($0, .finished) } }
}
