import AlarmModel
import PhoneProtocol

extension SMTPSession {
    private var password: String { settings.password?.revealed ?? "" }
    /// RFC 4616
    private var plainResponse: String { Base64.encode(Array("\0\(settings.user ?? "")\0\(password)".utf8)) }

    /// In every form in which we send them.
    var secrets: [Secret] {
        guard settings.user != nil else { return [] }
        return [Secret(plainResponse), Secret(Base64.encode(Array(password.utf8))), Secret(password)]
    }

    /// RFC 4954; on an encrypted connection only.
    mutating func logIn(_ actions: inout [SMTPAction]) {
        guard isEncrypted else { return fail(.noEncryption, &actions) }
        // `AUTH=` is how some old servers write it.
        let offered = extensions.flatMap { line -> [Substring] in
            let words = line.split { $0 == " " || $0 == "=" }
            return words.first == "AUTH" ? Array(words.dropFirst()) : []
        }
        if offered.contains("PLAIN") {
            say("AUTH PLAIN \(plainResponse)", .plainLogin, &actions)
        } else if offered.contains("LOGIN") {
            say("AUTH LOGIN", .loginUser, &actions)
        } else {
            fail(.noLogin, &actions)
        }
    }

    mutating func loginAnswered(_ reply: SMTPReply, _ actions: inout [SMTPAction]) {
        switch (step, reply.code) {
        case (.loginUser, 334):
            say(Base64.encode(Array((settings.user ?? "").utf8)), .loginPassword, &actions)
        case (.loginPassword, 334): say(Base64.encode(Array(password.utf8)), .loginEnd, &actions)
        case (.plainLogin, 235), (.loginEnd, 235):
            step = .idle
            actions.append(.ready)
        case (_, 504): fail(.noLogin, &actions)
        case (_, 500...599): fail(.wrongPassword(words(reply)), &actions)
        case (_, 400...499): fail(.loginFailed(words(reply)), &actions)
        default: unexpected("the login", reply, &actions)
        }
    }

    mutating func messageAnswered(_ reply: SMTPReply, _ actions: inout [SMTPAction]) {
        guard let message else { return unexpected("nothing", reply, &actions) }
        switch (step, reply.code) {
        case (.mail, 200...299): say("RCPT TO:<\(message.to)>", .recipient, &actions)
        case (.recipient, 200...299): say("DATA", .data, &actions)
        case (.data, 354):
            step = .body
            actions.append(.send(message.wire))
        case (.body, 200...299):
            self.message = nil
            step = .idle
            actions.append(.delivered)
            actions.append(.ready)
        case (.mail, 530), (.recipient, 530): fail(.wantsLogin(words(reply)), &actions)
        // 552 is about this message's size, everything else about the account.
        case (.mail, 500...551), (.mail, 553...599): fail(.senderRefused(words(reply)), &actions)
        case (_, 400...599): refuse(reply, &actions)
        default: unexpected("a message", reply, &actions)
        }
    }

    private mutating func refuse(_ reply: SMTPReply, _ actions: inout [SMTPAction]) {
        let refusal = refusal(for: reply)
        message = nil
        actions.append(.refused(refusal))
        if step == .body {
            step = .idle
            actions.append(.ready)
        } else {
            say("RSET", .reset, &actions)
        }
    }

    /// A mailbox that is not there ends the address; what else is said of a recipient concerns the sender, the login or
    /// somebody's rules: many servers say only here what they have against all of it, others mean this recipient alone,
    /// so that a person must look, and messages to others go on. What the server dislikes about the message ends the
    /// message; everything else passes.
    private func refusal(for reply: SMTPReply) -> Refusal {
        let why = "the mail server says: \(words(reply))"
        if reply.isTransient { return Refusal(.retry(first: settings.retryFirst, attempts: nil), why: why) }
        let isNobody: Bool
        switch reply.enhanced.map({ ($0.subject, $0.detail) }) {
        // Mailbox full, system full: a matter of time (RFC 3463 3.3, 3.4).
        case (2, 2)?, (3, 1)?: return Refusal(.retry(first: settings.retryFirst * 10, attempts: 20), why: why)
        // The sender's address (RFC 3463 3.2).
        case (1, 7)?, (1, 8)?: isNobody = false
        case (2, 1)?, (1, _)?: isNobody = true
        case (_, _)?: isNobody = false
        case nil: isNobody = [550, 551, 553].contains(reply.code)
        }
        guard step == .recipient else { return Refusal(.giveUp, why: why) }
        if isNobody { return Refusal(.dropAddress, why: why) }
        return Refusal(.hold(settings.pace.refusedWait), why: why, needsPerson: true)
    }
}
