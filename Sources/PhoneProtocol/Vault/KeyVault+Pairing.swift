package import AlarmModel

extension KeyVault {
    /// A pairing under way: the one-time key, the code, and the phone that was heard.
    struct Pairing: Sendable {
        var privateKey: [UInt8]
        var code: PairingText
        var heard: Heard?

        struct Heard: Sendable {
            var frame: [UInt8]
            var answer: PairingHeard
            var keys: PhoneKeys
            var digits: [UInt8]
        }
    }

    /// The code for the QR picture; for the screen only. nil when no pairing is under way.
    package var pairingText: Secret? { pairing?.code.text(crypto) }

    /// The code in groups of five, for people who type it.
    package var groupedPairingText: Secret? { pairing?.code.grouped(crypto) }

    /// Where the phone's frames are waited for, and where the answer goes. Names only: they tell nothing of the secret.
    package var pairingTopics: PairingTopics? {
        pairing.map { PairingTopics(up: $0.code.topicUp(crypto), down: $0.code.topicDown(crypto)) }
    }

    mutating func beginPairing(_ servers: [RendezvousPlace]) -> VaultAnswer {
        pairing = nil
        unopenedFrames = 0
        let privateKey = crypto.random(32)
        guard let publicKey = crypto.x25519PublicKey(of: privateKey),
            let code = try? PairingText(publicKey: publicKey, servers: servers, secret: crypto.random(16))
        else { return .unopened(.noPairing) }
        pairing = Pairing(privateKey: privateKey, code: code)
        return .pairingReady(pairingTopics)
    }

    mutating func hear(_ frame: [UInt8], siteName: String) -> VaultAnswer {
        guard let pairing else { return .unopened(.noPairing) }
        if let heard = pairing.heard, heard.frame == frame {
            var answer = heard.answer
            answer.isRepeat = true
            return .pairingHeard(answer)
        }
        do throws(UnopenedReason) {
            return .pairingHeard(try answer(frame, pairing, siteName: siteName))
        } catch {
            unopenedFrames += 1
            return .unopened(error)
        }
    }

    /// The keys of the phone are kept if the digits are right; blanks and hyphens do not count.
    mutating func confirm(_ typed: Secret) -> VaultAnswer {
        let digits = typed.revealed.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        guard let heard = pairing?.heard, ConstantTime.equal(digits, heard.digits) else { return .notConfirmed }
        keep(heard.keys)
        pairing = nil
        return .confirmed(heard.keys.phone)
    }

    private mutating func answer(
        _ frame: [UInt8], _ pairing: Pairing, siteName: String
    ) throws(UnopenedReason) -> PairingHeard {
        let message = try PairingFrame.message(of: frame, PairingFrame.first)
        guard
            var noise = NoiseNKpsk0.Responder(
                prologue: pairing.code.prologue, psk: pairing.code.psk(crypto), staticKey: pairing.privateKey,
                crypto: crypto),
            let bytes = noise.readFirst(message)
        else { throw .sealBroken }
        if pairing.heard != nil {
            // Whoever can make this has seen the code, whatever is inside. Nobody shall be paired with it any more.
            self.pairing = nil
            return secondPhone(try? PairingPayload1(bytes: bytes))
        }
        guard let payload = try? PairingPayload1(bytes: bytes), isOnCurve(payload.algorithm1, payload.key1),
            isOnCurve(payload.algorithm2, payload.key2)
        else { throw .malformed }
        guard let second = try? PairingPayload2(siteName: Self.shortened(siteName)).bytes(),
            let (reply, split) = noise.writeSecond(second, ephemeral: crypto.random(32))
        else { throw .malformed }
        let keys = PairingKeys(split, crypto)
        let heard = PairingHeard(
            isRepeat: false, isSecondPhone: false, name: payload.name, hasPresenceKey: payload.algorithm2 != .none,
            passkey: payload.passkey, addresses: payload.addresses, answer: PairingFrame.second + reply)
        self.pairing?.heard = Pairing.Heard(
            frame: frame, answer: heard,
            keys: PhoneKeys(
                phone: keys.phone, up: keys.up, down: keys.down, bind: keys.bind, algorithm1: payload.algorithm1,
                key1: payload.key1, algorithm2: payload.algorithm2, key2: payload.key2, passkey: payload.passkey),
            digits: Array(keys.code.utf8))
        return heard
    }

    private func secondPhone(_ payload: PairingPayload1?) -> PairingHeard {
        PairingHeard(
            isRepeat: false, isSecondPhone: true, name: payload?.name ?? "",
            hasPresenceKey: payload.map { $0.algorithm2 != .none } ?? false, addresses: payload?.addresses ?? [],
            answer: [])
    }

    private func isOnCurve(_ algorithm: SignatureAlgorithm, _ key: [UInt8]) -> Bool {
        switch algorithm {
        case .none, .ed25519: true
        case .p256, .webAuthn: crypto.isP256Point(key)
        }
    }

    /// What fits into the answer: whole characters of at most 255 bytes, and never nothing.
    private static func shortened(_ siteName: String) -> String {
        var name = PrintableText.cleaned(siteName)
        while name.utf8.count > 255 { name.removeLast() }
        return name.isEmpty ? "HowAlarming" : name
    }
}
