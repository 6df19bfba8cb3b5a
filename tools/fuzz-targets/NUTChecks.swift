import AlarmModel
import PhoneLink

/// The first byte says how the rest is cut. A NUT server's words mean the same however they are cut; what makes no sense
/// ends the connection; no reading has a charge or a time that cannot be.
func checkNUT(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let step = Int(first) % 61 + 1
    // A server that answers what it is asked, one answer at a time; whether they came at once is another meaning.
    let answers = answers(stream)
    let whole = reading(answers)
    let pieces = answers.flatMap { answer in
        stride(from: 0, to: answer.count, by: step).map { Array(answer[$0..<min($0 + step, answer.count)]) }
    }
    require(reading(pieces) == whole, "a NUT server's words in pieces of \(step) bytes mean the same")
    guard let whole else { return }
    require(whole.charge.map { (0...100).contains($0) } ?? true, "a charge is a percentage")
    require(whole.runtime.map { (.zero ... .hours(168)).contains($0) } ?? true, "no battery lasts for ever")
}

/// Cut behind each answer; what cannot be read is one piece with all that follows.
private func answers(_ stream: [UInt8]) -> [[UInt8]] {
    var reader = NUTReader()
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

private func reading(_ pieces: [[UInt8]]) -> UPSReading? {
    var client = UPSClient(settings: UPSSettings(host: "192.0.2.9", name: "ups"), seed: 1)
    var now = Moment(boot: .zero + .seconds(1), wall: WallTime(milliseconds: 0), isWallTrusted: true)
    var actions: [TransportAction] = []
    client.start(at: now, into: &actions)
    client.connected(ConnectionID(1), slot: DialSlot(0), at: now, into: &actions)
    for piece in pieces {
        client.received(ConnectionID(1), piece, at: now, into: &actions)
        guard !actions.contains(.close(ConnectionID(1))) else { break }
        // Between two questions it is asked again.
        if client.reading != nil, let next = client.nextDeadline, next - now.boot == client.settings.interval {
            now.boot = next
            client.timerFired(at: now, into: &actions)
        }
    }
    return client.reading
}
