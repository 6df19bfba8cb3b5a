package import AlarmModel
import PhoneProtocol

/// A provider of telephone calls with two interfaces: one that runs a flow for each call, asked for with a form, and one
/// that takes lists of messages in JSON and tells of all pressed keys in one list. People press a key as they are told to.
package struct CallPeer: ChannelPeer {
    package struct Call: Sendable {
        /// As the provider names it.
        var name: String
        package var number: String
        package var words: String
        var begun: BootTime
    }

    /// From a call's beginning until its person presses a key; who is not here never does.
    package var pressAfter: [String: Duration] = [:]
    /// What requests for a call are answered, where they are as they should be.
    package var status = 201
    /// `user:password` that is let in.
    package var login: String?
    /// How often it was asked for keys.
    package private(set) var questions = 0
    /// All that were made, in order.
    package private(set) var calls: [Call] = []
    private var http = HTTPServerMachine()
    private var arrivals: [Arrival] = []

    package init() {}

    package var nextDeadline: BootTime? { nil }

    package mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        http.accepted(id)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        http.received(id, bytes)
        while let request = http.next(id, into: &actions) {
            http.answer(id, answer(request, at: now), into: &actions)
        }
    }

    package mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        http.closed(id)
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {}

    package mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        for id in http.open { http.reset(id, into: &actions) }
    }

    // MARK: Requests

    private mutating func answer(_ request: HTTPServerRequest, at now: Moment) -> HTTPServerAnswer {
        let expected = login.map { "Basic " + Base64.encode(Array($0.utf8)) }
        guard expected == nil || request.field("Authorization") == expected else { return HTTPServerAnswer(401) }
        switch (request.method, request.path) {
        case ("POST", "/flows/alarm/executions"): return beginFlow(request, at: now)
        case ("POST", "/v3/voice/send"): return beginVoice(request, at: now)
        case ("GET", "/v3/voice/receipts"):
            questions += 1
            let keys = calls.filter { isPressed($0, at: now) }.map {
                JSON.object(["message_id": .string($0.name), "digits": .string("1")])
            }
            // A key that was pressed in somebody else's call.
            let other = JSON.object(["message_id": .string("other"), "digits": .string("9")])
            return HTTPServerAnswer(200, json: JSON.object(["data": .object(["data": .array([other] + keys)])]).text)
        case ("GET", let path) where path.hasPrefix("/flows/alarm/executions/") && path.hasSuffix("/context"):
            questions += 1
            let name = path.dropFirst("/flows/alarm/executions/".utf8.count).dropLast("/context".utf8.count)
            guard let call = calls.first(where: { $0.name == name }) else { return HTTPServerAnswer(404) }
            let digits = isPressed(call, at: now) ? JSON.object(["Digits": .string("1")]) : JSON.object([:])
            let widgets = JSON.object(["widgets": .object(["ask": digits])])
            return HTTPServerAnswer(200, json: JSON.object(["sid": .string(call.name), "context": widgets]).text)
        default: return HTTPServerAnswer(404)
        }
    }

    private func isPressed(_ call: Call, at now: Moment) -> Bool {
        pressAfter[call.number].map { call.begun + $0 <= now.boot } ?? false
    }

    private mutating func begin(_ number: String, _ words: String, at now: Moment) -> String {
        arrivals.append(Arrival(address: number, text: words))
        let call = Call(name: "EX\(calls.count + 1)", number: number, words: words, begun: now.boot)
        calls.append(call)
        return call.name
    }

    /// `To=…&Parameters={"words":…}`
    private mutating func beginFlow(_ request: HTTPServerRequest, at now: Moment) -> HTTPServerAnswer {
        func value(_ name: String) -> String? { request.form.first { $0.name == name }?.value }
        guard request.field("Content-Type") == "application/x-www-form-urlencoded", let number = value("To"),
            let parameters = value("Parameters").flatMap({ try? JSON(parsing: Array($0.utf8)) }),
            let words = parameters["words"]?.stringValue
        else { return HTTPServerAnswer(400) }
        guard status == 201 else { return HTTPServerAnswer(status) }
        return HTTPServerAnswer(201, json: JSON.object(["sid": .string(begin(number, words, at: now))]).text)
    }

    /// `{"messages":[{"to":…,"body":…,"require_input":1}]}`
    private mutating func beginVoice(_ request: HTTPServerRequest, at now: Moment) -> HTTPServerAnswer {
        guard let message = (try? JSON(parsing: request.body))?["messages"]?.arrayValue?.first,
            let number = message["to"]?.stringValue, let words = message["body"]?.stringValue,
            message["require_input"]?.integerValue == 1
        else { return HTTPServerAnswer(400) }
        guard status == 201 else { return HTTPServerAnswer(status) }
        let taken = JSON.object(["message_id": .string(begin(number, words, at: now)), "status": .string("SUCCESS")])
        return HTTPServerAnswer(200, json: JSON.object(["data": .object(["messages": .array([taken])])]).text)
    }
}
