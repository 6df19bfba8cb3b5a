package import AlarmModel
package import PhoneProtocol

/// One message, or one poll, and its answer.
extension ReceiverTransport {
    /// Begins with the next message, alarms first, or makes the connection for it.
    mutating func work(at now: Moment, into actions: inout [TransportAction]) {
        guard let wire else {
            if attempts.phase == .idle, !queue.isEmpty { connect(at: now, into: &actions) }
            return
        }
        if wire.exchange != nil { return overtakePoll(at: now, into: &actions) }
        guard let next = queue.first(where: \.isAlarm) ?? queue.first else { return }
        begin(next.id, number(of: next.id), at: now, into: &actions)
    }

    /// A link test has no number.
    mutating func poll(at now: Moment, into actions: inout [TransportAction]) {
        begin(nil, 0, at: now, into: &actions)
    }

    /// Sends the message that waits behind a poll whose grace is over; the answer to the poll is passed over.
    mutating func overtakePoll(at now: Moment, into actions: inout [TransportAction]) {
        guard let exchange = wire?.exchange, exchange.message == nil, exchange.phase == .sent, !queue.isEmpty,
            now.boot >= exchange.since + Self.pollGrace
        else { return }
        pollTrouble = pollTrouble ?? .unanswered
        wire?.exchange = nil
        wire?.overtakenPolls += 1
        work(at: now, into: &actions)
    }

    private mutating func begin(
        _ message: MessageID?, _ sequence: Int, at now: Moment, into actions: inout [TransportAction]
    ) {
        wire?.exchange = Exchange(message: message, sequence: sequence, phase: .sent, since: now.boot)
        say(at: now, into: &actions)
    }

    /// Says what the exchange is about, at the time of now.
    private mutating func say(at now: Moment, into actions: inout [TransportAction]) {
        guard let exchange = wire?.exchange else { return }
        let content = content(of: exchange, at: now)
        guard let key = settings.key else { return send(head(exchange) + content, at: now, into: &actions) }
        let job = TransportJobID(nextJob)
        nextJob += 1
        wire?.exchange?.phase = .encrypting(job)
        wire?.exchange?.since = now.boot
        // What is before the content when it is encrypted ends with a bar; an empty content has none.
        let text = exchange.message == nil ? content : "|" + content
        actions.append(.compute(job, .sealReport(key: key, text: text)))
    }

    private mutating func send(_ message: String, at now: Moment, into actions: inout [TransportAction]) {
        guard let id = wire?.id else { return }
        wire?.exchange?.phase = .sent
        wire?.exchange?.since = now.boot
        actions.append(.send(id, ReceiverFrame.bytes(message)))
    }

    private func head(_ exchange: Exchange) -> String {
        let word = (settings.key == nil ? "" : "*") + (exchange.message == nil ? "NULL" : "ADM-CID")
        let receiver = String(settings.receiver, radix: 16, uppercase: true)
        let line = String(settings.line, radix: 16, uppercase: true)
        return "\"\(word)\"\(exchange.sequence.padded(4))R\(receiver)L\(line)#\(settings.account)["
    }

    /// Behind the bracket. A message that was late says when it happened.
    private func content(of exchange: Exchange, at now: Moment) -> String {
        let time = "_" + ReceiverFrame.time(now.wall + offset)
        guard let id = exchange.message, let waiting = queue.first(where: { $0.id == id }) else { return "]" + time }
        let isLate = waiting.time.map { $0 + Self.lateAfter < now.wall } ?? false
        let happened = isLate ? waiting.time.map { "[H\(ReceiverFrame.time($0 + offset))]" } ?? "" : ""
        return "#\(settings.account)|\(waiting.report.text)]\(happened)\(time)"
    }

    /// The time of a message is that at which it is sent.
    private static let lateAfter = Duration.seconds(30)

    // MARK: Answers

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        guard wire?.id == connection else { return }
        wire?.reader.append(bytes)
        do throws(ReceiverReader.Failure) {
            var next = try wire?.reader.next()
            while let answer = next, isOfOvertakenPoll(answer) {
                wire?.overtakenPolls -= 1
                // If it was the message's after all, the next attempt has the right time.
                if answer.word == .wrongTime { learnTime(of: answer, at: now) }
                if wire?.reader.hasRest == false { return }
                next = try wire?.reader.next()
            }
            guard let answer = next else {
                // Nobody asked, so there is nothing to wait for.
                if wire?.exchange == nil, wire?.overtakenPolls == 0 {
                    giveUp(ReceiverProblem.unasked, at: now, into: &actions)
                }
                return
            }
            guard let exchange = wire?.exchange, exchange.phase == .sent, wire?.reader.hasRest == false else {
                return giveUp(ReceiverProblem.unasked, at: now, into: &actions)
            }
            take(answer, to: exchange, at: now, into: &actions)
        } catch {
            giveUp(ReceiverProblem.malformed(error), at: now, into: &actions)
        }
    }

    /// A poll has no number, and an answer about the time never has one.
    private func isOfOvertakenPoll(_ answer: ReceiverAnswer) -> Bool {
        guard let wire, wire.overtakenPolls > 0, answer.sequence == 0 else { return false }
        return wire.exchange.map { $0.message != nil } ?? true
    }

    private mutating func take(
        _ answer: ReceiverAnswer, to exchange: Exchange, at now: Moment, into actions: inout [TransportAction]
    ) {
        switch answer.word {
        case .wrongTime: retime(answer, exchange, at: now, into: &actions)
        case .notUnderstood:
            guard isAbout(exchange, answer) else { return giveUp(ReceiverProblem.wrongEcho, at: now, into: &actions) }
            notUnderstood(exchange, at: now, into: &actions)
        case .accepted:
            guard isAbout(exchange, answer) else { return giveUp(ReceiverProblem.wrongEcho, at: now, into: &actions) }
            guard let key = settings.key else { return accepted(exchange, at: now, into: &actions) }
            guard answer.isEncrypted, let bytes = try? Hex.decode(answer.content), bytes.count >= 16,
                bytes.count.isMultiple(of: 16)
            else { return giveUp(ReceiverProblem.notEncrypted, at: now, into: &actions) }
            let job = TransportJobID(nextJob)
            nextJob += 1
            wire?.exchange?.phase = .decrypting(job, bytes)
            wire?.exchange?.since = now.boot
            actions.append(.compute(job, .openReport(key: key, bytes)))
        }
    }

    private func isAbout(_ exchange: Exchange, _ answer: ReceiverAnswer) -> Bool {
        answer.sequence == exchange.sequence && answer.receiver == UInt64(settings.receiver)
            && answer.line == UInt64(settings.line) && answer.account == UInt64(settings.account, radix: 16)
    }

    package mutating func computed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let exchange = wire?.exchange else { return }
        switch exchange.phase {
        case .sent: break
        case .encrypting(let wanted) where wanted == job:
            guard case .bytes(let bytes) = answer else {
                return giveUp(ReceiverProblem.notComputed, at: now, into: &actions)
            }
            send(head(exchange) + Hex.encode(bytes).uppercased(), at: now, into: &actions)
        case .decrypting(let wanted, let sealed) where wanted == job:
            // Without the key nobody makes an answer that ends with a time.
            guard case .bytes(let bytes) = answer, let time = Self.time(of: bytes) else {
                return giveUp(ReceiverProblem.notEncrypted, at: now, into: &actions)
            }
            guard isFresh(sealed, of: time, at: now) else {
                return giveUp(ReceiverProblem.notFresh, at: now, into: &actions)
            }
            accepted(exchange, at: now, into: &actions)
        case .encrypting, .decrypting: break
        }
    }

    /// `…]…_HH:MM:SS,MM-DD-YYYY`
    private static func time(of bytes: [UInt8]) -> WallTime? {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "]")), let mark = bytes.lastIndex(of: UInt8(ascii: "_")),
            mark > end
        else { return nil }
        return ReceiverFrame.time(String(decoding: bytes[(mark + 1)...], as: UTF8.self))
    }

    private mutating func accepted(_ exchange: Exchange, at now: Moment, into actions: inout [TransportAction]) {
        if let id = exchange.message {
            queue.removeAll { $0.id == id }
            lastAccepted = now.wall
            attempts.succeeded()
            takesWithoutPolls = pollTrouble != nil
            actions.append(.accepted(id, canonical: nil))
        } else {
            pollConfirmed()
        }
        finish(at: now, into: &actions)
    }

    private mutating func pollConfirmed() {
        pollTrouble = nil
        takesWithoutPolls = false
    }

    /// The poll was not confirmed, and the connection stands: what waits is sent on it.
    mutating func pollFailed(_ trouble: PollTrouble, at now: Moment, into actions: inout [TransportAction]) {
        pollTrouble = trouble
        wire?.exchange = nil
        lostExchanges = 0
        nextPoll = now.boot + settings.pollInterval
        told.tell(takesWithoutPolls ? problemOfPolls : ReceiverProblem.refusesPolls, into: &actions)
        becomeReady(at: now, into: &actions)
        work(at: now, into: &actions)
    }

    /// A connection whose poll is not answered may be dead. A receiver that has taken a message without answering polls is
    /// not: then the next poll or message makes another connection.
    mutating func pollUnanswered(at now: Moment, into actions: inout [TransportAction]) {
        pollTrouble = .unanswered
        guard takesWithoutPolls, let id = wire?.id else {
            return giveUp(ReceiverProblem.unanswered, at: now, into: &actions)
        }
        actions.append(.close(id))
        wire = nil
        nextPoll = now.boot + settings.pollInterval
        told.tell(problemOfPolls, into: &actions)
        rest(at: now, into: &actions)
    }

    /// Problem with the polls of a receiver that accepts messages.
    private var problemOfPolls: TransportProblem? {
        switch pollTrouble {
        case .refused: ReceiverProblem.pollsRefused
        case .unanswered: ReceiverProblem.pollsUnanswered
        case nil: nil
        }
    }

    mutating func becomeReady(at now: Moment, into actions: inout [TransportAction]) {
        guard !isGood else { return }
        isGood = true
        actions.append(.ready)
    }

    /// The same would not be understood the next time either; that it understands no polls is no harm: it is there.
    private mutating func notUnderstood(_ exchange: Exchange, at now: Moment, into actions: inout [TransportAction]) {
        if let id = exchange.message, let report = queue.first(where: { $0.id == id })?.report {
            queue.removeAll { $0.id == id }
            let why = "the receiver does not understand '\(report.text)'; ask the station whether it takes Contact ID"
            actions.append(.refused(id, Refusal(.giveUp, why: why)))
        } else {
            pollConfirmed()
        }
        finish(at: now, into: &actions)
    }

    /// The receiver takes the message at its own time alone, which then holds for all messages to it.
    private mutating func retime(
        _ answer: ReceiverAnswer, _ exchange: Exchange, at now: Moment, into actions: inout [TransportAction]
    ) {
        let isPoll = exchange.message == nil
        guard answer.time != nil, !exchange.isRetimed else {
            if isPoll { return pollFailed(.refused, at: now, into: &actions) }
            return giveUp(ReceiverProblem.wrongTime, at: now, into: &actions)
        }
        guard learnTime(of: answer, at: now) else {
            if isPoll { return pollFailed(.refused, at: now, into: &actions) }
            return giveUp(ReceiverProblem.farTime, at: now, into: &actions)
        }
        wire?.exchange?.isRetimed = true
        say(at: now, into: &actions)
    }

    /// - Returns: false if the answer has no time, or one that is too far from this box's
    @discardableResult
    private mutating func learnTime(of answer: ReceiverAnswer, at now: Moment) -> Bool {
        guard let time = answer.time else { return false }
        let offset = Duration.milliseconds(time.milliseconds - now.wall.milliseconds)
        guard (Duration.zero - Self.greatestOffset...Self.greatestOffset).contains(offset) else { return false }
        self.offset = offset
        return true
    }

    private mutating func finish(at now: Moment, into actions: inout [TransportAction]) {
        wire?.exchange = nil
        exchanges += 1
        nextPoll = now.boot + settings.pollInterval
        lostExchanges = 0
        if told.current != problemOfPolls {
            // Whatever else was wrong is over.
            told.tell(nil, into: &actions)
            told.tell(problemOfPolls, into: &actions)
        }
        if !isGood {
            actions.append(
                .log(LogEntry(.notice, "the receiver answers", [LogEntry.Field("receiver", settings.place)])))
        }
        becomeReady(at: now, into: &actions)
        work(at: now, into: &actions)
    }
}
