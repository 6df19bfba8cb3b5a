package import AlarmModel
import PhoneProtocol

extension WebPushTransport {
    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard isReady else { return false }
        let message = delivery.message
        guard case .sealed(let envelope) = delivery.content, let words = delivery.shown else {
            refuse(message, .giveUp, "a browser's push takes sealed messages with words only", into: &actions)
            return true
        }
        // What the phone said was looked at before; the configuration may be another one since.
        guard let subscription = try? WebPushSubscription(delivery.address.value),
            settings.takes(subscription.endpoint)
        else {
            refuse(
                message, .giveUp, "its push service is none that this box sends to; open the app on the phone again",
                into: &actions)
            return true
        }
        guard let content = WebPushMessage.content(envelope, words, delivery, settings.appURL) else {
            refuse(message, .giveUp, "the message is too long for a push", into: &actions)
            return true
        }
        let origin = subscription.endpoint.origin(authorityFile: settings.caFile)
        guard let line = line(to: origin), hasRoom(line, isAlarm: delivery.isAlarm) else {
            refuse(
                message, .retry(first: .seconds(1), attempts: nil),
                "\(Self.place(origin)) has not answered those before it", into: &actions)
            return true
        }
        let job = newJob()
        pending.append(
            Pending(
                message: message, line: line, target: subscription.endpoint.target,
                fields: WebPushMessage.fields(for: delivery), isUrgent: delivery.isAlarm, job: job,
                due: now.boot + settings.signPatience))
        actions.append(
            .compute(
                job,
                .sealPush(
                    content, to: subscription.point, secret: subscription.secret, size: WebPushMessage.size)))
        return true
    }

    /// For problems and logs: the path of an endpoint is a secret.
    static func place(_ origin: HTTPOrigin) -> String { PeerText.printable(origin.description, limit: 100) }

    private func hasRoom(_ line: Int, isAlarm: Bool) -> Bool {
        let used = pending.count { $0.line == line }
        return used < (isAlarm ? Self.queueLimit : Self.queueLimit - Self.reservedForAlarms)
    }

    /// The line to this service; a new one, or one that nobody needs, where there is none.
    private mutating func line(to origin: HTTPOrigin) -> Int? {
        if let known = lines.firstIndex(where: { $0.client.origin == origin }) { return known }
        let index =
            lines.count < Self.lineLimit
            ? lines.count
            : lines.indices.first { index in
                lines[index].client.nextDeadline == nil && !pending.contains { $0.line == index }
            }
        guard let index else { return nil }
        let line = Line(client: HTTPClient(origin: origin, slot: DialSlot(index), settings: settings.client))
        if index == lines.count { lines.append(line) } else { lines[index] = line }
        return index
    }

    // MARK: Computed

    mutating func sealed(
        _ index: Int, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard case .bytes(let body) = answer, body.count == WebPushMessage.size else {
            let lost = pending.remove(at: index)
            refuse(
                lost.message, .retry(first: .seconds(5), attempts: 5),
                "this box could not encrypt it for the phone: \(answer.why). Open the app on the phone again",
                into: &actions)
            return
        }
        pending[index].job = nil
        pending[index].body = body
        send(pending[index].line, at: now, into: &actions)
    }

    mutating func signed(
        _ index: Int, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let signing = lines[index].signing else { return }
        lines[index].signing = nil
        if case .bytes(let signature) = answer, signature.count == 64, let publicKey {
            lines[index].token = WebPushToken(
                signing.input, signature: signature, key: publicKey, issued: signing.issued)
            return send(index, at: now, into: &actions)
        }
        let why = "this box could not sign for \(Self.place(lines[index].client.origin)): \(answer.why)"
        lines[index].problem = TransportProblem(
            .notComputed, of: Self.place(lines[index].client.origin), why, isRefusal: true)
        while let waiting = pending.firstIndex(where: { $0.line == index && $0.isUnsent }) {
            let lost = pending.remove(at: waiting)
            refuse(lost.message, .retry(first: .seconds(5), attempts: nil), why, into: &actions)
        }
        tellProblem(into: &actions)
    }

    /// Whatever is sealed for this service goes out, or a token for it is signed first.
    mutating func send(_ line: Int, at now: Moment, into actions: inout [TransportAction]) {
        while let index = pending.firstIndex(where: { $0.line == line && $0.isUnsent }) {
            guard let token = lines[line].token, token.isGood(at: now.wall) else {
                return sign(line, at: now, into: &actions)
            }
            let id = HTTPRequestID(nextRequest)
            nextRequest += 1
            pending[index].request = id
            let entry = pending[index]
            let request = HTTPRequest(.post, entry.target, fields: [token.field] + entry.fields, body: entry.body)
            // Twice is harmless: the app knows a message by log and number, and its notice by its tag.
            drive(line, at: now, into: &actions) {
                $0.request(request, id: id, isUrgent: entry.isUrgent, mayRepeat: true, at: now, into: &$1)
            }
        }
    }

    private mutating func sign(_ line: Int, at now: Moment, into actions: inout [TransportAction]) {
        guard lines[line].signing == nil else { return }
        let job = newJob()
        let input = WebPushToken.input(for: lines[line].client.origin, contact: settings.contact, at: now.wall)
        lines[line].signing = Signing(
            job: job, input: input, issued: now.wall, due: now.boot + settings.signPatience)
        actions.append(.compute(job, .signPush(Array(input.utf8))))
    }
}
