import AlarmModel
import PhoneLink
import PhoneProtocol

/// What comes in by the channels, opened and sorted.
extension Commands {
    mutating func heard(_ inbound: InboundMessage, _ step: inout Step) {
        let data: JSON
        switch inbound.body {
        case .data(let given): data = given
        case .text(let text): return heardText(text, inbound, &step)
        }
        guard case .object = data else {
            actions.append(.acknowledge(inbound))
            return reject(.notOurs, &step)
        }
        guard data["v"]?.stringValue == "2", data["command"]?.stringValue == "ha2" else {
            return heardLegacy(inbound, data, &step)
        }
        guard let bytes = data["e"]?.stringValue.flatMap({ try? Base64URL.decode($0) }), bytes.count >= 2 else {
            actions.append(.acknowledge(inbound))
            return reject(.notOurs, &step)
        }
        heardSealed(bytes, inbound, &step)
    }

    /// An envelope of a paired phone, or the first frame of one that is being paired.
    mutating func heardSealed(_ bytes: [UInt8], _ inbound: InboundMessage, _ step: inout Step) {
        guard mayOpen(inbound.channel, &step) else {
            actions.append(.acknowledge(inbound))
            return reject(.tooMany, &step)
        }
        if bytes.starts(with: [2, 1]) {
            step.ask(
                .handshake(frame: bytes, siteName: step.configuration.siteName), for: .handshake(inbound))
        } else {
            step.ask(.open(bytes), for: .openInbound(inbound))
        }
    }

    /// Anybody can send rubbish: so much of it by one channel is looked at.
    mutating func mayOpen(_ channel: ChannelKind, _ step: inout Step) -> Bool {
        let index = openings.firstIndex { $0.channel == channel } ?? openings.count
        if index == openings.count { openings.append(OpeningPace(channel: channel)) }
        return openings[index].allowance.take(
            rate: OpeningPace.aSecond * 60, burst: OpeningPace.aSecond, at: step.now.boot)
    }

    /// The vault has opened an envelope, or not.
    mutating func opened(_ answer: VaultAnswer, from inbound: InboundMessage, _ step: inout Step) {
        guard case .opened(let id, let message, let verdict) = answer else {
            actions.append(.acknowledge(inbound))
            let kind: Rejections.Kind
            if case .unopened(let why) = answer {
                switch why {
                case .notOurs, .newerVersion, .noPairing: kind = .notOurs
                case .unknownPhone: kind = .unknownPhone
                case .sealBroken: kind = .notOpened
                case .malformed: kind = .malformed
                }
            } else {
                kind = .notOpened
            }
            return reject(kind, &step)
        }
        guard let phone = step.book.phone(id), let index = account(id), step.entering != id else {
            actions.append(.acknowledge(inbound))
            return reject(.unknownPhone, &step)
        }
        accounts[index].lastHeard = step.now.wall
        actions.append(.spoke(phone, from: inbound.from))
        switch message {
        case .request(let request):
            actions.append(.acknowledge(inbound))
            guard accounts[index].takesRequest(request.rid, at: step.now.boot) else { return reject(.repeated, &step) }
            actions.append(.requested(request, by: phone))
        case .command(let command):
            guard let verdict else {
                actions.append(.acknowledge(inbound))
                return
            }
            commanded(command, verdict, by: phone, from: inbound, &step)
        }
    }
}
