import AlarmModel
import Companion
import PhoneProtocol

/// A box that only answers: a journal, the real vault, the words of the reference.
struct ModelBox {
    struct Row: Equatable {
        var raw: String
        var mark: String?
        var timestamp: Int64
        var state: String
    }

    var vault: KeyVault<SeededCrypto>
    var phone = PhoneID(0)
    var log: UInt32 = 0x10
    /// Number 1 first.
    var journal: [Row] = []
    var oldestKept: Int64 = 1
    var boot: Int64 = 3
    var up: Int64 = 100
    /// Its card has not taken the count of this start.
    var isStartUnstored = false
    var now: Int64 = 1_795_228_190
    var counter: Int64 = 0
    var state = "a=d;r=1;al=0;t=0;z=;x="
    /// Sent before they could be stored.
    var unstored: [Row] = []
    var commands: [(PhoneCommand, CommandVerdict)] = []
    var receipts: [String] = []
    /// The highest position that a ping told.
    var confirmedUpTo: Int64 = 0
    var tellsOldestInBatches = true
    /// Promised with each status.
    var interval: Int64?
    /// What `list` is answered with, two rows on each page.
    var lists: [String: [JSON]] = [:]
    /// Told with the answer to a ping.
    var standing: [JSON.Member] = []

    init(seed: UInt64) { vault = KeyVault(crypto: SeededCrypto(seed: seed)) }

    var logText: String {
        let digits = String(log, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
    var newest: Int64 { Int64(journal.count) }

    mutating func seal(_ kind: BoxMessage.Kind, rid: [UInt8]? = nil, _ content: JSON, challenge: Bool = false)
        -> [UInt8]
    {
        let answer = vault.carryOut(
            .seal(phone, BoxMessage(kind, rid: rid, content: content), challengeUntil: challenge ? 4000 : nil))
        guard case .sealed(let bytes) = answer else { return [] }
        return bytes
    }

    func content(_ row: Row, seq: Int64?, isRepeat: Bool = false) -> JSON {
        .object([
            "code": "601", "raw": .string(row.raw), "type": "alarm", "message": "alarm. zone = 1",
            "timestamp": .string("\(row.timestamp)"), "v": "2", "log": .string(logText),
            "seq": seq.map { .string("\($0)") }, "part": "1", "st": isRepeat ? nil : .string(row.state),
            "u": row.mark.map { .string($0) }, "rp": isRepeat ? "1" : nil,
        ])
    }

    mutating func store(_ row: Row) -> [UInt8] {
        journal.append(row)
        state = row.state
        return seal(.event, content(row, seq: newest))
    }

    mutating func sendUnstored(_ row: Row) -> [UInt8] {
        unstored.append(row)
        return seal(.event, content(row, seq: nil))
    }

    func statusContent(truncated: Bool = false) -> JSON {
        .object([
            "log": .string(logText), "seq": .string("\(newest)"),
            "st": state.isEmpty ? nil : .string(state), "now": .string("\(now)"),
            "boot": .string("\(boot)"), "up": .string("\(up)"), "ctr": .string("\(counter)"),
            "trunc": truncated ? "1" : nil, "from": truncated ? .string("\(oldestKept)") : nil,
            "unstored": isStartUnstored ? "1" : nil, "hb": interval.map { .string("\($0)") },
        ])
    }

    mutating func heartbeat() -> [UInt8] { seal(.status, statusContent()) }

    mutating func renewLog(keeping rows: [Row] = []) {
        log += 1
        journal = rows
        oldestKept = 1
    }

    mutating func result(_ counter: UInt64, _ out: String, why: String? = nil, challenge: Bool = false) -> [UInt8] {
        seal(
            .result,
            .object(["ctr": .string("\(counter)"), "out": .string(out), "why": why.map { .string($0) }]),
            challenge: challenge)
    }

    /// What a phone asks, without an answer.
    func opened(_ envelope: [UInt8]) -> PhoneRequest? {
        var vault = vault
        guard case .opened(_, .request(let request), _) = vault.carryOut(.open(envelope)) else { return nil }
        return request
    }

    /// What goes back for what a phone sent. Commands are only noted.
    mutating func heard(_ envelope: [UInt8]) -> [[UInt8]] {
        guard case .opened(let from, let message, let verdict) = vault.carryOut(.open(envelope)), from == phone else {
            return []
        }
        switch message {
        case .command(let command):
            if let verdict { commands.append((command, verdict)) }
            return []
        case .request(let request): return answer(request)
        }
    }

    private mutating func answer(_ request: PhoneRequest) -> [[UInt8]] {
        let arguments = request.arguments
        switch request.verb {
        case "ping":
            if arguments["log"] == logText, let held = arguments["seq"].flatMap({ Int64($0) }), held <= newest {
                confirmedUpTo = max(confirmedUpTo, held)
            }
            guard arguments["log"] == logText, let held = arguments["seq"].flatMap({ Int64($0) }),
                held >= oldestKept - 1,
                newest - held <= 20
            else { return [seal(.status, rid: request.rid, statusContent(truncated: true), challenge: true)] }
            var answers = (held..<max(held, newest)).map { index in
                seal(.event, content(journal[Int(index)], seq: index + 1, isRepeat: true))
            }
            answers.append(
                seal(
                    .status, rid: request.rid, .object((statusContent().objectValue ?? []) + standing), challenge: true)
            )
            return answers
        case "snapshot": return [seal(.status, rid: request.rid, statusContent(truncated: true))]
        case "sync":
            guard arguments["log"] == logText, let from = arguments["from"].flatMap({ Int64($0) }),
                let most = arguments["max"].flatMap({ Int64($0) }), (1...20).contains(most)
            else { return [] }
            let first = max(from, oldestKept)
            let last = min(from + most - 1, newest)
            guard first <= last else { return [batch([], rid: request.rid)] }
            return stride(from: first, through: last, by: 3).map { start in
                batch(Array(start...min(start + 2, last)), rid: request.rid)
            }
        case "list":
            guard let what = arguments["what"], let from = arguments["from"].flatMap({ Int($0) }) else { return [] }
            let all = lists[what] ?? []
            let end = min(from + 2, all.count)
            return [
                seal(
                    .list, rid: request.rid,
                    .object([
                        "what": .string(what), "from": .string("\(from)"), "name": "Home",
                        "rows": .string(JSON.array(Array(all[from..<end])).text),
                        "more": end < all.count ? .string("\(end)") : nil, "why": lists[what] == nil ? "role" : nil,
                    ]))
            ]
        case "got":
            receipts.append(arguments.description)
            return []
        default: return []
        }
    }

    private mutating func batch(_ numbers: [Int64], rid: [UInt8]) -> [UInt8] {
        let rows = numbers.map { content(journal[Int($0) - 1], seq: $0, isRepeat: true) }
        return seal(
            .batch, rid: rid,
            .object([
                "b": .string(JSON.array(rows).text), "log": .string(logText),
                "from": tellsOldestInBatches ? .string("\(oldestKept)") : nil,
            ]))
    }
}

extension JSON: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
}
