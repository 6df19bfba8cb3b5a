import AlarmModel
import ApplianceCore
import PhoneLink

/// A receiver as the core sees it: it confirms what it is told.
struct ReceiverServer {
    static let port: UInt16 = 9999
    /// Nobody is there.
    var isAway = false
    /// It takes messages and says nothing.
    var isSilent = false
    /// Out of their frames.
    private(set) var messages: [String] = []
    private var connections: [ConnectionID] = []
    private var open: ConnectionID?

    /// Number and content of each report.
    var reports: [String] {
        messages.filter { $0.hasPrefix("\"ADM-CID\"") }.map { message in
            let content = message.split(separator: "|").last?.prefix { $0 != "]" } ?? ""
            return "\(message.dropFirst(9).prefix(4)) \(content)"
        }
    }
    var polls: Int { messages.count { $0.hasPrefix("\"NULL\"0000") } }

    /// nil: it is for somebody else.
    mutating func carryOut(_ effect: Effect) -> [Input]? {
        switch effect {
        case .open(let id, let endpoint, _) where endpoint.port == Self.port:
            connections.append(id)
            guard !isAway else { return [.closed(id, .refused)] }
            open = id
            return [.connected(id)]
        case .send(let id, let bytes) where connections.contains(id):
            let message = String(decoding: bytes.dropFirst(9).dropLast(), as: UTF8.self)
            messages.append(message)
            guard !isSilent, open == id else { return [] }
            let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
            let head = parts.count > 2 ? parts[2].prefix { $0 != "[" } : ""
            return [.received(id, ReceiverFrame.bytes("\"ACK\"\(head)[]"))]
        case .close(let id) where connections.contains(id):
            if open == id { open = nil }
            return []
        default: return nil
        }
    }

    /// It goes.
    mutating func leave() -> Input? {
        isAway = true
        defer { open = nil }
        return open.map { .closed($0, .reset) }
    }
}
