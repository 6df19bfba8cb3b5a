import AlarmModel
import PhoneProtocol

extension NtfySimulator {
    /// Who a request comes from: nobody in particular where it says nothing; nil for credentials that are wrong.
    func account(of request: HTTPServerRequest) -> NtfyServerSettings.Account? {
        var value = request.field("Authorization")
        if value == nil, let text = request.parameter("auth"), let bytes = try? Base64URL.decode(text) {
            value = String(decoding: bytes, as: UTF8.self)
        }
        guard let value, !value.isEmpty else {
            return NtfyServerSettings.Account(token: nil)
        }
        return settings.accounts.first { account in
            if let token = account.token, value == "Bearer \(token.revealed)" { return true }
            guard !account.user.isEmpty, value.hasPrefix("Basic ") else { return false }
            let text = value.dropFirst(6).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter {
                $0 != "="
            }
            let given = (try? Base64URL.decode(String(text))) ?? []
            return String(decoding: given, as: UTF8.self)
                == "\(account.user):\(account.password.revealed)"
        }
    }

    func may(_ account: NtfyServerSettings.Account, read topic: String) -> Bool {
        grant(account, topic)?.mayRead ?? settings.everybodyMay
    }

    func may(_ account: NtfyServerSettings.Account, write topic: String) -> Bool {
        grant(account, topic)?.mayWrite ?? settings.everybodyMay
    }

    private func grant(_ account: NtfyServerSettings.Account, _ topic: String) -> NtfyServerSettings.Grant? {
        (account.grants + settings.everybody).first { $0.covers(topic) }
    }

    func json(_ text: String, at now: Moment, status: Int = 200) -> HTTPServerAnswer {
        HTTPServerAnswer(status, json: text)
    }

    /// `{code, http, error}`; the first three digits of the code are the status.
    mutating func answer(
        _ request: HTTPServerRequest, error code: Int, retryAfter: Int? = nil, at now: Moment,
        into actions: inout [HTTPServiceAction]
    ) {
        refused += 1
        let text: String
        switch code {
        case 40007: text = "invalid priority parameter"
        case 40008: text = "invalid since parameter"
        case 40009: text = "invalid request: topic invalid"
        case 40014: text = "invalid request: attachments not allowed"
        case 40017: text = "invalid request: request body must be message JSON"
        case 40018: text = "invalid request: actions invalid"
        case 40101: text = "unauthorized"
        case 40301: text = "forbidden"
        case 40401: text = "page not found"
        case 41303: text = "JSON body too large"
        case 42901: text = "limit reached: too many requests"
        case 42908: text = "limit reached: too many messages"
        case 50701: text = "no room"
        default: text = "error"
        }
        let status = code / 100
        var answer = HTTPServerAnswer(
            status,
            json: JSON.object([
                "code": .integer(Int64(code)), "http": .integer(Int64(status)), "error": .string(text),
            ]).text)
        if let retryAfter {
            answer.fields.append(HTTPServerRequest.Field("Retry-After", "\(retryAfter)"))
        }
        if settings.isTraced {
            actions.append(.trace("\(request.connection.number) answered with \(status) (\(code))"))
        }
        http.answer(request.connection, answer, into: &actions)
    }

    /// Whether the request got what the faults say instead of what is right.
    mutating func misbehaves(
        _ request: HTTPServerRequest, _ route: Route, at now: Moment,
        into actions: inout [HTTPServiceAction]
    ) -> Bool {
        guard let fault = faults.answer, faults.times > 0,
            faults.scope == .all || faults.scope == route.scope
        else {
            return false
        }
        if faults.times != .max { faults.times -= 1 }
        let id = request.connection
        if settings.isTraced { actions.append(.trace("\(id.number) misbehaves")) }
        switch fault {
        case .status(let status, let retryAfter, let code):
            answer(request, error: code ?? status * 100, retryAfter: retryAfter, at: now, into: &actions)
        case .redirect(let url):
            let location = HTTPServerRequest.Field("Location", url)
            http.answer(id, HTTPServerAnswer(302, fields: [location]), into: &actions)
        case .page:
            let type = HTTPServerRequest.Field("Content-Type", "text/html")
            let body = Array("<html><body>Please log in</body></html>".utf8)
            http.answer(id, HTTPServerAnswer(200, fields: [type], body: body), into: &actions)
        case .wrongJSON: http.answer(id, json("[\"something\",{\"else\":1}]", at: now), into: &actions)
        case .huge:
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 1_048_576)
            http.answer(id, HTTPServerAnswer(200, body: body), into: &actions)
        case .earlyClose:
            let whole = HTTPServerMachine.bytes(of: json("{\"id\":\"abcdefabcdef\",\"time\":1}", at: now))
            http.send(id, Array(whole.prefix(whole.count - 10)), into: &actions)
            http.close(id, into: &actions)
        case .garbage:
            http.send(id, Array("220 mail.example ESMTP\r\n".utf8), into: &actions)
            http.close(id, into: &actions)
        case .noAnswer:
            if case .publishJSON = route {
                _ = take(json: request, topicless: (), at: now, into: &actions)
            }
            http.silence(id)
        }
        return true
    }
}
