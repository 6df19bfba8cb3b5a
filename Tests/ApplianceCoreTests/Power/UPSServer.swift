import AlarmModel
import ApplianceCore
import PhoneLink

/// A NUT server as the core sees it: it answers as it is told.
struct UPSServer {
    static let port: UInt16 = 3493
    /// `ups.status`
    var status = "OL"
    var charge: String? = "100"
    /// In seconds.
    var runtime: String? = "2520"
    /// Instead of an answer to `ups.status`.
    var error: String?
    /// Nobody is there.
    var isAway = false
    /// It takes questions and says nothing.
    var isSilent = false
    private(set) var questions: [String] = []
    private(set) var connections: [ConnectionID] = []
    private var open: ConnectionID?

    /// nil: it is for somebody else.
    mutating func carryOut(_ effect: Effect) -> [Input]? {
        switch effect {
        case .open(let id, let endpoint, _) where endpoint.port == Self.port:
            connections.append(id)
            guard !isAway else { return [.closed(id, .refused)] }
            open = id
            return [.connected(id)]
        case .send(let id, let bytes) where connections.contains(id):
            let question = String(decoding: bytes.dropLast(), as: UTF8.self)
            questions.append(question)
            return isSilent ? [] : [.received(id, Array((answer(to: question) + "\n").utf8))]
        case .close(let id) where connections.contains(id):
            if open == id { open = nil }
            return []
        default: return nil
        }
    }

    private func answer(to question: String) -> String {
        func value(_ name: String, _ value: String?) -> String {
            value.map { "VAR eaton \(name) \"\($0)\"" } ?? "ERR VAR-NOT-SUPPORTED"
        }
        return switch question {
        case "GET VAR eaton ups.status": error ?? value("ups.status", status)
        case "GET VAR eaton battery.charge": value("battery.charge", charge)
        case "GET VAR eaton battery.runtime": value("battery.runtime", runtime)
        default: "ERR UNKNOWN-COMMAND"
        }
    }

    /// It goes.
    mutating func leave() -> Input? {
        isAway = true
        defer { open = nil }
        return open.map { .closed($0, .reset) }
    }
}
