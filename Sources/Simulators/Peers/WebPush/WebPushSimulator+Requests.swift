import AlarmModel
import PhoneProtocol

/// What it takes, and what it refuses with which words.
extension WebPushSimulator {
    struct Refusal: Error {
        var status: Int
        var why: String
    }

    mutating func serve(
        _ request: HTTPServerRequest, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        if meets(request, at: now, into: &actions) { return }
        let id = request.connection
        let fault = takeFault()
        if let fault {
            switch fault {
            case .status(let status, let retryAfter):
                let fields = retryAfter.map { [HTTPServerRequest.Field("Retry-After", "\($0)")] } ?? []
                return http.answer(id, dated(HTTPServerAnswer(status, fields: fields), at: now), into: &actions)
            case .garbage:
                http.send(id, Array("220 mail.example ESMTP\r\n".utf8), into: &actions)
                return http.close(id, into: &actions)
            case .earlyClose, .noAnswer, .loses: break
            }
        }
        let answer: HTTPServerAnswer
        do throws(Refusal) {
            answer = dated(try take(request, isLost: fault == .loses, at: now), at: now)
        } catch {
            note("\(error.status) \(error.why)")
            var refusal = HTTPServerAnswer(
                error.status, json: JSON.object(["message": .string(error.why)]).text)
            // RFC 9110 15.5.2: it says what it wants.
            if error.status == 401 { refusal.fields.append(HTTPServerRequest.Field("WWW-Authenticate", "vapid")) }
            return http.answer(id, dated(refusal, at: now), into: &actions)
        }
        switch fault {
        case .earlyClose:
            http.send(id, Array(HTTPServerMachine.bytes(of: answer).prefix(20)), into: &actions)
            http.close(id, into: &actions)
        case .noAnswer: http.silence(id)
        case .status, .garbage, .loses, nil: http.answer(id, answer, into: &actions)
        }
        deliver(at: now, into: &actions)
    }

    /// RFC 9110 6.6.1: a server with a clock says what it shows.
    private func dated(_ answer: HTTPServerAnswer, at now: Moment) -> HTTPServerAnswer {
        var answer = answer
        answer.fields.append(.date(now.wall))
        return answer
    }

    private mutating func takeFault() -> WebPushFaults.Answer? {
        guard let answer = faults.answer, faults.times > 0 else { return nil }
        faults.times -= 1
        return answer
    }

    private mutating func take(
        _ request: HTTPServerRequest, isLost: Bool, at now: Moment
    ) throws(Refusal) -> HTTPServerAnswer {
        let subscription = try subscription(request)
        try checkSender(request, subscription, at: now)
        guard let life = request.field("TTL").flatMap({ Int64($0) }), life >= 0 else {
            throw Refusal(status: 400, why: "TTL is missing, or no number (RFC 8030 5.2)")
        }
        let urgency = request.field("Urgency")
        if let urgency, !["very-low", "low", "normal", "high"].contains(urgency) {
            throw Refusal(status: 400, why: "Urgency is none of the four (RFC 8030 5.3)")
        }
        let topic = request.field("Topic")
        if let topic, !(1...32).contains(topic.utf8.count) || !NtfySimulator.isTopic(topic) {
            throw Refusal(status: 400, why: "Topic is not 1 to 32 characters of base64url's (RFC 8030 5.4)")
        }
        guard request.body.count <= settings.bodyLimit else {
            throw Refusal(status: 413, why: "the body has \(request.body.count) bytes (RFC 8030 7.2)")
        }
        if !request.body.isEmpty { try Self.checkForm(request) }
        if let left = settings.quota {
            guard left > 0 else { throw Refusal(status: 429, why: "too many messages (RFC 8030 8.4)") }
            settings.quota = left - 1
        }
        let kept = min(life, settings.longestLife)
        taken += 1
        if !isLost {
            let message = WebPushStored(
                version: taken, endpoint: settings.origin + Self.path + subscription.token, body: request.body,
                endsAt: now.boot + .seconds(kept), topic: topic, urgency: urgency)
            // RFC 8030 5.4: the newer takes the place of the older.
            if let topic { stored.removeAll { $0.endpoint == message.endpoint && $0.topic == topic } }
            stored.append(message)
            record(message, at: now)
            if stored.count > Self.memory { stored.removeFirst() }
            fresh.append(message)
            if fresh.count > Self.memory { fresh.removeFirst() }
        }
        return HTTPServerAnswer(
            201,
            fields: [
                HTTPServerRequest.Field("Location", "\(settings.origin)/m/\(taken)"),
                HTTPServerRequest.Field("TTL", "\(kept)"),
            ])
    }

    private func subscription(_ request: HTTPServerRequest) throws(Refusal) -> Subscription {
        guard request.path.hasPrefix(Self.path),
            let found = subscriptions.first(where: { $0.token == request.path.dropFirst(Self.path.count) })
        else { throw Refusal(status: 404, why: "no such subscription") }
        guard request.method == "POST" else { throw Refusal(status: 405, why: "a message comes by POST") }
        guard !found.hasEnded else { throw Refusal(status: 410, why: "the subscription has ended") }
        return found
    }

    // MARK: The application server (RFC 8292)

    private func checkSender(
        _ request: HTTPServerRequest, _ subscription: Subscription, at now: Moment
    ) throws(Refusal) {
        guard let key = subscription.key else { return }
        guard let value = request.field("Authorization"), value.lowercased().hasPrefix("vapid ") else {
            throw Refusal(status: 401, why: "the subscription is for one application server (RFC 8292 4.2)")
        }
        let parameters = value.dropFirst(6).split(separator: ",").map { $0.drop { $0 == " " } }
        func parameter(_ name: String) -> String? {
            parameters.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        guard let text = parameter("k"), (try? Base64URL.decode(text)) == key else {
            throw Refusal(status: 403, why: "it is for another application server (RFC 8292 4.2)")
        }
        guard let token = parameter("t") else {
            throw Refusal(status: 401, why: "the token is missing (RFC 8292 3.1)")
        }
        if let why = objection(to: token, by: key, at: now) { throw Refusal(status: 403, why: why) }
    }

    /// nil: the token is as it should be (RFC 7515, RFC 8292 2).
    private func objection(to token: String, by key: [UInt8], at now: Moment) -> String? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let decoded = parts.compactMap { try? Base64URL.decode($0) }
        guard parts.count == 3, decoded.count == 3, let header = try? JSON(parsing: decoded[0]),
            let claims = try? JSON(parsing: decoded[1])
        else { return "the token is none" }
        guard header["alg"]?.stringValue == "ES256" else { return "the token is not signed by ES256" }
        guard claims["aud"]?.stringValue == settings.origin else { return "the token is for another service" }
        guard let end = claims["exp"]?.integerValue, end > now.wall.seconds else { return "the token is over" }
        guard end <= now.wall.seconds + 86_400 else { return "the token is good for more than a day" }
        if let contact = claims["sub"]?.stringValue, !["mailto:", "https:"].contains(where: contact.hasPrefix) {
            return "the token names no contact"
        }
        guard decoded[2].count == 64, settings.verifies(Array("\(parts[0]).\(parts[1])".utf8), decoded[2], key) else {
            return "the signature is none"
        }
        return nil
    }

    // MARK: The message (RFC 8188 2, RFC 8291 4)

    /// One record, with the sender's key of this message in front.
    private static func checkForm(_ request: HTTPServerRequest) throws(Refusal) {
        guard request.field("Content-Encoding") == "aes128gcm" else {
            throw Refusal(status: 400, why: "the content is not encrypted by aes128gcm (RFC 8291 4)")
        }
        let body = request.body
        guard body.count > 86, body[20] == 65, body[21] == 4 else {
            throw Refusal(status: 400, why: "the content begins with no key (RFC 8291 4)")
        }
        let record = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        // The mark of the last record, and the tag.
        guard body.count >= 86 + 17, record >= body.count - 86 else {
            throw Refusal(status: 400, why: "the content is not one record (RFC 8291 4)")
        }
    }
}
