package import PhoneProtocol

/// All that stands before the parts of a bundle.
package struct BundleHeader: Codable, Hashable, Sendable {
    package struct Signature: Codable, Hashable, Sendable {
        /// The first 8 bytes of the SHA-256 of the public key.
        package var keyID: [UInt8]
        /// Ed25519, 64 bytes.
        package var bytes: [UInt8]

        package init(keyID: [UInt8], bytes: [UInt8]) {
            self.keyID = keyID
            self.bytes = bytes
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
            text += Array("\(Hex.encode(signature.keyID)) \(Hex.encode(signature.bytes))\n".utf8)
        }
        return text
    }

    /// The first of these keys that has signed this.
    package func signer(among keys: [UpdateKey], _ crypto: some Crypto) -> UpdateKey? {
        let message = Self.signedBytes(of: manifestBytes)
        return keys.first { key in
            let id = Self.keyID(of: key.bytes, crypto)
            return signatures.contains { signature in
                signature.keyID == id
                    && crypto.verifyEd25519(signature.bytes, of: message, publicKey: key.bytes)
            }
        }
    }
}

/// A key in the image by whose signature a bundle may be installed.
package struct UpdateKey: Codable, Hashable, Sendable {
    /// Of its file, for people.
    package var name: String
    /// Ed25519, 32 bytes.
    package var bytes: [UInt8]

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
