import AlarmModel
import AppCore
import Companion
import PhoneProtocol
import Platform
import PortableCrypto
import Synchronization
import Testing

/// A page with the app's core, as the browser has it: what is stored, what is on its way, keys that sign.
///
/// With `HOWALARMING_APP_TRACE=DIR` each life is written there, call by call, for tools/lib/core-replay.
struct AppPage {
    var core: AppCore<PortableCrypto>
    var time: PhoneTime
    var secrets = ""
    var memory = ""
    /// By key, as IndexedDB has them.
    var rows: [String: JSON] = [:]
    var next: Int64?
    var actions: [JSON] = []
    let key1: OpenSSLSigner
    let key2: OpenSSLSigner
    /// False: it lets signatures wait until `signAll`.
    var signsAtOnce = true
    var unsigned: [JSON] = []
    private let chance: Chance
    private(set) var trace: [JSON] = []

    init(seed: UInt64, at time: PhoneTime) throws {
        self.time = time
        chance = Chance(seed: seed)
        key1 = try #require(OpenSSLSigner.generateP256())
        key2 = try #require(OpenSSLSigner.generateP256())
        core = Self.core(chance)
    }

    private static func core(_ chance: Chance) -> AppCore<PortableCrypto> {
        AppCore(crypto: PortableCrypto { chance.bytes($0) })
    }

    struct Refused: Error {
        let text: String
    }

    /// Does a call and what its actions want, as the page does.
    @discardableResult
    mutating func call(_ verb: String, _ members: KeyValuePairs<String, JSON?> = [:]) throws -> JSON {
        let answer = try bare(verb, members)
        guard let told = answer["actions"]?.arrayValue else { return answer }
        next = answer["next"]?.integerValue
        for action in told {
            actions.append(action)
            switch action["a"]?.stringValue {
            case "store":
                memory = try #require(action["memory"]?.stringValue)
                for row in action["rows"]?.arrayValue ?? [] {
                    let key = try #require(row["key"]?.stringValue)
                    #expect(rows[key] == nil, "a row is stored once")
                    rows[key] = row
                }
            case "sign": unsigned.append(action)
            default: break
            }
        }
        if signsAtOnce { try signAll() }
        return answer
    }

    mutating func signAll() throws {
        let waiting = unsigned
        unsigned = []
        for action in waiting {
            let bytes = try Base64URL.decode(try #require(action["bytes"]?.stringValue))
            let key = action["key"]?.integerValue == 2 ? key2 : key1
            #expect(action["algorithm"] == .integer(2))
            let signature = try #require(key.sign(bytes))
            try call("signed", ["id": action["id"], "signature": .string(Base64URL.encode(signature))])
        }
    }

    private mutating func bare(_ verb: String, _ members: KeyValuePairs<String, JSON?>) throws -> JSON {
        var input: [JSON.Member] = [
            .init(key: "do", value: .string(verb)), .init(key: "wall", value: .integer(time.wall)),
            .init(key: "up", value: .integer(time.uptime)),
        ]
        for (key, value) in members { if let value { input.append(.init(key: key, value: value)) } }
        let text = JSON.object(input).text
        let answer = core.call(Array(text.utf8))
        if AppTrace.isWanted {
            trace.append(
                .object([
                    "call": .string(text), "random": .array(chance.taken().map { .string(Hex.encode($0)) }),
                    "digest": .string(Hex.encode(OpenSSLCrypto().sha256(answer))),
                ]))
        }
        let json = try JSON(parsing: answer, limits: JSON.Limits(depth: 16, bytes: 1 << 24))
        if let error = json["error"]?.stringValue { throw Refused(text: error) }
        return json
    }

    /// The page is loaded anew: a new instance with what was stored.
    mutating func reload() throws {
        core = Self.core(chance)
        unsigned = []
        if AppTrace.isWanted { trace.append(.object(["new": true])) }
        try call(
            "open",
            [
                "secrets": .string(secrets), "memory": .string(memory),
                "rows": .array(rows.values.sorted { $0.text < $1.text }),
            ])
    }

    func view() throws -> JSON {
        var page = self
        return try page.bare("view", [:])
    }

    /// The wanted envelopes, taken out of the actions.
    mutating func sent() -> [[UInt8]] {
        let texts = actions.compactMap { $0["e"]?.stringValue }
        actions = []
        return texts.compactMap { try? Base64URL.decode($0) }
    }

    mutating func received(_ bytes: [UInt8]) throws {
        try call("received", ["e": .string(Base64URL.encode(bytes))])
    }
}

/// Random bytes out of a seed, in one row for all copies of a crypto, and a note of them.
final class Chance: Sendable {
    private let state: Mutex<(generator: Jitter, taken: [[UInt8]])>

    init(seed: UInt64) { state = Mutex((Jitter(seed: seed), [])) }

    func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &state.generator) }
            if AppTrace.isWanted { state.taken.append(bytes) }
            return bytes
        }
    }

    func taken() -> [[UInt8]] {
        state.withLock { state in
            defer { state.taken = [] }
            return state.taken
        }
    }
}

extension JSON: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}
