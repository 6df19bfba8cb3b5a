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
        guard wire.exchange == nil, let next = queue.first(where: \.isAlarm) ?? queue.first else { return }
        begin(next.id, record.number(of: next.id), at: now, into: &actions)
    }

    /// A link test has no number.
    mutating func poll(at now: Moment, into actions: inout [TransportAction]) {
        begin(nil, 0, at: now, into: &actions)
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
            guard let answer = try wire?.reader.next() else {
                // Nobody asked, so there is nothing to wait for.
                if wire?.exchange == nil { giveUp(ReceiverProblem.unasked, at: now, into: &actions) }
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
            wire?.exchange?.phase = .decrypting(job)
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
        case .decrypting(let wanted) where wanted == job:
            // Without the key nobody makes an answer that ends with a time.
            guard case .bytes(let bytes) = answer, Self.isContent(bytes) else {
                return giveUp(ReceiverProblem.notEncrypted, at: now, into: &actions)
            }
            accepted(exchange, at: now, into: &actions)
        case .encrypting, .decrypting: break
        }
    }

    /// `…]…_HH:MM:SS,MM-DD-YYYY`
    private static func isContent(_ bytes: [UInt8]) -> Bool {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "]")), let mark = bytes.lastIndex(of: UInt8(ascii: "_")) else {
            return false
        }
        return mark > end && ReceiverFrame.time(String(decoding: bytes[(mark + 1)...], as: UTF8.self)) != nil
    }

    private mutating func accepted(_ exchange: Exchange, at now: Moment, into actions: inout [TransportAction]) {
        if let id = exchange.message {
            queue.removeAll { $0.id == id }
            lastAccepted = now.wall
            attempts.succeeded()
            actions.append(.accepted(id, canonical: nil))
        }
        finish(at: now, into: &actions)
    }

    /// The same would not be understood the next time either; that it understands no polls is no harm: it is there.
    private mutating func notUnderstood(_ exchange: Exchange, at now: Moment, into actions: inout [TransportAction]) {
        if let id = exchange.message, let report = queue.first(where: { $0.id == id })?.report {
            queue.removeAll { $0.id == id }
            let why = "the receiver does not understand '\(report.text)'; ask the station whether it takes Contact ID"
            actions.append(.refused(id, Refusal(.giveUp, why: why)))
        }
        finish(at: now, into: &actions)
    }

    /// The receiver takes the message at its own time alone, which then holds for all messages to it.
    private mutating func retime(
        _ answer: ReceiverAnswer, _ exchange: Exchange, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let time = answer.time, !exchange.isRetimed else {
            return giveUp(ReceiverProblem.wrongTime, at: now, into: &actions)
        }
        let offset = Duration.milliseconds(time.milliseconds - now.wall.milliseconds)
        guard (Duration.zero - Self.greatestOffset...Self.greatestOffset).contains(offset) else {
            return giveUp(ReceiverProblem.farTime, at: now, into: &actions)
        }
        self.offset = offset
        wire?.exchange?.isRetimed = true
        say(at: now, into: &actions)
    }

    private mutating func finish(at now: Moment, into actions: inout [TransportAction]) {
        wire?.exchange = nil
        exchanges += 1
        nextPoll = now.boot + settings.pollInterval
        told.tell(nil, into: &actions)
        if !isGood {
            isGood = true
            actions.append(
                .log(LogEntry(.notice, "the receiver answers", [LogEntry.Field("receiver", settings.place)])))
            actions.append(.ready)
        }
        work(at: now, into: &actions)
    }
}
