import AlarmModel
import PhoneProtocol
import Platform

/// What comes from the relay or from a keyboard: the bytes as they are, and as the body of an envelope of ours. What is
/// read is written as the same bytes; the rest is refused with a sentence.
func checkPhoneBytes(_ bytes: [UInt8]) {
    checkEnvelope(bytes)
    checkPhoneBody(bytes)
    checkBoxMessage(bytes)
    checkPairing(bytes)
    checkPasskey(bytes)
    checkTexts(String(decoding: bytes, as: UTF8.self))
}

private let crypto = OpenSSLCrypto()
private let key = [UInt8](repeating: 7, count: 32)

private func checkEnvelope(_ bytes: [UInt8]) {
    require((try? Envelope.open(bytes, key: key, crypto)) == nil, "nobody without the key makes an envelope")
    let header = Envelope.Header(direction: .up, phone: PhoneID(1))
    let salt = [UInt8](repeating: 9, count: 16)
    guard let sealed = Envelope.seal(bytes, header, key: key, salt: salt, crypto) else {
        return require(bytes.count > Envelope.bodyLimit, "what fits is sealed")
    }
    require(Envelope.sizes.contains(sealed.count), "an envelope has one of three sizes")
    require((try? Envelope.open(sealed, key: key, crypto)) == bytes, "what was sealed opens")
}

private func checkPhoneBody(_ bytes: [UInt8]) {
    do {
        let body = try PhoneBody(bytes: bytes)
        switch body.message {
        case .request(let request): require((try? request.bytes()) == bytes, "a request has one form only")
        case .command(let command):
            require((try? command.unsignedBytes()) == body.signed?.bytes, "a command has one form only")
            require(body.signed.map { $0.bytes + $0.signature } == bytes, "a command is all of its body")
        }
    } catch {
        require(!error.description.isEmpty, "a refusal has a reason")
    }
}

private func checkBoxMessage(_ bytes: [UInt8]) {
    guard let message = try? BoxMessage(bytes: bytes), let again = try? message.bytes() else { return }
    require((try? BoxMessage(bytes: again)) == message, "a message is the same when it is written and read again")
}

private func checkPairing(_ bytes: [UInt8]) {
    if let code = try? PairingText(payload: bytes) {
        require(code.payload == bytes, "a code has one form only")
        require((try? PairingText(parsing: code.grouped(crypto).revealed, crypto)) == code, "a code can be typed")
    }
    if let first = try? PairingPayload1(bytes: bytes) {
        require((try? first.bytes()) == bytes, "what a phone says of itself has one form only")
    }
    if let second = try? PairingPayload2(bytes: bytes) {
        require((try? second.bytes()) == bytes, "the box's answer has one form only")
    }
    if let keys = try? PhoneKeys(bytes: bytes) {
        require((try? keys.bytes()) == bytes, "an entry of the key file has one form only")
    }
}

private func checkPasskey(_ bytes: [UInt8]) {
    if let assertion = try? WebAuthnAssertion(bytes: bytes) {
        require((try? assertion.bytes()) == bytes, "a passkey's answer has one form only")
        judge(assertion)
    }
    judge(WebAuthnAssertion(authenticatorData: [UInt8](repeating: 5, count: 37), clientData: bytes, signature: bytes))
    if let raw = ECDSASignature.raw(fromDER: bytes) {
        require(ECDSASignature.der(fromRaw: raw) == bytes, "a signature has one form in DER")
    }
}

private func judge(_ assertion: WebAuthnAssertion) {
    guard let page = PasskeyPlace(relyingParty: "example.org", origin: "https://example.org") else { return }
    require(
        !assertion.isGood(for: [1], publicKey: [UInt8](repeating: 4, count: 65), at: page, crypto),
        "nobody without the key signs")
}

private func checkTexts(_ text: String) {
    do {
        let code = try PairingText(parsing: text, crypto)
        require((try? PairingText(payload: code.payload)) == code, "a code that was typed is one")
    } catch {
        require(!error.description.isEmpty, "a refusal has a reason")
    }
    if let bytes = try? Base64URL.decode(text) { require(Base64URL.encode(bytes) == text, "base 64 has one form") }
    if let bytes = try? Base32.decode(text) {
        require(Base32.encode(bytes) == text.uppercased(), "base 32 has one form")
    }
    if let bytes = Capability.bytes(ofBody: text) { require(Capability.body(bytes) == text, "a button has one form") }
}
