import AlarmModel
import PhoneLink
import PhoneProtocol

/// The first byte says how the rest is cut and which connection it comes on. A queue's words mean the same however they
/// are cut, each message ends at most once, and a job that is no command is told to nobody.
func checkBeanstalk(_ bytes: [UInt8]) {
    if let job = try? CommandJob(parsing: bytes) {
        switch job.content {
        case .word: break
        case .panel(let code, let data):
            require(code.utf8.count == 3 && data.revealed.utf8.count <= CommandJob.dataLimit, "a command is bounded")
            require(data.revealed.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a command's data is printable")
        }
    }
    guard let first = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let step = Int(first >> 1) % 61 + 1
    let isPut = first & 1 == 0
    // A queue that answers what it is asked, one reply at a time; whether they came at once is another meaning.
    let replies = replies(stream)
    let whole = queueActions(replies, isPut: isPut)
    let pieces = replies.flatMap { reply in
        stride(from: 0, to: reply.count, by: step).map { Array(reply[$0..<min($0 + step, reply.count)]) }
    }
    require(queueActions(pieces, isPut: isPut) == whole, "a queue's words in pieces of \(step) bytes mean the same")
    checkEnds(whole)
    let atOnce = queueActions([stream], isPut: isPut)
    checkEnds(atOnce)
    if replies.count > 1 {
        require(
            atOnce.contains(.close(ConnectionID(isPut ? 1 : 2))), "a queue that answers more than was asked is left")
    }
    for case .inbound(let message) in whole + atOnce {
        guard case .text(let text) = message.body else { continue }
        require((try? CommandJob(parsing: Array(text.utf8))) != nil, "only commands are told")
    }
}

/// Cut behind each reply; what cannot be read is one piece with all that follows.
private func replies(_ stream: [UInt8]) -> [[UInt8]] {
    var reader = BeanstalkReader()
    var parts: [[UInt8]] = []
    var part: [UInt8] = []
    for (index, byte) in stream.enumerated() {
        part.append(byte)
        reader.append([byte])
        do {
            guard try reader.next() != nil else { continue }
        } catch {
            return parts + [part + stream[(index + 1)...]]
        }
        parts.append(part)
        part = []
    }
    return part.isEmpty ? parts : parts + [part]
}

private func queueActions(_ pieces: [[UInt8]], isPut: Bool) -> [TransportAction] {
    var channel = BeanstalkTransport(settings: BeanstalkSettings(commandTubes: ["commands"]), seed: 1)
    let now = Moment(boot: .zero + .seconds(1), wall: WallTime(milliseconds: 0), isWallTrusted: true)
    var actions: [TransportAction] = []
    channel.start(at: now, into: &actions)
    channel.connected(ConnectionID(1), slot: DialSlot(0), at: now, into: &actions)
    channel.connected(ConnectionID(2), slot: DialSlot(1), at: now, into: &actions)
    if isPut { channel.received(ConnectionID(1), Array("USING default\r\n".utf8), at: now, into: &actions) }
    let event = JSON.object([
        "raw": .string("6011001"), "message": .string("alarm"), "code": .string("601"), "type": .string("alarm"),
        "timestamp": .integer(1),
    ])
    for number in 1...3 {
        _ = channel.deliver(
            Delivery(
                message: MessageID("m\(number)"), address: DeliveryAddress(.house(.tube), "cli"),
                content: .event(event, type: "alarm"), priority: .alarm, timeToLive: 60), at: now, into: &actions)
    }
    let connection = ConnectionID(isPut ? 1 : 2)
    for piece in pieces { channel.received(connection, piece, at: now, into: &actions) }
    channel.closed(connection, .finished, at: now, into: &actions)
    return actions
}
