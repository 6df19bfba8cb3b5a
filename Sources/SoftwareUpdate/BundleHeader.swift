package import PhoneProtocol

/// All that stands before the parts of a bundle.
package struct BundleHeader: Equatable, Sendable {
    package struct Signature: Equatable, Sendable {
        /// The first 8 bytes of the SHA-256 of the public key.
        package var keyID: [UInt8]
        /// Ed25519, 64 bytes.
        package var bytes: [UInt8]

        package init(keyID: [UInt8], bytes: [UInt8]) {
            self.keyID = keyID
            self.bytes = bytes
        }

        /// As it stands in a file, without the line's end.
        package var line: [UInt8] { Array("\(Hex.encode(keyID)) \(Hex.encode(bytes))".utf8) }

        package init(line: some Collection<UInt8>) throws(BundleError) {
            let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard fields.count == 2, fields[0].count == 16, fields[1].count == 128,
                let key = try? Hex.decode(String(decoding: fields[0], as: UTF8.self)),
                let bytes = try? Hex.decode(String(decoding: fields[1], as: UTF8.self))
            else { throw .head("a signature") }
            self.init(keyID: key, bytes: bytes)
        }

        /// The first of these keys that has signed the message.
        package static func signer(
            of message: [UInt8], _ signatures: [Self], among keys: [UpdateKey], _ crypto: some Crypto
        ) -> UpdateKey? {
            keys.first { key in
                let id = BundleHeader.keyID(of: key.bytes, crypto)
                return signatures.contains { signature in
                    signature.keyID == id
                        && crypto.verifyEd25519(signature.bytes, of: message, publicKey: key.bytes)
                }
            }
        }
    }

    package var manifest: BundleManifest
    /// Exactly as signed.
    package var manifestBytes: [UInt8]
    package var signatures: [Signature]

    package static let mark = "howalarming-bundle 1"
    package static let mostSignatures = 8

    package init(manifest: BundleManifest, manifestBytes: [UInt8], signatures: [Signature]) {
        self.manifest = manifest
        self.manifestBytes = manifestBytes
        self.signatures = signatures
    }

    /// What is signed: the manifest, marked so that a signature for something else is none for this.
    package static func signedBytes(of manifest: [UInt8]) -> [UInt8] {
        Array("howalarming-bundle-1\0".utf8) + manifest
    }

    package static func keyID(of publicKey: [UInt8], _ crypto: some Crypto) -> [UInt8] {
        Array(crypto.sha256(publicKey).prefix(8))
    }

    /// How a bundle begins; the parts follow.
    package var bytes: [UInt8] {
        var text = Array("\(Self.mark)\n\(manifestBytes.count)\n".utf8)
        text += manifestBytes
        text += Array("\n\(signatures.count)\n".utf8)
        for signature in signatures {
            text += signature.line + [10]
        }
        return text
    }

    /// The first of these keys that has signed this.
    package func signer(among keys: [UpdateKey], _ crypto: some Crypto) -> UpdateKey? {
        Signature.signer(of: Self.signedBytes(of: manifestBytes), signatures, among: keys, crypto)
    }
}

/// A key in the image. The name of its file says what its signature is good for.
package struct UpdateKey: Codable, Equatable, Sendable {
    package enum Role: Equatable, Sendable {
        /// Bundles are installed by it, and offers and their refreshes count.
        case release
        /// A refresh of an offer counts by it, and nothing else: `offer-N.pub`.
        case offer
        /// The web app's list of files counts by it, which no box reads: `app-N.pub`.
        case app
    }

    /// Of its file, for people.
    package var name: String
    /// Ed25519, 32 bytes.
    package var bytes: [UInt8]

    package var role: Role {
        if name.hasPrefix("offer-") { return .offer }
        return name.hasPrefix("app-") ? .app : .release
    }

    /// - Parameter file: hexadecimal digits and a line end; nil when it is no key
    package init?(name: String, file: [UInt8]) {
        let line = file.prefix { $0 != 10 }
        guard file.count - line.count <= 1,
            let key = try? Hex.decode(String(decoding: line, as: UTF8.self)), key.count == 32
        else { return nil }
        self.name = name
        bytes = key
    }
}
