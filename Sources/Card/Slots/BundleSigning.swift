import PhoneProtocol
import Platform
import SoftwareUpdate

/// The way to the signature of a bundle or an offer: a key of this machine, or one of a machine that has nothing else.
package enum BundleSigning: Equatable, Sendable {
    /// With the key in this file.
    case key(file: String)
    /// Later: what is to be signed is printed, for `bundle sign` on the machine with the key.
    case digest
    /// With the line that `bundle sign` printed, which is checked against the public half of the key in this file.
    case made(line: String, publicKey: String)

    /// nil: it is yet to be made.
    func signature(of message: [UInt8]) throws(UpdateStop) -> (BundleHeader.Signature, UpdateKey)? {
        let crypto = OpenSSLCrypto()
        switch self {
        case .digest: return nil
        case .key(let file):
            let signer = try BundleCommand.signer(file)
            guard let signature = signer.sign(message),
                let key = UpdateKey(name: "key", file: Array(Hex.encode(signer.publicKey).utf8))
            else { throw .failed("the key cannot sign") }
            return (.init(keyID: BundleHeader.keyID(of: signer.publicKey, crypto), bytes: signature), key)
        case .made(let line, let file):
            let bytes = try BundleCommand.reading { () throws(SystemError) in try FileReader.read(file, limit: 1024) }
            guard let key = UpdateKey(name: "key", file: bytes) else {
                throw .failed("\(file) is no public half of a key of 'howalarming bundle keygen'")
            }
            guard let signature = try? BundleHeader.Signature(line: Array(line.utf8)),
                BundleHeader.Signature.signer(of: message, [signature], among: [key], crypto) != nil
            else {
                throw .failed(
                    "the signature is not that of this content and key; the options have to be those of '--digest'")
            }
            return (signature, key)
        }
    }
}

/// The content under a signature by a key of a release, read back before it is signed.
enum SignedContent {
    /// In words, for the person at the machine with the key; nil: nothing that a key of a release signs.
    static func lines(_ message: [UInt8]) -> [String]? {
        if let bytes = content(message, behind: BundleHeader.signedBytes(of: [])) {
            guard let manifest = try? BundleManifest(bytes) else { return nil }
            let header = BundleHeader(manifest: manifest, manifestBytes: bytes, signatures: [])
            return ["A bundle:"] + BundleText.lines(header)
        }
        if let bytes = content(message, behind: SignedOffer.signedBytes(of: [])) {
            guard let offer = try? UpdateOffer(bytes) else { return nil }
            return [
                "An offer, number \(offer.number), which expires at \(offer.expires) (seconds since 1970):",
                "Version  \(offer.release.version) (number \(offer.release.number))", "Board    \(offer.release.board)",
                "Bundle   \(offer.bundle.name), \(offer.bundle.bytes) bytes, SHA-256 \(Hex.encode(offer.bundle.sha256))",
            ]
        }
        return nil
    }

    private static func content(_ message: [UInt8], behind mark: [UInt8]) -> [UInt8]? {
        message.starts(with: mark) ? Array(message.dropFirst(mark.count)) : nil
    }
}

extension BundleCommand {
    /// Prints what it is and, as the last line, the signature.
    ///
    /// - Parameter file: the line that `--digest` printed
    static func sign(_ file: String, key: String) throws(UpdateStop) -> [String] {
        let text = try reading { () throws(SystemError) in
            try FileReader.read(file, limit: 2 * (BundleManifest.longest + 256))
        }
        guard let message = try? Hex.decode(String(decoding: text.prefix { $0 != 10 }, as: UTF8.self)),
            let lines = SignedContent.lines(message)
        else { throw .failed("\(file) is not what 'bundle make' or 'bundle offer' prints with --digest") }
        guard let (signature, _) = try BundleSigning.key(file: key).signature(of: message) else {
            throw .failed("the key cannot sign")
        }
        return lines + [String(decoding: signature.line, as: UTF8.self)]
    }

    /// The offer with a later number and expiry, by a key of offers.
    static func refresh(
        _ path: String, number: Int64, days: Int64, key: String, output: String
    ) throws(UpdateStop) -> [String] {
        guard (1...3660).contains(days) else { throw .failed("'--days' has to be from 1 to 3660") }
        let bytes = try reading { () throws(SystemError) in try FileReader.read(path, limit: SignedOffer.longest) }
        guard var signed = try? SignedOffer(bytes) else {
            throw .failed("\(path) is no offer of 'howalarming bundle offer'")
        }
        guard number >= signed.offer.number else {
            throw .failed("'--number' has to be at least \(signed.offer.number), the number of the offer in \(path)")
        }
        let expires = secondsNow + days * secondsOfDay
        let message = OfferRefresh.signedBytes(number: number, expires: expires, of: signed.offerBytes)
        guard let (signature, _) = try BundleSigning.key(file: key).signature(of: message) else {
            throw .failed("the key cannot sign")
        }
        signed.refresh = OfferRefresh(number: number, expires: expires, signature: signature)
        let refreshed = signed.bytes
        try reading { () throws(SystemError) in try AtomicFile.write(output, refreshed, mode: 0o644) }
        return ["Offered again as number \(number), for \(days) days: version \(signed.offer.release.version)."]
    }
}
