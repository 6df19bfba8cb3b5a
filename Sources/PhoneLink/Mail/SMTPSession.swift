import AlarmModel

/// Our half of a conversation with a mail server (RFC 5321, 3207, 4954): greeting, encryption, login, then message
/// after message. One command at a time; whoever drives it measures how long an answer takes.
package struct SMTPSession: Codable, Equatable, Sendable {
    enum Step: Codable, Equatable, Sendable {
        case greeting, hello, startTLS, securing
        case plainLogin, loginUser, loginPassword, loginEnd
        case idle
        case mail, recipient, data, body
        case reset, over
    }

    let settings: MailSettings
    var step = Step.greeting
    var isEncrypted: Bool
    private var reader = SMTPReplyReader()
    /// In capitals, as EHLO named them.
    var extensions: [String] = []
    var message: MailMessage?

    package init(settings: MailSettings) {
        self.settings = settings
        isEncrypted = settings.security == .tls
    }

    /// A message can be sent.
    package var isIdle: Bool { step == .idle }
    /// Greeting, encryption and login are done.
    package var isSetUp: Bool {
        switch step {
        case .greeting, .hello, .startTLS, .securing, .plainLogin, .loginUser, .loginPassword, .loginEnd: false
        case .idle, .mail, .recipient, .data, .body, .reset, .over: true
        }
    }
    /// The message is out and its answer awaited.
    package var isAwaitingVerdict: Bool { step == .body }

    package mutating func append(_ bytes: [UInt8]) {
        if step != .over { reader.append(bytes) }
    }

    /// Deals with one reply of what came; what it orders is to be carried out before the next.
    ///
    /// - Returns: false when there was none
    package mutating func takeNext(into actions: inout [SMTPAction]) -> Bool {
        guard step != .over else { return false }
        guard step != .securing else {
            if reader.hasRest { fail(.injected, &actions) }
            return false
        }
        do throws(SMTPReplyReader.Failure) {
            guard let reply = try reader.next() else { return false }
            take(reply, into: &actions)
            return true
        } catch {
            fail(.malformed(error), &actions)
            return false
        }
    }

    /// Answer to `upgrade`: what was said before counts no more (RFC 3207 4.2).
    package mutating func secured(into actions: inout [SMTPAction]) {
        guard step == .securing else { return }
        isEncrypted = true
        reader = SMTPReplyReader()
        extensions = []
        hello(&actions)
    }

    /// Sends a message; `delivered`, `refused` or `failed` follows. Only while it is idle.
    package mutating func send(_ message: MailMessage, into actions: inout [SMTPAction]) {
        precondition(isIdle, "a mail session sends one message after the other")
        self.message = message
        let size = has("SIZE") ? " SIZE=\(message.bytes.count)" : ""
        say("MAIL FROM:<\(message.from)>\(size)", .mail, &actions)
    }

    package mutating func quit(into actions: inout [SMTPAction]) {
        guard step != .over else { return }
        if isIdle { actions.append(.send(Array("QUIT\r\n".utf8))) }
        step = .over
    }

    private mutating func take(_ reply: SMTPReply, into actions: inout [SMTPAction]) {
        if reply.code == 421 { return fail(.closing(words(reply)), &actions) }
        switch step {
        case .greeting:
            if reply.code == 220 { return hello(&actions) }
            fail(reply.isTransient ? .closing(words(reply)) : .refusesUs(words(reply)), &actions)
        case .hello: greeted(reply, &actions)
        case .startTLS:
            guard reply.code == 220 else {
                return fail(reply.isTransient ? .closing(words(reply)) : .noEncryption, &actions)
            }
            guard !reader.hasRest else { return fail(.injected, &actions) }
            step = .securing
            actions.append(.upgrade)
        case .plainLogin, .loginUser, .loginPassword, .loginEnd: loginAnswered(reply, &actions)
        case .mail, .recipient, .data, .body: messageAnswered(reply, &actions)
        case .reset:
            guard reply.isPositive else { return unexpected("RSET", reply, &actions) }
            step = .idle
            actions.append(.ready)
        case .idle: unexpected("nothing", reply, &actions)
        case .securing, .over: break
        }
    }

    private mutating func hello(_ actions: inout [SMTPAction]) {
        say("EHLO \(settings.helloName)", .hello, &actions)
    }

    private mutating func greeted(_ reply: SMTPReply, _ actions: inout [SMTPAction]) {
        guard reply.isPositive else {
            return fail(reply.isTransient ? .closing(words(reply)) : .refusesUs(words(reply)), &actions)
        }
        extensions = reply.lines.dropFirst().map { $0.uppercased() }
        if settings.security == .startTLS, !isEncrypted {
            guard has("STARTTLS") else { return fail(.noEncryption, &actions) }
            return say("STARTTLS", .startTLS, &actions)
        }
        if settings.user != nil { return logIn(&actions) }
        step = .idle
        actions.append(.ready)
    }

    func has(_ name: String) -> Bool { extensions.contains { $0.split(separator: " ").first.map(String.init) == name } }

    mutating func say(_ line: String, _ next: Step, _ actions: inout [SMTPAction]) {
        step = next
        actions.append(.send(Array((line + "\r\n").utf8)))
    }

    mutating func fail(_ failure: SMTPFailure, _ actions: inout [SMTPAction]) {
        step = .over
        actions.append(.failed(failure))
    }

    mutating func unexpected(_ asked: String, _ reply: SMTPReply, _ actions: inout [SMTPAction]) {
        fail(.unexpected(asked: asked, words(reply)), &actions)
    }

    /// What the server says, without our secrets should it repeat them.
    func words(_ reply: SMTPReply) -> String {
        PeerText.printable("\(reply.code) " + reply.lines.joined(separator: " "), hiding: secrets)
    }
}
