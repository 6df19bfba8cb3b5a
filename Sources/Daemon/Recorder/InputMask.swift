import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// Makes of what a run hears what its recording may hold: every secret replaced by its placeholder
/// (`SecretPlaceholders`).
///
/// Replaced are all values that the code holds as `Secret`; what they are made of wherever else it occurs; what stands
/// where secrets stand on the wire (`StreamMask`); the hash and the salt of the console's PIN; proofs and signatures
/// of logins; paths of URLs; tokens and topics of phones; mail addresses, telephone numbers but for their last four digits,
/// names of logins of six characters or more. Text messages that come in lose their words, but for "ok". What the box itself makes by chance (`random`) and the
/// names of people are not secrets here.
struct InputMask {
    let placeholders: SecretPlaceholders
    let known = KnownSecrets()
    private var streams: [ConnectionID: StreamMask] = [:]
    /// Computations whose answer is a secret.
    private var secretAnswers: Set<ComputeID> = []

    init(placeholders: SecretPlaceholders) { self.placeholders = placeholders }

    /// - Parameter keepsDigits: digits typed at the box stay as they are. The core made them itself for one pairing and
    ///   has to know them again; they are worth nothing once they were typed.
    mutating func masked(_ input: Input, keepsDigits: Bool) throws(JSONError) -> Input {
        switch input {
        case .received(let connection, let bytes):
            return .received(connection, streams[connection, default: StreamMask()].masked(bytes, known, placeholders))
        case .closed(let connection, _):
            streams[connection] = nil
            return input
        case .computed(let id, let answer):
            let isSecret = secretAnswers.remove(id) != nil
            return .computed(id, masked(answer, isSecret: isSecret))
        case .request(_, .phones(.confirm)) where keepsDigits: return input
        case .resolved, .connected, .secured, .sent, .accepted, .timer, .committed, .links, .signal: return input
        case .modem(let fact): return try coded(Input.modem(fact.withoutWords)).decoding(Input.self)
        case .started, .found, .request, .badRequest, .commitFailed, .rows, .vault, .located, .derived, .reload:
            return try coded(input).decoding(Input.self)
        }
    }

    /// What was ordered says what the answers will be; what is a secret in it is met here before it comes back.
    mutating func note(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .compute(let id, .signRS256), .compute(let id, .hmacSHA256), .compute(let id, .channelBinding),
                .compute(let id, .signPush):
                secretAnswers.insert(id)
            case .close(let connection): streams[connection] = nil
            default: break
            }
        }
    }

    private func masked(_ answer: TransportAnswer, isSecret: Bool) -> TransportAnswer {
        switch answer {
        case .bytes(let bytes): isSecret ? .bytes(placeholders.bytes(bytes)) : answer
        case .scram(let proof, let signature): .scram(proof: placeholders.bytes(proof), serverSignature: signature)
        case .capabilities(let made):
            .capabilities(made.map { MadeCapability(bytes: placeholders.bytes($0.bytes), stored: $0.stored) })
        case .failed: answer
        }
    }

    /// The form of a value that is written, with placeholders.
    func coded(_ value: some Encodable) throws(JSONError) -> JSON {
        let known = known
        let placeholders = placeholders
        let json = try JSON.encoding(
            value,
            placeholder: SecretPlaceholder { secret in
                known.learn(secret)
                return placeholders.text(secret)
            })
        learn(json)
        return replaced(json)
    }

    /// Whether an order is another one only where secrets are. A topic that the box has made in this run is in both as
    /// it is: what is random is not replaced.
    func isSame(_ real: Effect, _ own: Effect) -> Bool {
        let placeholders = placeholders
        guard let one = try? JSON.encoding(real, placeholder: SecretPlaceholder { placeholders.text($0) }),
            let other = try? JSON.encoding(own, placeholder: SecretPlaceholder { $0 })
        else { return false }
        learn(one, topics: false)
        return replaced(one) == replaced(other)
    }

    // MARK: What is no `Secret` in the code and must not be recorded either

    private func learn(_ json: JSON, topics: Bool = true) {
        switch json {
        case .object(let members):
            if let token = json["token"]?.stringValue { known.learn(token) }
            if json["host"] != nil, let target = json["target"]?.stringValue { known.learn(target) }
            if let value = json["value"]?.stringValue, let kind = json["kind"] {
                learnAddress(value, kind, topics: topics)
            }
            if topics, let from = json["commandsFrom"]?.stringValue { learnAddress(from, .string("topic")) }
            for member in members {
                // Of orders nothing is learnt: their logs name strangers, who are masked on the wire in another way.
                if topics { learnDetail(member) }
                learn(member.value, topics: topics)
            }
        case .array(let items): for item in items { learn(item, topics: topics) }
        case .null, .bool, .integer, .number, .string: break
        }
    }

    /// Names of members that tell who lives here, or where a login belongs.
    private func learnDetail(_ member: JSON.Member) {
        let texts = member.value.stringValue.map { [$0] } ?? (member.value.arrayValue ?? []).compactMap(\.stringValue)
        switch member.key {
        case "number", "numbers":
            // Other numbers, such as those of phones, have no sign in front.
            for text in texts where text.hasPrefix("+") || text.hasPrefix("0") {
                known.learn(String(text.dropLast(4)), isNumber: true)
            }
        case "to", "from", "recipient", "recipients", "contact", "clientEmail":
            for text in texts where text.includes("@") {
                known.learn(text.hasPrefix(Self.mailto) ? String(text.dropFirst(Self.mailto.count)) : text)
            }
        case "privateKeyID": for text in texts { known.learn(text) }
        // The box's own name begins the topics of its broker, too.
        case "user": for text in texts where text.lowercased() != "howalarming" { known.learn(text) }
        default: break
        }
    }

    private static let mailto = "mailto:"

    /// Numbers are those of `AddressKind`.
    private func learnAddress(_ value: String, _ kind: JSON, topics: Bool = true) {
        switch kind {
        case .integer(2), .integer(3): known.learn(value)
        case .integer(6): learnSubscription(value)
        case .string("mail"): known.learn(value)
        case .integer(1), .string("topic"):
            if topics, let slash = value.lastIndex(of: "/") { known.learn(String(value[value.index(after: slash)...])) }
        default: break
        }
    }

    /// Its parts, so that what is recorded can be read as one again: of 16 secret bytes 15, because the last characters
    /// of such a text have bits that belong to no byte.
    private func learnSubscription(_ text: String) {
        guard let json = try? JSON(parsing: Array(text.utf8)) else { return known.learn(text) }
        if let endpoint = json["endpoint"]?.stringValue, let url = try? HTTPURL(endpoint) { known.learn(url.target) }
        if let secret = json["auth"]?.stringValue { known.learn(String(secret.prefix(20))) }
    }

    private func replaced(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            let isPIN = json["logN"] != nil
            // Lists name an original app by the beginning of its token.
            let isLegacy = json["level"] == .string("legacy")
            if json["verb"] == .string("addr") { return newAddress(members) }
            return .object(
                members.map { member in
                    if isLegacy, member.key == "id" { return JSON.Member(key: "id", value: .string("legacy")) }
                    let isKey = isPIN && (member.key == "hash" || member.key == "salt")
                    return JSON.Member(key: member.key, value: isKey ? key(member.value) : replaced(member.value))
                })
        case .array(let items): return .array(items.map(replaced))
        case .string(let text): return .string(known.replaced(in: text, by: placeholders))
        case .null, .bool, .integer, .number: return json
        }
    }

    /// A phone tells an address that it has now (docs/pairing.md 7): as Base64url under `v`, its kind under `k`.
    private func newAddress(_ members: [JSON.Member]) -> JSON {
        .object(
            members.map { member in
                guard member.key == "arguments", let pairs = member.value["pairs"]?.arrayValue else { return member }
                let replaced = pairs.map { pair -> JSON in
                    guard pair["key"] == .string("v"), let text = pair["value"]?.stringValue,
                        let bytes = try? Base64URL.decode(text)
                    else { return pair }
                    let kind = pairs.first { $0["key"] == .string("k") }?["value"]?.stringValue.flatMap { Int64($0) }
                    let value = String(decoding: bytes, as: UTF8.self)
                    learnAddress(value, .integer(kind ?? 2))
                    let placeholder = Base64URL.encode(Array(known.replaced(in: value, by: placeholders).utf8))
                    return .object(["key": .string("v"), "value": .string(placeholder)])
                }
                return JSON.Member(key: member.key, value: .object(["pairs": .array(replaced)]))
            })
    }

    private func key(_ json: JSON) -> JSON {
        guard let items = json.arrayValue else { return json }
        let bytes = items.compactMap { $0.integerValue.flatMap { UInt8(exactly: $0) } }
        return .array(placeholders.bytes(bytes).map { .integer(Int64($0)) })
    }
}
