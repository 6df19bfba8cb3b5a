package import AlarmModel
package import PhoneProtocol

/// A simulated Google: sign-in for service accounts, FCM's HTTP v1 and a Realtime Database, behind one port (docs/push.md
/// C.2, C.5). It verifies no signature itself but keeps what was signed for whoever does.
package struct FCMSimulator: HTTPService {
    package var settings: FCMServerSettings
    package internal(set) var faults = FCMFaults()
    var http = HTTPServerMachine()
    /// What was exchanged for tokens, newest last.
    package private(set) var assertions: [String] = []
    /// Messages that were taken, newest last.
    package private(set) var sent: [JSON] = []
    package private(set) var refused = 0
    var tokens: [Token] = []
    private var tokenCount = 0
    /// Messages that were taken so far.
    package private(set) var messageCount = 0
    /// Of them, so many were told by `takeArrivals`.
    var taken = 0
    /// What the database holds, in the order of its keys.
    package var nodes: [Node] = []
    var pushCount = 0
    /// What phones have put so far.
    package var putCount = 0
    var streams: [Watching] = []

    struct Token: Equatable, Sendable {
        var text: String
        var endsAt: BootTime
    }
    package struct Node: Equatable, Sendable {
        /// With slashes around it.
        var place: String
        package var key: String
        var value: JSON
        package var since: BootTime
    }
    struct Watching: Equatable, Sendable {
        var connection: ConnectionID
        var place: String
        /// Children that it shows at most, the first ones.
        var limit: Int
        var shown: [String] = []
        var nextKeepAlive: BootTime
    }

    private static let memory = 1000

    package init(settings: FCMServerSettings = FCMServerSettings()) { self.settings = settings }

    package var nextDeadline: BootTime? { streams.map(\.nextKeepAlive).min() }

    package mutating func accepted(
        _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.accepted(id)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.received(id, bytes)
        while let request = http.next(id, into: &actions) {
            if faults.isMute, request.path.hasSuffix("messages:send") { return }
            answer(request, at: now, into: &actions)
        }
    }

    package mutating func closed(
        _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.closed(id)
        streams.removeAll { $0.connection == id }
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        for index in streams.indices where streams[index].nextKeepAlive <= now.boot {
            streams[index].nextKeepAlive = now.boot + settings.keepAlive
            event("keep-alive", "null", to: streams[index].connection, into: &actions)
        }
    }

    private mutating func answer(
        _ request: HTTPServerRequest, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let trace = "\(request.method) \(request.path)"
        if request.path.hasSuffix(".json") {
            actions.append(.trace(trace))
            return answerDatabase(request, at: now, into: &actions)
        }
        let answer: HTTPServerAnswer
        switch (request.method, request.path) {
        case ("POST", "/token"): answer = token(request, at: now)
        case ("POST", let path) where path.hasSuffix("/messages:send"): answer = send(request, path, at: now)
        default: answer = HTTPServerAnswer(404, json: "{}")
        }
        actions.append(.trace("\(trace): \(answer.status)"))
        http.answer(request.connection, answer, into: &actions)
    }

    // MARK: Sign-in

    private mutating func token(_ request: HTTPServerRequest, at now: Moment) -> HTTPServerAnswer {
        if let fault = Self.take(&faults.token) {
            let body = JSON.object(["error": .string(fault.code), "error_description": .string(fault.text)])
            return HTTPServerAnswer(fault.status, json: body.text, fields: Self.fields(fault))
        }
        let form = String(decoding: request.body, as: UTF8.self).split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count < 2 ? "" : HTTPServerRequest.resolved(pair[1], plusIsBlank: true)
            return (name: String(pair[0]), value: value)
        }
        let grant = form.first { $0.name == "grant_type" }?.value
        guard grant == "urn:ietf:params:oauth:grant-type:jwt-bearer",
            let assertion = form.first(where: { $0.name == "assertion" })?.value,
            request.field("Content-Type") == "application/x-www-form-urlencoded"
        else { return HTTPServerAnswer(400, json: #"{"error":"unsupported_grant_type"}"#) }
        assertions.append(assertion)
        if assertions.count > Self.memory { assertions.removeFirst() }
        tokenCount += 1
        let text = "ya29.simulated-\(tokenCount)"
        tokens.append(Token(text: text, endsAt: now.boot + .seconds(settings.tokenLife)))
        if tokens.count > Self.memory { tokens.removeFirst() }
        let body = JSON.object([
            "access_token": .string(text), "expires_in": .integer(settings.tokenLife), "token_type": .string("Bearer"),
        ])
        return HTTPServerAnswer(200, json: body.text)
    }

    /// Those that were taken after so many, oldest first, as far as they are remembered.
    package func messages(after count: Int) -> [JSON] { Array(sent.suffix(max(0, messageCount - count))) }

    func isAuthorized(_ request: HTTPServerRequest, at now: Moment) -> Bool {
        guard let bearer = request.bearer else { return false }
        return tokens.contains { $0.text == bearer && $0.endsAt > now.boot }
    }

    // MARK: Messages

    private mutating func send(_ request: HTTPServerRequest, _ path: String, at now: Moment) -> HTTPServerAnswer {
        guard isAuthorized(request, at: now) else { return refuse(401, "UNAUTHENTICATED", nil, "no valid token") }
        guard path == "/v1/projects/\(settings.projectID)/messages:send" else {
            return refuse(404, "NOT_FOUND", nil, "no such project")
        }
        if let fault = Self.take(&faults.send) {
            var answer = refuse(fault.status, Self.status(fault.status), fault.code, fault.text)
            answer.fields += Self.fields(fault)
            return answer
        }
        let token = (try? JSON(parsing: request.body))?["message"]?["token"]?.stringValue
        if let token, settings.unregistered.contains(token) {
            return refuse(404, "NOT_FOUND", "UNREGISTERED", "Requested entity was not found.")
        }
        guard let message = try? JSON(parsing: request.body), let why = Self.objection(to: message["message"]) else {
            messageCount += 1
            let name = "projects/\(settings.projectID)/messages/\(messageCount)"
            sent.append((try? JSON(parsing: request.body)) ?? .null)
            if sent.count > Self.memory { sent.removeFirst() }
            return HTTPServerAnswer(200, json: JSON.object(["name": .string(name)]).text)
        }
        return refuse(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", why)
    }

    /// nil: the message is as it should be.
    private static func objection(to message: JSON?) -> String? {
        guard let message else { return "message is missing" }
        let targets = ["token", "fid", "topic", "condition"].filter { message[$0]?.stringValue?.isEmpty == false }
        guard targets.count == 1 else { return "exactly one of token, fid, topic and condition is required" }
        for member in message["data"]?.objectValue ?? [] {
            guard member.value.stringValue != nil else { return "data.\(member.key) is no string" }
            let isReserved =
                ["from", "message_type"].contains(member.key)
                || ["google.", "gcm.notification."].contains { member.key.hasPrefix($0) }
            if isReserved { return "data.\(member.key) is reserved" }
        }
        guard ["HIGH", "NORMAL", nil].contains(message["android"]?["priority"]?.stringValue) else {
            return "android.priority is neither HIGH nor NORMAL"
        }
        if let life = message["android"]?["ttl"]?.stringValue, !life.hasSuffix("s") || Int(life.dropLast()) == nil {
            return "android.ttl is no duration"
        }
        for field in message["apns"]?["headers"]?.objectValue ?? [] where field.value.stringValue == nil {
            return "apns.headers.\(field.key) is no string"
        }
        return message.text.utf8.count > 8192 ? "the message is too big" : nil
    }

    private mutating func refuse(_ status: Int, _ word: String, _ code: String?, _ text: String) -> HTTPServerAnswer {
        refused += 1
        let type = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
        let detail = code.map { JSON.object(["@type": .string(type), "errorCode": .string($0)]) }
        let error = JSON.object([
            "code": .integer(Int64(status)), "message": .string(text), "status": .string(word),
            "details": detail.map { .array([$0]) },
        ])
        return HTTPServerAnswer(status, json: JSON.object(["error": error]).text)
    }

    static func take(_ fault: inout FCMFaults.Answer?) -> FCMFaults.Answer? {
        guard var answer = fault else { return nil }
        answer.count -= 1
        fault = answer.count > 0 ? answer : nil
        return answer
    }

    static func fields(_ fault: FCMFaults.Answer) -> [HTTPServerRequest.Field] {
        fault.retryAfter.map { [HTTPServerRequest.Field("Retry-After", String($0))] } ?? []
    }

    private static func status(_ status: Int) -> String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 429: "RESOURCE_EXHAUSTED"
        case 503: "UNAVAILABLE"
        default: "INTERNAL"
        }
    }
}
