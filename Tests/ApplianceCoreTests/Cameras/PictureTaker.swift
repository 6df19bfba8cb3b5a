import AlarmModel
import ApplianceCore
import PhoneProtocol

/// The taker of pictures, as the core sees it: a socket in the file system, one connection for each task.
struct PictureTaker {
    /// What is said to each task; nil: nothing, the camera hangs.
    var answers: [PictureAnswer]? = [.kept(bytes: 1000), .done(sent: 0)]
    var requests: [PictureRequest] = []
    /// Nobody is there.
    var isAway = false
    private(set) var open: [ConnectionID] = []
    private(set) var mostAtOnce = 0

    var shots: [PictureRequest.Shot] {
        requests.compactMap { if case .take(let shot) = $0.task { shot } else { nil } }
    }

    /// nil: it is for somebody else.
    mutating func carryOut(_ effect: Effect) -> [Input]? {
        switch effect {
        case .openLocal(let id, "/run/howalarming-picture/socket"):
            guard !isAway else { return [.closed(id, .refused)] }
            open.append(id)
            mostAtOnce = max(mostAtOnce, open.count)
            return [.connected(id)]
        case .send(let id, let bytes) where open.contains(id):
            guard let request = PictureRequest(Array(bytes.dropLast())) else { return [.closed(id, .reset)] }
            requests.append(request)
            return (answers ?? []).map { .received(id, $0.json.utf8 + [0x0A]) }
        case .close(let id) where open.contains(id):
            open.removeAll { $0 == id }
            return []
        default: return nil
        }
    }
}
