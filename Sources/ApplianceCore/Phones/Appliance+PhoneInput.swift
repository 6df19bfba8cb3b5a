import AlarmModel
import PhoneLink
import PhoneProtocol

/// What phones say, from the push service to the desk that it is for.
extension Appliance {
    static let openingsASecond = 50

    mutating func heard(_ upstream: Upstream, _ step: inout Step) {
        let data: JSON
        switch upstream.body {
        case .data(let given): data = given
        case .text(let text): return heardText(text, upstream, &step)
        }
        guard case .object = data else {
            acknowledge(upstream, &step)
            return reject(.notOurs, &step)
        }
        guard data["v"]?.stringValue == "2", data["command"]?.stringValue == "ha2" else {
            return heardLegacy(upstream, data, &step)
        }
        guard let bytes = data["e"]?.stringValue.flatMap({ try? Base64URL.decode($0) }), bytes.count >= 2 else {
            acknowledge(upstream, &step)
            return reject(.notOurs, &step)
        }
        guard mayOpen(upstream.way, &step) else {
            acknowledge(upstream, &step)
            return reject(.tooMany, &step)
        }
        if bytes[0] == 2, bytes[1] == 1 {
            order(
                .handshake(frame: bytes, siteName: configuration.siteName), for: .handshake(upstream), &step)
        } else {
            order(.open(bytes), for: .openUpstream(upstream), &step)
        }
    }

    /// Anybody can send rubbish: so much of it by one way is looked at.
    mutating func mayOpen(_ way: WayKind, _ step: inout Step) -> Bool {
        guard let index = hall.way(way) else { return false }
        return hall.ways[index].openings.take(
            rate: Self.openingsASecond * 60, burst: Self.openingsASecond, at: step.now.boot)
    }

    mutating func acknowledge(_ upstream: Upstream, _ step: inout Step) {
        #if SABOTAGE
            if sabotage == .databaseNotEmptied, upstream.way == .fcm { return }
        #endif
        drive(upstream.way, &step) { $0.acknowledge(upstream, at: $1, into: &$2) }
    }

    mutating func reject(_ kind: Rejections.Kind, _ step: inout Step) {
        guard hall.rejected.count(kind, at: step.now.boot) else { return }
        note(
            .fault, .phoneNoise,
            "More than \(Rejections.anHour) messages within an hour were none of a paired phone; they were dropped. "
                + "Somebody may be trying; see 'howalarming phones list'.", &step)
    }

    mutating func vaultAnswered(
        _ id: VaultJobID, _ answer: VaultAnswer, _ step: inout Step
    ) {
        guard let index = hall.vaultWaits.firstIndex(where: { $0.id == id }) else { return }
        let purpose = hall.vaultWaits.remove(at: index).purpose
        switch purpose {
        case .openUpstream(let upstream): opened(answer, from: upstream, &step)
        case .handshake(let upstream): shookHands(answer, with: upstream, &step)
        case .sealMessage(let entry): sealedMessage(entry, Self.envelope(answer), &step)
        case .sealAnswer(let message): sealedAnswer(message, Self.envelope(answer), &step)
        case .beginPairing: pairingIsReady(id, answer, &step)
        case .confirm(let client): compared(id, answer, for: client, &step)
        case .nonce(let phone, let address): gotNonce(answer, phone, address, &step)
        case .beginCodes: codesAreReady(id, &step)
        case .confirmCodes(let client): comparedCodes(id, answer, for: client, &step)
        case .code(let order): checkedCode(order, answer, &step)
        }
    }

    private static func envelope(_ answer: VaultAnswer) -> [UInt8]? {
        guard case .sealed(let bytes) = answer else { return nil }
        return bytes
    }

    private mutating func opened(
        _ answer: VaultAnswer, from upstream: Upstream, _ step: inout Step
    ) {
        guard case .opened(let id, let message, let verdict) = answer else {
            acknowledge(upstream, &step)
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
        guard let phone = hall.book.phone(id), let index = hall.account(id), hall.entering != id else {
            acknowledge(upstream, &step)
            return reject(.unknownPhone, &step)
        }
        hall.accounts[index].lastHeard = step.now.wall
        heard(phone, from: upstream.from, &step)
        switch message {
        case .request(let request):
            acknowledge(upstream, &step)
            requested(request, by: phone, &step)
        case .command(let command):
            guard let verdict else {
                acknowledge(upstream, &step)
                return
            }
            commanded(command, verdict, by: phone, from: upstream, &step)
        }
    }

    // MARK: Answers

    /// An answer to every address of the phone that is in use.
    mutating func tell(
        _ phone: PhoneID, _ message: BoxMessage, wantsChallenge: Bool = false, _ step: inout Step
    ) {
        guard let phone = hall.book.phone(phone) else { return }
        for address in phone.addresses where address.state == .inUse {
            guard let place = place(of: address) else { continue }
            answer(.sealed(phone.id, message, wantsChallenge: wantsChallenge), to: place, &step)
        }
    }

    mutating func answer(_ content: AnswerQueue.Content, to place: AnswerQueue.Place, _ step: inout Step) {
        let id = MessageID(boot: bootMark, counter: hall.nextAnswer)
        hall.nextAnswer += 1
        hall.answers.add(content, to: place, as: id, at: step.now.boot)
    }

    /// nil: no way that is configured goes there.
    func place(of address: PhoneAddress) -> AnswerQueue.Place? { place(address.kind, address.value) }

    func place(_ kind: AddressKind, _ value: String) -> AnswerQueue.Place? {
        guard let way = WayKind.carrying(kind, of: hall.ways.map(\.kind)) else { return nil }
        return AnswerQueue.Place(way: way, address: DeliveryAddress(.phone(kind), value))
    }

    /// Seconds since the start; a challenge holds for a minute.
    func challengeEnd(at now: Moment) -> UInt32 { secondsUp(at: now) + 60 }

    func secondsUp(at now: Moment) -> UInt32 { UInt32(clamping: (now.boot - startedAt).milliseconds / 1000) }
}
