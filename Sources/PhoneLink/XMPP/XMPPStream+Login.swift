import AlarmModel
package import PhoneProtocol

/// What a server offers for the login.
struct SASLOffer: Codable, Equatable, Sendable {
    var mechanisms: [String]
    /// The kinds of channel binding, where it tells them (XEP-0440).
    var bindings: [String]?

    init(_ features: XMLElement) {
        mechanisms = features.child("mechanisms", in: XMPPNamespace.sasl)?.children.map(\.text) ?? []
        bindings = features.child("sasl-channel-binding", in: XMPPNamespace.channelBinding)?.children.compactMap {
            $0["type"]
        }
    }

    var hasSCRAM: Bool { mechanisms.contains { $0.hasPrefix("SCRAM-SHA-1") || $0.hasPrefix("SCRAM-SHA-256") } }
    var hasBoundSCRAM: Bool { mechanisms.contains("SCRAM-SHA-256-PLUS") || mechanisms.contains("SCRAM-SHA-1-PLUS") }
    var takesExporter: Bool { bindings?.contains("tls-exporter") ?? true }
}

/// What a stream has computed elsewhere, one at a time.
package enum XMPPJob: Codable, Equatable, Sendable {
    case random(Int)
    case channelBinding
    case scram(SCRAMHash, salt: [UInt8], rounds: Int, authMessage: [UInt8])
}

extension XMPPStream {
    mutating func login(_ features: XMLElement, into actions: inout [XMPPAction]) {
        guard features.isNamed("features", in: XMPPNamespace.streams) else {
            return fail(.unexpected(features.name), into: &actions)
        }
        guard isEncrypted else { return startTLS(features, into: &actions) }
        let offer = SASLOffer(features)
        switch options.login {
        case .plainOfAddress: loginPlain(offer, user: "\(account.user)@\(account.domain)", into: &actions)
        case .strongest:
            guard offer.hasSCRAM else { return loginPlain(offer, user: account.user, into: &actions) }
            self.offer = offer
            order(options.usesChannelBinding ? .channelBinding : .random(Self.nonceCount), into: &actions)
        }
    }

    // MARK: STARTTLS (RFC 6120 5)

    private mutating func startTLS(_ features: XMLElement, into actions: inout [XMPPAction]) {
        guard features.child("starttls", in: XMPPNamespace.tls) != nil else {
            return fail(.noEncryption, into: &actions)
        }
        phase = .startingTLS
        actions.append(.send(Self.bytes(of: XMLElement("starttls", namespace: XMPPNamespace.tls))))
    }

    mutating func startTLSAnswered(_ answer: XMLElement, into actions: inout [XMPPAction]) {
        guard answer.namespace == XMPPNamespace.tls else { return fail(.unexpected(answer.name), into: &actions) }
        guard answer.name == "proceed" else { return fail(.noEncryption, into: &actions) }
        phase = .securing
        // Whatever else came in clear is forgotten: anybody may have put it there.
        reader = XMLReader(limits: options.limits)
        actions.append(.startTLS)
    }

    /// The connection is encrypted now, as `startTLS` asked for.
    package mutating func secured(into actions: inout [XMPPAction]) {
        guard phase == .securing else { return }
        isEncrypted = true
        phase = .opening
        actions.append(.send(header))
    }

    // MARK: PLAIN (RFC 4616)

    private mutating func loginPlain(_ offer: SASLOffer, user: String, into actions: inout [XMPPAction]) {
        guard !options.refusesPlain else { return fail(.weakened, into: &actions) }
        guard offer.mechanisms.contains("PLAIN"), isEncrypted else {
            return fail(.noPlain(Array(offer.mechanisms.prefix(20))), into: &actions)
        }
        let response = [0] + Array(user.utf8) + [0] + Array(account.password.revealed.utf8)
        authenticate("PLAIN", response, into: &actions)
    }

    private mutating func authenticate(_ mechanism: String, _ response: [UInt8], into actions: inout [XMPPAction]) {
        phase = .login
        let auth = XMLElement(
            "auth", namespace: XMPPNamespace.sasl, attributes: [XMLAttribute("mechanism", mechanism)],
            text: Base64.encode(response))
        actions.append(.send(Self.bytes(of: auth)))
    }

    // MARK: SCRAM

    private static var nonceCount: Int { 18 }

    private mutating func order(_ job: XMPPJob, into actions: inout [XMPPAction]) {
        phase = .computing
        self.job = job
        actions.append(.compute(job))
    }

    /// Answer to `compute`.
    package mutating func computed(_ answer: TransportAnswer, into actions: inout [XMPPAction]) {
        guard phase == .computing, let job else { return }
        self.job = nil
        switch (job, answer) {
        case (.channelBinding, .bytes(let bytes)):
            binding = bytes
            order(.random(Self.nonceCount), into: &actions)
        // TLS before 1.3 has none; the login is not bound then.
        case (.channelBinding, .failed): order(.random(Self.nonceCount), into: &actions)
        case (.random, .bytes(let nonce)) where nonce.count >= 15: beginSCRAM(nonce, into: &actions)
        case (.scram, .scram(let proof, let signature)):
            guard let response = scram?.computed(proof: proof, serverSignature: signature) else { return }
            respond(response, into: &actions)
        case (_, .failed(let words)): fail(.notComputed(words), into: &actions)
        case (_, .bytes), (_, .scram), (_, .capabilities):
            fail(.notComputed("an answer to another question"), into: &actions)
        }
    }

    private mutating func beginSCRAM(_ nonce: [UInt8], into actions: inout [XMPPAction]) {
        guard let offer else { return }
        let bound = offer.takesExporter && offer.hasBoundSCRAM ? binding : nil
        let suffix = bound == nil ? "" : "-PLUS"
        let hash: SCRAMHash
        if offer.mechanisms.contains("SCRAM-SHA-256\(suffix)") {
            hash = .sha256
        } else if offer.mechanisms.contains("SCRAM-SHA-1\(suffix)") {
            hash = .sha1
        } else {
            return loginPlain(offer, user: account.user, into: &actions)
        }
        let couldBind = binding != nil && !offer.hasBoundSCRAM
        let scram = SCRAMLogin(hash, user: account.user, nonce: nonce, binding: bound, couldBind: couldBind)
        self.scram = scram
        hasSCRAM = true
        authenticate(scram.mechanism, Array(scram.firstMessage.utf8), into: &actions)
    }

    private mutating func respond(_ text: String, into actions: inout [XMPPAction]) {
        phase = .login
        let response = XMLElement("response", namespace: XMPPNamespace.sasl, text: Base64.encode(Array(text.utf8)))
        actions.append(.send(Self.bytes(of: response)))
    }

    private mutating func challenged(_ challenge: XMLElement, into actions: inout [XMPPAction]) {
        guard let text = Self.decoded(challenge.text), let scram else {
            return fail(.unexpected(challenge.name), into: &actions)
        }
        do throws(SCRAMLogin.Fault) {
            switch scram.step {
            case .first:
                guard let task = try self.scram?.challenged(text) else { return }
                let job = XMPPJob.scram(
                    scram.hash, salt: task.salt, rounds: task.rounds, authMessage: task.authMessage)
                order(job, into: &actions)
            case .final:
                try self.scram?.finished(text)
                respond("", into: &actions)
            case .computing, .proved: fail(.unexpected(challenge.name), into: &actions)
            }
        } catch { fail(.serverUnproved(error.words), into: &actions) }
    }

    private static func decoded(_ text: String) -> String? {
        guard let bytes = Base64.decode(text) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: The end of the login

    mutating func loginAnswered(_ answer: XMLElement, into actions: inout [XMPPAction]) {
        guard answer.namespace == XMPPNamespace.sasl else { return fail(.unexpected(answer.name), into: &actions) }
        switch answer.name {
        case "challenge": challenged(answer, into: &actions)
        case "success":
            if scram != nil, scram?.step != .proved {
                do throws(SCRAMLogin.Fault) { try scram?.finished(Self.decoded(answer.text) ?? "") } catch {
                    return fail(.serverUnproved(error.words), into: &actions)
                }
            }
            scram = nil
            binding = nil
            actions.append(.authenticated)
            reader.restart()
            phase = .reopening
            actions.append(.send(header))
        case "failure":
            let condition = answer.children.first { $0.name != "text" }?.name ?? "not-authorized"
            let text = answer.child("text", in: XMPPNamespace.sasl)?.text ?? ""
            fail(.loginRefused(condition: condition, text: text), into: &actions)
        default: fail(.unexpected(answer.name), into: &actions)
        }
    }
}
