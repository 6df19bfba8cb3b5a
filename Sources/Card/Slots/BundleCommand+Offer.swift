import PhoneProtocol
import Platform
import SoftwareUpdate

/// `bundle offer`: what a host says of the bundle that lies beside.
extension BundleCommand {
    static let secondsOfDay: Int64 = 86_400

    static func offer(
        _ path: String, number: Int64, days: Int64, signing: BundleSigning, output: String
    ) throws(UpdateStop) -> [String] {
        let header = try BundleFile(path).header()
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
        let message = SignedOffer.signedBytes(of: bytes)
        guard let (signature, key) = try signing.signature(of: message) else { return [Hex.encode(message)] }
        guard header.signer(among: [key], OpenSSLCrypto()) != nil else {
            throw .failed("the bundle is signed with another key than the offer; boxes would refuse one of them")
        }
        let signed = SignedOffer(offer: offer, offerBytes: bytes, signatures: [signature])
        try reading { () throws(SystemError) in try AtomicFile.write(output, signed.bytes, mode: 0o644) }
        return BundleText.lines(header) + [
            "Offered as number \(number), for \(days) days. Put \(output) and \(name) into one directory of the host."
        ]
    }
}
