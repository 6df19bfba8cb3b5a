import AlarmModel
import PhoneLink

/// The first byte says how the rest is cut. What a receiver answers means the same however it is cut; nothing that it says
/// confirms a message twice or another message, and none is lost.
func checkReceiver(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let step = Int(first) % 61 + 1
    let whole = answers([stream])
    let pieces = stride(from: 0, to: stream.count, by: step).map { Array(stream[$0..<min($0 + step, stream.count)]) }
    require(answers(pieces) == whole, "a receiver's answers in pieces of \(step) bytes mean the same")
    for answer in whole where !answer.isEncrypted {
        require(answer.time.map { $0.milliseconds >= 0 } ?? true, "a time is none of before 1970")
    }
    talk(pieces)
}

private func answers(_ pieces: [[UInt8]]) -> [ReceiverAnswer] {
    var reader = ReceiverReader()
    var found: [ReceiverAnswer] = []
    for piece in pieces {
        reader.append(piece)
        while let answer = try? reader.next() { found.append(answer) }
    }
    return found
}

/// A message is under way while the receiver talks.
private func talk(_ pieces: [[UInt8]]) {
    var channel = ReceiverTransport(
        settings: ReceiverSettings(host: "192.0.2.9", port: 9999, account: "1234"), seed: 1)
    let now = Moment(boot: .zero + .seconds(1), wall: WallTime(milliseconds: 0), isWallTrusted: true)
    var actions: [TransportAction] = []
    channel.start(at: now, into: &actions)
    channel.connected(ConnectionID(1), slot: DialSlot(0), at: now, into: &actions)
    channel.received(ConnectionID(1), ReceiverFrame.bytes("\"ACK\"0000R0L0#1234[]"), at: now, into: &actions)
    let message = MessageID("a")
    let report = Delivery(
        message: message, address: DeliveryAddress(.house(.receiver), "1234"),
        content: .report(ContactID(.new, 130), at: nil), priority: .alarm, timeToLive: 60)
    require(channel.deliver(report, at: now, into: &actions), "a receiver that confirmed a poll takes a message")
    for piece in pieces { channel.received(ConnectionID(1), piece, at: now, into: &actions) }
    channel.stop(at: now, into: &actions)
    let ends = actions.count { action in
        switch action {
        case .accepted(message, _), .refused(message, _), .returned([message]): true
        case _: false
        }
    }
    require(ends == 1, "a message ends once")
}
