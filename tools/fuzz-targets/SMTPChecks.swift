import AlarmModel
import PhoneLink

/// The first byte says where the rest is cut. A mail server's words mean the same however they are cut; each message
/// has at most one end, and what is told of them is printable.
func checkSMTP(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let whole = mailActions([stream])
    let step = Int(first) % 61 + 1
    let pieces = stride(from: 0, to: stream.count, by: step).map { Array(stream[$0..<min($0 + step, stream.count)]) }
    require(mailActions(pieces) == whole, "a mail server's words in pieces of \(step) bytes mean the same")
    checkEnds(whole)
}

private func mailActions(_ pieces: [[UInt8]]) -> [TransportAction] {
    var settings = MailSettings(
        host: "mail.test", port: 465, security: .tls, from: "box@house.test", user: "box",
        password: Secret("s3cret-word"))
    settings.window = 10
    var channel = MailTransport(settings: settings, seed: 1)
    let now = Moment(boot: .zero + .seconds(1), wall: WallTime(milliseconds: 0), isWallTrusted: true)
    var actions: [TransportAction] = []
    channel.start(at: now, into: &actions)
    channel.connected(ConnectionID(1), slot: DialSlot(0), at: now, into: &actions)
    // One byte at a time, so that the messages come at the same place of the stream.
    var isDelivered = false
    for piece in pieces {
        for part in isDelivered ? [piece] : piece.map({ [$0] }) {
            channel.received(ConnectionID(1), part, at: now, into: &actions)
            guard !isDelivered, channel.room.alarm > 0 else { continue }
            isDelivered = true
            for number in 1...3 {
                let notice = Notice(title: "Alarm", text: ".text", subject: .burglary, time: now.wall)
                _ = channel.deliver(
                    Delivery(
                        message: MessageID("m\(number)"), address: DeliveryAddress(.house(.mail), "ann@house.test"),
                        content: .words(notice), priority: .alarm, timeToLive: 60), at: now, into: &actions)
            }
        }
    }
    channel.closed(ConnectionID(1), .finished, at: now, into: &actions)
    return actions
}

/// What holds for the actions of every channel.
func checkEnds(_ actions: [TransportAction]) {
    var ended: [MessageID] = []
    for action in actions {
        switch action {
        case .accepted(let id, _): ended.append(id)
        case .refused(let id, let refusal):
            ended.append(id)
            requirePrintable(refusal.why)
        case .returned(let ids): ended += ids
        case .problem(let problem?): requirePrintable(problem.description)
        case .log(let entry):
            requirePrintable(entry.message)
            for field in entry.fields { requirePrintable(field.value) }
        case .connect, .cancelConnect, .upgrade, .send, .close, .compute, .locate, .serverTime, .ready, .notReady,
            .received, .inbound, .presence, .problem(nil):
            break
        }
    }
    require(Set(ended).count == ended.count, "a message ends once")
}

private func requirePrintable(_ text: String) {
    require(
        text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "…" }, "what is told is printable")
    require(!text.contains("s3cret-word"), "no secret is told")
}
