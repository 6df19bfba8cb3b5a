import AlarmModel
import PhoneLink
import PhoneProtocol

/// What an XMPP server may say at any point of an account's life: nothing traps, nothing is believed before the login,
/// a message ends once at most, and the account goes on. The first byte chooses how far the exchange has come and where
/// the rest is cut.
func checkAccount(_ bytes: [UInt8]) {
    checkWords(bytes)
    guard let first = bytes.first, let address = XMPPAddress("box@example.com") else { return }
    var settings = XMPPSettings(account: address, password: Secret("pencil"))
    settings.isDirectTLS = first & 1 == 0
    settings.host = "example.com"
    var channel = XMPPTransport(settings: settings, seed: 1)
    let now = Moment(boot: .zero + .seconds(10), wall: WallTime(milliseconds: 0), isWallTrusted: true)
    var actions: [TransportAction] = []
    let id = ConnectionID(1)
    channel.start(at: now, into: &actions)
    channel.connected(id, slot: DialSlot(0), at: now, into: &actions)
    let steps = settings.isDirectTLS == true ? plainLogin.prefix(Int(first >> 1 & 7)) : []
    for step in steps { channel.received(id, Array(step.utf8), at: now, into: &actions) }
    var isTaken = false
    if channel.room.alarm > 0 {
        let notice = Notice(title: "a", text: "b", subject: .burglary, time: now.wall)
        let delivery = Delivery(
            message: MessageID("m1"), address: DeliveryAddress(.phone(.xmpp), "anna@example.com"),
            content: .words(notice), priority: .alarm, timeToLive: 60, wantsReceipt: true)
        isTaken = channel.deliver(delivery, at: now, into: &actions)
    }
    let rest = Array(bytes.dropFirst())
    let step = Int(first) % 61 + 1
    for start in stride(from: 0, to: rest.count, by: step) {
        channel.received(id, Array(rest[start..<min(start + step, rest.count)]), at: now, into: &actions)
        answer(&channel, &actions, now)
    }
    require(channel.nextDeadline != nil, "an account always has something to wait for")
    if steps.isEmpty { require(channel.room.alarm == 0 || isEncrypted(actions), "nothing is ready in clear") }
    channel.stop(at: now, into: &actions)
    let ends = actions.count { action in
        switch action {
        case .accepted, .refused: true
        case .returned(let ids): !ids.isEmpty
        default: false
        }
    }
    require(ends == (isTaken ? 1 : 0), "a message that was taken ends once")
    for case .problem(let problem?) in actions {
        require(!problem.description.contains("pencil"), "the password is in no problem")
    }
}

/// A command of a person: read or refused in words that a screen can show.
private func checkWords(_ bytes: [UInt8]) {
    do throws(ContactCommandError) {
        let command = try ContactCommand(parsing: String(decoding: bytes, as: UTF8.self))
        require(bytes.count <= 3 * ContactCommand.limit, "a command is short")
        if case .log(let count) = command { require((1...50).contains(count), "so many events are told") }
    } catch {
        require(error.description.utf8.count <= 400, "why a text is no command is short")
        let isPrintable = error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        require(isPrintable, "why a text is no command is printable")
    }
}

private func answer(_ channel: inout XMPPTransport, _ actions: inout [TransportAction], _ now: Moment) {
    while let place = actions.firstIndex(where: { if case .compute = $0 { true } else { false } }) {
        guard case .compute(let name, let job) = actions.remove(at: place) else { return }
        let answer: TransportAnswer =
            switch job {
            case .random(let count): .bytes([UInt8](repeating: 1, count: count))
            case .scram: .scram(proof: [1, 2, 3], serverSignature: [4, 5, 6])
            case .channelBinding, .hmacSHA256, .signRS256, .capabilities, .capability, .pushKey, .signPush, .sealPush,
                .sealReport, .openReport:
                .failed("none")
            }
        channel.computed(name, answer, at: now, into: &actions)
    }
}

private func isEncrypted(_ actions: [TransportAction]) -> Bool {
    for case .connect(_, let target) in actions where target.security != .plain { return true }
    return false
}

private let header =
    "<stream:stream id='1' version='1.0' xmlns:stream='http://etherx.jabber.org/streams' xmlns='jabber:client'>"
private let plainLogin = [
    header
        + "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>"
        + "</stream:features>",
    "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
    header
        + "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/></stream:features>",
    "<iq id='b1' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>box@example.com/r</jid></bind></iq>",
    "<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true'/>",
]
