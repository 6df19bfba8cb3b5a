import PhoneProtocol
import SoftwareUpdate

/// A bundle in words.
enum BundleText {
    static func lines(_ header: BundleHeader) -> [String] {
        let release = header.manifest.release
        var lines = [
            "Version  \(release.version) (number \(release.number), nothing below \(release.floor) after it)",
            "Board    \(release.board)",
            "Built    \(release.built)",
        ]
        for part in header.manifest.parts {
            lines.append("Part     \(part.name), \(part.bytes) bytes, SHA-256 \(Hex.encode(part.sha256))")
        }
        for signature in header.signatures { lines.append("Key      \(Hex.encode(signature.keyID))") }
        return lines
    }
}
