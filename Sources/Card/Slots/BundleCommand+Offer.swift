import PhoneProtocol
import Platform
import SoftwareUpdate

/// `bundle offer`: what a host says of the bundle that lies beside.
extension BundleCommand {
    private static let secondsOfDay: Int64 = 86_400

    static func offer(
        _ path: String, number: Int64, days: Int64, key: String, output: String
    ) throws(UpdateStop) -> [String] {
        let signer = try signer(key)
        let crypto = OpenSSLCrypto()
        let header = try BundleFile(path).header()
        guard let own = UpdateKey(name: "key", file: Array(Hex.encode(signer.publicKey).utf8)),
            header.signer(among: [own], crypto) != nil
        else { throw .failed("the bundle is signed with another key than the offer; boxes would refuse one of them") }
        let name = String(path.split(separator: "/").last ?? "")
        guard UpdateOffer.isFileName(name) else {
            throw .failed("'\(name)' cannot stand in an offer; use letters, digits, '.', '-', '+', '_' and '~'")
        }
        guard (1...3660).contains(days) else { throw .failed("'--days' has to be from 1 to 3660") }
        let file = try reading { () throws(SystemError) in try BlockFile(path, isWritable: false) }
        let digest = RunningDigest()
        try reading { () throws(SystemError) in
            try pieces(of: file) { (bytes) throws(SystemError) in digest.update(bytes) }
        }
        let offer = UpdateOffer(
            number: number, expires: secondsNow + days * secondsOfDay,
            release: header.manifest.release,
            bundle: BundleManifest.Part(name: name, bytes: file.size, sha256: digest.finish()))
        let bytes = offer.bytes
        guard let signature = signer.sign(SignedOffer.signedBytes(of: bytes)) else {
            throw .failed("the key cannot sign")
        }
        let signed = SignedOffer(
            offer: offer, offerBytes: bytes,
            signatures: [.init(keyID: BundleHeader.keyID(of: signer.publicKey, crypto), bytes: signature)])
        try reading { () throws(SystemError) in try AtomicFile.write(output, signed.bytes, mode: 0o644) }
        return BundleText.lines(header) + [
            "Offered as number \(number), for \(days) days. Put \(output) and \(name) into one directory of the host."
        ]
    }
}
