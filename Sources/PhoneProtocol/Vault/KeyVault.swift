package import AlarmModel

/// The keeper of the keys, which the shell mounts (docs/pairing.md 9): it does what the core asks and answers without
/// a secret. Not `Codable` and never printed.
package struct KeyVault<C: Crypto>: Sendable {
    var crypto: C
    /// C, for challenges: a restart voids them all.
    private let challengeKey: [UInt8]
    /// Ascending by phone.
    private(set) var phones: [PhoneKeys] = []
    var pairing: Pairing?
    /// Ascending by person.
    private(set) var codes: [CodeSecret] = []
    /// Shown at the box, and not confirmed.
    var newCodes: NewCodes?
    /// Frames since the pairing began that were none of it; the core ends the pairing at 10 000.
    package internal(set) var unopenedFrames = 0

    package init(crypto: C) {
        var crypto = crypto
        challengeKey = crypto.random(32)
        self.crypto = crypto
    }

    /// What the key file holds, in place of all that is there.
    package mutating func load(_ keys: [PhoneKeys], codes: [CodeSecret] = []) {
        phones = []
        for entry in keys { keep(entry) }
        self.codes = []
        for entry in codes { keep(entry) }
    }

    /// For the key file; ascending, without those that the vault does not have.
    package func keys(of ids: [PhoneID]) -> [PhoneKeys] { phones.filter { ids.contains($0.phone) } }

    /// nil for jobs that have no answer.
    package mutating func carryOut(_ job: VaultJob) -> VaultAnswer? {
        switch job {
        case .open(let envelope): return open(envelope)
        case .seal(let phone, let message, let expiry): return seal(message, for: phone, challengeUntil: expiry)
        case .beginPairing(let servers): return beginPairing(servers)
        case .handshake(let frame, let siteName): return hear(frame, siteName: siteName)
        case .confirm(let typed): return confirm(typed)
        case .nonce: return .nonce(crypto.random(16))
        case .endPairing:
            pairing = nil
            return nil
        case .forget(let phone):
            phones.removeAll { $0.phone == phone }
            return nil
        case .beginCodes(let person, let issuer, let account):
            return beginCodes(person, issuer: issuer, account: account)
        case .confirmCodes(let code, let time): return confirmCodes(code, at: time)
        case .endCodes:
            newCodes = nil
            return nil
        case .checkCode(let person, let code, let time, let lastUsed):
            return checkCode(code, of: person, at: time, lastUsed: lastUsed)
        case .forgetCodes(let person):
            codes.removeAll { $0.person == person }
            return nil
        }
    }

    mutating func keep(_ entry: PhoneKeys) {
        phones.removeAll { $0.phone == entry.phone }
        phones.insert(entry, at: phones.firstIndex { $0.phone > entry.phone } ?? phones.count)
    }

    /// In place of the secret that the person had.
    mutating func keep(_ entry: CodeSecret) {
        codes.removeAll { $0.person == entry.person }
        codes.insert(entry, at: codes.firstIndex { $0.person > entry.person } ?? codes.count)
    }

    private func open(_ envelope: [UInt8]) -> VaultAnswer {
        do throws(UnopenedReason) {
            let header = try Envelope.header(of: envelope)
            guard header.direction == .up else { throw .notOurs }
            guard let keys = phones.first(where: { $0.phone == header.phone }) else { throw .unknownPhone }
            let bytes = try Envelope.open(envelope, key: keys.up, crypto)
            guard let body = try? PhoneBody(bytes: bytes) else { throw .malformed }
            return .opened(header.phone, body.message, verdict(on: body, keys))
        } catch {
            return .unopened(error)
        }
    }

    /// nil for a request.
    private func verdict(on body: PhoneBody, _ keys: PhoneKeys) -> CommandVerdict? {
        guard case .command(let command) = body.message, let signed = body.signed else { return nil }
        let bytes = PhoneCommand.signedBytes(signed.bytes, bind: keys.bind, phone: keys.phone)
        let (algorithm, key) =
            command.key == 1 ? (keys.algorithm1, keys.key1) : (keys.algorithm2, keys.key2)
        let signature: CommandVerdict.Signature =
            switch algorithm {
            case .none: .noKey
            case .ed25519: crypto.verifyEd25519(signed.signature, of: bytes, publicKey: key) ? .good : .bad
            case .p256: crypto.verifyP256(signed.signature, of: bytes, publicKey: key) ? .good : .bad
            case .webAuthn: isGood(signed.signature, of: bytes, keys) ? .good : .bad
            }
        let challenge: CommandVerdict.Challenge =
            switch command.freshness {
            case .challenge(let challenge): Challenge.judge(challenge, phone: keys.phone, key: challengeKey, crypto)
            case .time: .none
            }
        return CommandVerdict(signature: signature, challenge: challenge, digest: crypto.sha256(bytes))
    }

    /// A passkey signs in its own form only; 64 bytes are none of it.
    private func isGood(_ signature: [UInt8], of bytes: [UInt8], _ keys: PhoneKeys) -> Bool {
        guard let place = keys.passkey, let assertion = try? WebAuthnAssertion(bytes: signature) else { return false }
        return assertion.isGood(for: bytes, publicKey: keys.key2, at: place, crypto)
    }

    private mutating func seal(
        _ message: BoxMessage, for phone: PhoneID, challengeUntil expiry: UInt32?
    ) -> VaultAnswer {
        guard let keys = phones.first(where: { $0.phone == phone }) else { return .unsealed }
        var message = message
        if let expiry {
            guard case .object(let members) = message.content else { return .unsealed }
            let challenge = Challenge.make(expiry: expiry, phone: phone, key: challengeKey, crypto)
            let member = JSON.Member(key: "ch", value: .string(Base64URL.encode(challenge)))
            message.content = .object(members + [member])
        }
        let header = Envelope.Header(direction: .down, phone: phone)
        guard let body = try? message.bytes(),
            let envelope = Envelope.seal(body, header, key: keys.down, &crypto)
        else { return .unsealed }
        return .sealed(envelope)
    }
}

extension KeyVault: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a vault with the keys of \(phones.count) phones" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
