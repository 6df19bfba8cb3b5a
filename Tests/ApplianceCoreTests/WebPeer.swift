import AlarmModel
import ApplianceCore

/// A server of the web that answers every request.
struct WebPeer {
    static let port: UInt16 = 9443

    var isUp = true
    var status = 200
    /// How far its clock is ahead of the true time; nil: it tells no date.
    var ahead: Duration? = .zero
    /// What the box objects to in its certificate.
    var objection: TLSFailure?
    private(set) var requests: [(line: String, at: Moment)] = []
    private var lines: [ConnectionID] = []

    func owns(_ id: ConnectionID) -> Bool { lines.contains(id) }

    mutating func opened(_ id: ConnectionID) -> [Input] {
        guard isUp else { return [.closed(id, .refused)] }
        lines.append(id)
        return [.connected(id)]
    }

    mutating func closed(_ id: ConnectionID) { lines.removeAll { $0 == id } }

    mutating func received(_ id: ConnectionID, _ bytes: [UInt8], at now: Moment) -> [Input] {
        requests.append((String(decoding: bytes.prefix { $0 != 13 }, as: UTF8.self), now))
        let date = ahead.map { "Date: \(Self.text(now.wall + $0))\r\n" } ?? ""
        return [.received(id, Array("HTTP/1.1 \(status) x\r\n\(date)Content-Length: 0\r\n\r\n".utf8))]
    }

    /// RFC 9110 5.6.7
    static func text(_ time: WallTime) -> String {
        let civil = CivilTime(secondsSince1970: time.seconds, offset: 0)
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second))"
        return "\(days[civil.weekday - 1]), \(two(civil.day)) \(months[civil.month - 1]) \(civil.year) \(clock) GMT"
    }
}
