package import AlarmModel

/// What a browser answers when a passkey signs (docs/pairing.md 7.5; Web Authentication, "Verifying an Authentication
/// Assertion"): the signature field of a command under algorithm 3.
///
///     lp8(authenticatorData) ‖ lp16(clientDataJSON) ‖ lp8(signature as DER)
package struct WebAuthnAssertion: Equatable, Sendable {
    package var authenticatorData: [UInt8]
    /// JSON in UTF-8, byte for byte as the browser gave it.
    package var clientData: [UInt8]
    package var signature: [UInt8]

    /// Bytes of `authenticatorData`: the hash, the flags and the counter, and behind them what no assertion of ours has.
    package static let authenticatorSizes = authenticatorCount...255
    /// Bytes of `clientDataJSON`; a browser writes some 250.
    package static let clientLimit = 640

    package init(authenticatorData: [UInt8], clientData: [UInt8], signature: [UInt8]) {
        self.authenticatorData = authenticatorData
        self.clientData = clientData
        self.signature = signature
    }

    /// Reads exactly these bytes; what the parts say is for `isGood`.
    package init(bytes: [UInt8]) throws(FormatError) {
        var reader = ByteReader(bytes)
        authenticatorData = try reader.lp8()
        guard Self.authenticatorSizes.contains(authenticatorData.count) else {
            throw .value("the authenticator's data")
        }
        clientData = try reader.lp16()
        guard (1...Self.clientLimit).contains(clientData.count) else { throw .value("the client's data") }
        signature = try reader.lp8()
        guard ECDSASignature.derSizes.contains(signature.count) else { throw .value("the signature") }
        try reader.end()
    }

    /// Writes only what the reader takes.
    package func bytes() throws(FormatError) -> [UInt8] {
        var writer = ByteWriter()
        try writer.lp8(authenticatorData, "the authenticator's data")
        try writer.lp16(clientData, "the client's data")
        try writer.lp8(signature, "the signature")
        _ = try WebAuthnAssertion(bytes: writer.bytes)
        return writer.bytes
    }

    /// Whether the passkey `publicKey` (a point of 65 bytes) signed this message on its own page, with its owner there
    /// and known to the device. What is not exactly so is false, whatever it is.
    package func isGood(
        for message: [UInt8], publicKey: [UInt8], at place: PasskeyPlace, _ crypto: some Crypto
    ) -> Bool {
        guard isOfOwner(at: place, crypto), isAsked(for: message, at: place, crypto),
            let raw = ECDSASignature.raw(fromDER: signature)
        else { return false }
        return crypto.verifyP256(raw, of: authenticatorData + crypto.sha256(clientData), publicKey: publicKey)
    }

    /// SHA-256 of the RP ID ‖ flags ‖ counter, and nothing else: a passkey that only signs has neither keys nor
    /// extensions to tell. The counter is any number, for passkeys that are kept on several devices say 0; against
    /// repeats stands the command's own.
    private func isOfOwner(at place: PasskeyPlace, _ crypto: some Crypto) -> Bool {
        guard authenticatorData.count == Self.authenticatorCount,
            ConstantTime.equal(Array(authenticatorData[..<32]), crypto.sha256(Array(place.relyingParty.utf8)))
        else { return false }
        let flags = authenticatorData[32]
        let isBackedUpWithoutRight = flags & Self.backedUp != 0 && flags & Self.mayBeBackedUp == 0
        return flags & Self.owner == Self.owner && flags & Self.more == 0 && !isBackedUpWithoutRight
    }

    private func isAsked(for message: [UInt8], at place: PasskeyPlace, _ crypto: some Crypto) -> Bool {
        let limits = JSON.Limits(depth: 4, bytes: Self.clientLimit)
        guard let client = try? JSON(parsing: clientData, limits: limits), let members = client.objectValue,
            Set(members.map { Array($0.key.utf8) }).count == members.count
        else { return false }
        // Bytes, for texts are equal in more than one way.
        func has(_ key: String, _ text: String) -> Bool {
            client[key]?.stringValue?.utf8.elementsEqual(text.utf8) ?? false
        }
        return has("type", "webauthn.get") && has("challenge", Base64URL.encode(crypto.sha256(message)))
            && has("origin", place.origin) && (client["crossOrigin"] ?? .bool(false)) == .bool(false)
            && client["topOrigin"] == nil
    }

    private static let authenticatorCount = 37
    /// UP and UV: somebody was there, and was known by finger, face or code.
    private static let owner: UInt8 = 0x05
    private static let mayBeBackedUp: UInt8 = 0x08
    private static let backedUp: UInt8 = 0x10
    /// AT and ED: more follows.
    private static let more: UInt8 = 0xC0
}
