import AlarmModel
import PhoneLink
import PhoneProtocol

/// What phones say, from the push service to the desk that it is for.
extension Appliance {
    static let openingsASecond = 50

    mutating func heard(_ upstream: InboundMessage, at now: Moment, into effects: inout [Effect]) {
        let data: JSON
        switch upstream.body {
        case .data(let given): data = given
        case .text(let text): return heardText(text, upstream, at: now, into: &effects)
        }
        guard case .object = data else {
            acknowledge(upstream, at: now, into: &effects)
            return reject(.notOurs, at: now)
        }
        guard data["v"]?.stringValue == "2", data["command"]?.stringValue == "ha2" else {
            return heardLegacy(upstream, data, at: now, into: &effects)
        }
        guard let bytes = data["e"]?.stringValue.flatMap({ try? Base64URL.decode($0) }), bytes.count >= 2 else {
            acknowledge(upstream, at: now, into: &effects)
            return reject(.notOurs, at: now)
        }
        guard mayOpen(upstream.way, at: now) else {
            acknowledge(upstream, at: now, into: &effects)
            return reject(.tooMany, at: now)
        }
        if bytes[0] == 2, bytes[1] == 1 {
            order(
                .handshake(frame: bytes, siteName: configuration.siteName), for: .handshake(upstream), into: &effects)
        } else {
            order(.open(bytes), for: .openUpstream(upstream), into: &effects)
        }
    }

    /// Anybody can send rubbish: so much of it by one way is looked at.
    mutating func mayOpen(_ way: WayKind, at now: Moment) -> Bool {
        guard let index = hall.way(way) else { return false }
        return hall.ways[index].openings.take(
            rate: Self.openingsASecond * 60, burst: Self.openingsASecond, at: now.boot)
    }

    mutating func acknowledge(_ upstream: InboundMessage, at now: Moment, into effects: inout [Effect]) {
        #if SABOTAGE
            if sabotage == .databaseNotEmptied, upstream.way == .fcm { return }
        #endif
        drive(upstream.way, at: now, into: &effects) { $0.acknowledge(upstream, at: now, into: &$1) }
    }

    mutating func reject(_ kind: Rejections.Kind, at now: Moment) {
        guard hall.rejected.count(kind, at: now.boot) else { return }
        note(
            .fault, .phoneNoise,
            "More than \(Rejections.anHour) messages within an hour were none of a paired phone; they were dropped. "
                + "Somebody may be trying; see 'howalarming phones list'.", at: now)
    }

    mutating func vaultAnswered(
        _ id: VaultJobID, _ answer: VaultAnswer, at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = hall.vaultWaits.firstIndex(where: { $0.id == id }) else { return }
        let purpose = hall.vaultWaits.remove(at: index).purpose
        switch purpose {
        case .openUpstream(let upstream): opened(answer, from: upstream, at: now, into: &effects)
        case .handshake(let upstream): shookHands(answer, with: upstream, at: now, into: &effects)
        case .sealMessage(let entry): sealedMessage(entry, Self.envelope(answer), at: now, into: &effects)
        case .sealAnswer(let message): sealedAnswer(message, Self.envelope(answer), at: now, into: &effects)
        case .beginPairing: pairingIsReady(id, answer, at: now, into: &effects)
        case .confirm(let client): compared(id, answer, for: client, at: now, into: &effects)
        case .nonce(let phone, let address): gotNonce(answer, phone, address, at: now)
        case .beginCodes: codesAreReady(id, into: &effects)
        case .confirmCodes(let client): comparedCodes(id, answer, for: client, at: now, into: &effects)
        case .code(let order): checkedCode(order, answer, at: now, into: &effects)
        }
    }

    private static func envelope(_ answer: VaultAnswer) -> [UInt8]? {
        guard case .sealed(let bytes) = answer else { return nil }
        return bytes
    }

    private mutating func opened(
        _ answer: VaultAnswer, from upstream: InboundMessage, at now: Moment, into effects: inout [Effect]
    ) {
        guard case .opened(let id, let message, let verdict) = answer else {
            acknowledge(upstream, at: now, into: &effects)
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
            return reject(kind, at: now)
        }
        guard let phone = hall.book.phone(id), let index = hall.account(id), hall.entering != id else {
            acknowledge(upstream, at: now, into: &effects)
            return reject(.unknownPhone, at: now)
        }
        hall.accounts[index].lastHeard = now.wall
        heard(phone, from: upstream.from, at: now, into: &effects)
        switch message {
        case .request(let request):
            acknowledge(upstream, at: now, into: &effects)
            requested(request, by: phone, at: now, into: &effects)
        case .command(let command):
            guard let verdict else {
                acknowledge(upstream, at: now, into: &effects)
                return
            }
            commanded(command, verdict, by: phone, from: upstream, at: now, into: &effects)
        }
    }

    // MARK: Answers

    /// An answer to every address of the phone that is in use.
    mutating func tell(
        _ phone: PhoneID, _ message: BoxMessage, wantsChallenge: Bool = false, at now: Moment
    ) {
        guard let phone = hall.book.phone(phone) else { return }
        for address in phone.addresses where address.state == .inUse {
            guard let place = place(of: address) else { continue }
            answer(.sealed(phone.id, message, wantsChallenge: wantsChallenge), to: place, at: now)
        }
    }

    mutating func answer(_ content: AnswerQueue.Content, to place: AnswerQueue.Place, at now: Moment) {
        let id = MessageID(boot: bootMark, counter: hall.nextAnswer)
        hall.nextAnswer += 1
        hall.answers.add(content, to: place, as: id, at: now.boot)
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
