import AlarmModel
import PhoneProtocol

/// What beanstalkd answers.
package enum BeanstalkReply: Codable, Equatable, Sendable {
    case using(String)
    case watching
    case inserted
    /// To `put`: there was no memory to queue the job. To `bury`: done.
    case buried
    /// A job with its body; nil: it was longer than our limit and was skipped.
    case reserved(UInt64, [UInt8]?)
    case timedOut, deadlineSoon
    case deleted, released, touched, notFound, notIgnored
    /// A table of numbers.
    case table([UInt8])
    case jobTooBig, expectedLineEnd, draining
    case outOfMemory, internalError, badFormat, unknownCommand
}

/// Cuts what beanstalkd sends into replies.
package struct BeanstalkReader: Codable, Equatable, Sendable {
    package enum Failure: String, Error, Codable, Equatable, Sendable, CaseIterable, CustomStringConvertible {
        case lineTooLong = "a line without end"
        case unknown = "an answer that beanstalkd does not give"
        case tableTooLong = "a table without end"
        case badEnd = "a body that is longer than was said"
        package var description: String { rawValue }
    }

    /// The protocol's own limit is 224; names of tubes may have 200 bytes.
    package static let lineLimit = 512
    package static let tableLimit = 16 * 1024
    private var input: [UInt8] = []
    private var body: Body?
    private var failure: Failure?

    private enum Kind: Codable, Equatable, Sendable {
        case job(UInt64)
        case table
    }
    private struct Body: Codable, Equatable, Sendable {
        var kind: Kind
        /// Bytes still to come, without the line end behind them.
        var rest: Int
        var bytes: [UInt8] = []
        /// Bytes are counted, not kept.
        var isSkipped: Bool
    }

    package init() {}

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if failure == nil { input += bytes }
    }

    /// More has come than the replies that were read.
    package var hasRest: Bool { !input.isEmpty || body != nil }

    /// The next whole reply; nil: more bytes are needed. After a failure nothing is read any more.
    package mutating func next() throws(Failure) -> BeanstalkReply? {
        if let failure { throw failure }
        while true {
            if body != nil { return try finishBody() }
            guard let end = input.firstIndex(of: 0x0A) else {
                if input.count > Self.lineLimit { throw fail(.lineTooLong) }
                return nil
            }
            guard end <= Self.lineLimit else { throw fail(.lineTooLong) }
            guard end > 0, input[end - 1] == 0x0D else { throw fail(.unknown) }
            let line = String(decoding: input[..<(end - 1)], as: UTF8.self)
            input.removeFirst(end + 1)
            if let reply = try reply(line) { return reply }
        }
    }

    private mutating func finishBody() throws(Failure) -> BeanstalkReply? {
        guard var body else { return nil }
        let count = min(body.rest, input.count)
        if !body.isSkipped { body.bytes += input[..<count] }
        input.removeFirst(count)
        body.rest -= count
        self.body = body
        guard body.rest == 0, input.count >= 2 else { return nil }
        guard input[0] == 0x0D, input[1] == 0x0A else { throw fail(.badEnd) }
        input.removeFirst(2)
        self.body = nil
        switch body.kind {
        case .job(let id): return .reserved(id, body.isSkipped ? nil : body.bytes)
        case .table: return .table(body.bytes)
        }
    }

    /// nil: a body follows.
    private mutating func reply(_ line: String) throws(Failure) -> BeanstalkReply? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        switch (words[0], words.count) {
        case ("USING", 2): return .using(PeerText.printable(words[1]))
        case ("WATCHING", 2): return .watching
        case ("INSERTED", 2): return .inserted
        case ("BURIED", 1...2): return .buried
        case ("TIMED_OUT", 1): return .timedOut
        case ("DEADLINE_SOON", 1): return .deadlineSoon
        case ("DELETED", 1): return .deleted
        case ("RELEASED", 1): return .released
        case ("TOUCHED", 1): return .touched
        case ("NOT_FOUND", 1): return .notFound
        case ("NOT_IGNORED", 1): return .notIgnored
        case ("JOB_TOO_BIG", 1): return .jobTooBig
        case ("EXPECTED_CRLF", 1): return .expectedLineEnd
        case ("DRAINING", 1): return .draining
        case ("OUT_OF_MEMORY", 1): return .outOfMemory
        case ("INTERNAL_ERROR", 1): return .internalError
        case ("BAD_FORMAT", 1): return .badFormat
        case ("UNKNOWN_COMMAND", 1): return .unknownCommand
        case ("RESERVED", 3):
            guard let id = UInt64(words[1]), let size = size(words[2]) else { throw fail(.unknown) }
            body = Body(kind: .job(id), rest: size, isSkipped: size > CommandJob.sizeLimit)
            return nil
        case ("OK", 2):
            guard let size = size(words[1]) else { throw fail(.unknown) }
            guard size <= Self.tableLimit else { throw fail(.tableTooLong) }
            body = Body(kind: .table, rest: size, isSkipped: false)
            return nil
        default: throw fail(.unknown)
        }
    }

    private func size(_ text: String) -> Int? {
        guard text.utf8.count <= 10, let size = Int(text), size >= 0 else { return nil }
        return size
    }

    private mutating func fail(_ failure: Failure) -> Failure {
        self.failure = failure
        input = []
        body = nil
        return failure
    }

    /// A value of a table: lines of `key: value` (YAML without its art).
    package static func value(_ key: String, in table: [UInt8]) -> String? {
        for line in table.split(separator: 0x0A) {
            let text = String(decoding: line, as: UTF8.self)
            guard text.hasPrefix("\(key): ") else { continue }
            var value = text.dropFirst(key.count + 2)
            if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
            return PeerText.printable(String(value))
        }
        return nil
    }
}
