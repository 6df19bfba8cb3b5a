import AlarmModel
import PhoneLink
import PhoneProtocol

/// The first byte says where the rest is cut; a stream of a topic server means the same however it is cut, and whatever
/// comes out of it is bounded, of our topics, and comes once.
func checkNtfyLines(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let body = bytes.dropFirst()
    let whole = told([body])
    let step = Int(first) % 61 + 1
    let pieces = stride(from: body.startIndex, to: body.endIndex, by: step).map { start in
        body[start..<min(start + step, body.endIndex)]
    }
    require(told(pieces) == whole, "a stream in pieces of \(step) bytes reads like the whole")
    var ids: [String] = []
    for case .inbound(let message) in whole {
        require(["t.test/one", "t.test/two"].contains(message.from), "a message is from a topic that was asked for")
        require(!ids.contains(message.id), "a message comes once")
        ids.append(message.id)
        require(NtfySettings.isTopic(message.id), "an id can stand in a URL")
        require(message.age.map { $0 >= .zero } ?? true, "a message is not of the future")
        guard case .text(let text) = message.body else { return require(false, "a message is a text") }
        require(text.utf8.count <= 16_384, "a text is bounded")
    }
}

private func told(_ pieces: [ArraySlice<UInt8>]) -> [TransportAction] {
    let now = Moment(boot: .zero + .seconds(10), wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)
    var channel = NtfyTransport(settings: NtfySettings(host: "t.test"), seed: 1)
    var actions: [TransportAction] = []
    channel.start(at: now, into: &actions)
    channel.listen(to: ["one", "two"], at: now, into: &actions)
    let id = ConnectionID(1)
    channel.connected(id, slot: DialSlot(1), at: now, into: &actions)
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n"
    channel.received(id, Array(head.utf8), at: now, into: &actions)
    require(channel.isListening, "the stream has begun")
    for piece in pieces { channel.received(id, Array(piece), at: now, into: &actions) }
    channel.stop(at: now, into: &actions)
    require(channel.nextDeadline == nil, "nothing is left to do")
    return actions
}
