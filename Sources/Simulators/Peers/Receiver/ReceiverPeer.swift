package import AlarmModel
import PhoneProtocol

/// An alarm receiver of a station that speaks SIA DC-09 over TCP without encryption, and knows one house.
///
/// Guarantees: a report that comes again under the number of the last one is confirmed and counts once. Frame and checksum
/// are read and made here, by nothing of the box's.
package struct ReceiverPeer: TalkingPeer {
    package struct Client: PeerClient {
        package var id: ConnectionID
        var input: [UInt8] = []
    }

    /// A report as the station's operator sees it.
    private struct Report: Equatable, Sendable {
        var sequence: Int
        /// `1130 01 005`
        var content: String
    }

    package static let account = "A12F"

    package var port = PeerPort()
    package var clients: [Client] = []
    package var arrivals: [Arrival] = []
    /// Number of link tests that were answered.
    package private(set) var polls = 0
    private var last: Report?

    package init() {}

    package func newClient(_ id: ConnectionID) -> Client { Client(id: id) }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard port.hears(id), let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].input += bytes
        while let index = clients.firstIndex(where: { $0.id == id }), let message = nextMessage(index) {
            answer(message, id, at: now, into: &actions)
        }
    }

    /// Takes one whole frame off what has come. One with a wrong checksum is dropped, as the protocol wants it.
    private mutating func nextMessage(_ index: Int) -> String? {
        while let end = clients[index].input.firstIndex(of: 0x0D) {
            let frame = clients[index].input[..<end]
            clients[index].input.removeFirst(end + 1)
            guard frame.count > 9, frame.first == 0x0A else { continue }
            let message = frame.dropFirst(9)
            if Self.frame(message).dropLast().elementsEqual(frame) { return String(decoding: message, as: UTF8.self) }
        }
        return nil
    }

    private mutating func answer(
        _ message: String, _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        // `"ADM-CID"0001R0L0#A12F[#A12F|1130 01 005]_…`
        let parts = message.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = Int(parts[2].prefix(4)) else { return }
        let head = String(parts[2].dropFirst(4).prefix { $0 != "[" })
        func say(_ word: String, _ number: Int) {
            let answer = Self.frame(Array("\"\(word)\"\(Self.digits(number))\(head)[]".utf8))
            port.send(id, answer, at: now, into: &actions)
            if PeerPort.take(&port.repeats) { port.send(id, answer, at: now, into: &actions) }
        }
        guard head.hasSuffix("#\(Self.account)") else { return say("DUH", sequence) }
        let isPoll = parts[1] == "NULL"
        // A station without the option takes reports and says nothing to polls.
        if isPoll, port.isSilent { return }
        if PeerPort.take(&port.tooMany) {
            let refusal = "\"NAK\"0000R0L0A0[]_\(Self.time(now.wall))"
            return port.send(id, Self.frame(Array(refusal.utf8)), at: now, into: &actions)
        }
        if PeerPort.take(&port.failures) || !isPoll && !port.takes() { return say("DUH", sequence) }
        if PeerPort.take(&port.lies) { return say("ACK", (sequence + 7) % 10_000) }
        if isPoll { polls += 1 } else { take(parts[2], sequence) }
        if PeerPort.take(&port.noAnswer) { return }
        if PeerPort.take(&port.closesMidway) {
            port.send(id, Array(Self.frame(Array("\"ACK\"".utf8)).prefix(6)), at: now, into: &actions)
            return end(id, at: now, into: &actions)
        }
        say("ACK", sequence)
    }

    private mutating func take(_ rest: Substring, _ sequence: Int) {
        let content = rest.split(separator: "|").last?.prefix { $0 != "]" } ?? ""
        let report = Report(sequence: sequence, content: String(content))
        guard report != last else { return }
        last = report
        arrivals.append(
            Arrival(address: Self.account, text: "\(Self.digits(sequence)) \(report.content)", isKept: false))
    }

    private static func frame(_ message: some Collection<UInt8>) -> [UInt8] {
        var sum: UInt16 = 0
        for byte in message {
            sum ^= UInt16(byte)
            for _ in 0..<8 { sum = sum.isMultiple(of: 2) ? sum >> 1 : sum >> 1 ^ 0xA001 }
        }
        func hexadecimal(_ value: Int) -> [UInt8] { Array(value.padded(4, radix: 16, uppercase: true).utf8) }
        return [0x0A] + hexadecimal(Int(sum)) + hexadecimal(message.count) + Array(message) + [0x0D]
    }

    private static func digits(_ number: Int) -> String { number.padded(4) }

    private static func time(_ time: WallTime) -> String {
        let civil = CivilTime(secondsSince1970: time.seconds, offset: 0)
        return "\(civil.time),\(civil.month.padded())-\(civil.day.padded())-\(civil.year.padded(4))"
    }
}
