import AlarmModel
import CAres
import Glibc

/// One question for SRV records; answered once, at the latest when its time is over.
final class ServiceQuestion {
    private let loop: EventLoop
    private var then: ((ServiceLookup) -> Void)?
    private var deadline: TimerToken?

    init(on loop: EventLoop, within span: Duration, then: @escaping (ServiceLookup) -> Void) {
        self.loop = loop
        self.then = then
        deadline = loop.setTimer(after: span) { self.finish(.failed(.timedOut)) }
    }

    /// c-ares may answer within the call that asked.
    func answered(status: Int32, _ bytes: UnsafePointer<UInt8>?, count: Int32) {
        let answer = Self.lookup(status, bytes, count)
        loop.later { self.finish(answer) }
    }

    private func finish(_ answer: ServiceLookup) {
        guard let then else { return }
        self.then = nil
        if let deadline { loop.cancel(deadline) }
        deadline = nil
        then(answer)
    }

    private static func lookup(_ status: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int32) -> ServiceLookup {
        switch status {
        case ha_ares_success: break
        case ha_ares_no_data, ha_ares_not_found, ha_ares_no_name: return .records([])
        case ha_ares_timeout: return .failed(.timedOut)
        case ha_ares_bad_name, ha_ares_bad_string: return .failed(.notFound)
        default: return .failed(.serverFailed)
        }
        var first: UnsafeMutablePointer<ares_srv_reply>?
        guard let bytes, ha_ares_parse_srv(bytes, count, &first) == ha_ares_success else {
            return .failed(.serverFailed)
        }
        defer { if let first { ares_free_data(first) } }
        var records: [ServiceRecord] = []
        var next = first
        while let entry = next, records.count < ServiceRecord.limit {
            let name = entry.pointee.host.map { String(decoding: UnsafeBufferPointer($0), as: UTF8.self) } ?? ""
            records.append(
                ServiceRecord(
                    target: name.hasSuffix(".") ? String(name.dropLast()) : name, port: entry.pointee.port,
                    priority: entry.pointee.priority, weight: entry.pointee.weight))
            next = entry.pointee.next
        }
        return .records(records)
    }
}

extension UnsafeBufferPointer where Element == UInt8 {
    /// The bytes of a text of C, without the zero at its end.
    fileprivate init(_ text: UnsafeMutablePointer<CChar>) {
        let count = strlen(text)
        self.init(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: count)
    }
}
