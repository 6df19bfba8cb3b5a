package import PhoneProtocol

/// Which version a host offers: what it says of itself, signed as bundles are (`SignedOffer`).
package struct UpdateOffer: Equatable, Sendable {
    /// Orders offers: one with a lower number than was seen before is an old one that somebody shows again.
    package var number: Int64
    /// From this second since 1970 on it counts no more.
    package var expires: Int64
    package var release: ReleaseDescription
    /// The bundle's file beside the offer, with its size and SHA-256.
    package var bundle: BundleManifest.Part

    package init(number: Int64, expires: Int64, release: ReleaseDescription, bundle: BundleManifest.Part) {
        self.number = number
        self.expires = expires
        self.release = release
        self.bundle = bundle
    }

    /// One line.
    package var bytes: [UInt8] {
        JSON.object([
            "number": .integer(number), "expires": .integer(expires), "release": release.json,
            "bundle": .object([
                "name": .string(bundle.name), "bytes": .integer(Int64(bundle.bytes)),
                "sha256": .string(Hex.encode(bundle.sha256)),
            ]),
        ]).utf8
    }

    package init(_ bytes: [UInt8]) throws(BundleError) {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes, limits: JSON.Limits(depth: 4, bytes: SignedOffer.longest))
        } catch {
            throw .manifest(error.description)
        }
        guard let release = json["release"], let bundle = json["bundle"] else {
            throw .manifest("'release' or 'bundle' is not there")
        }
        guard let name = bundle["name"]?.stringValue, Self.isFileName(name) else {
            throw .manifest("'name' of the bundle is no name of a file beside it")
        }
        guard let count = Int(exactly: try ReleaseDescription.count("bytes", in: bundle)), count > 0 else {
            throw .manifest("the bundle has no size")
        }
        guard let text = bundle["sha256"]?.stringValue, let hash = try? Hex.decode(text), hash.count == 32 else {
            throw .manifest("the bundle has no SHA-256")
        }
        self.init(
            number: try ReleaseDescription.count("number", in: json),
            expires: try ReleaseDescription.count("expires", in: json), release: try ReleaseDescription(release),
            bundle: BundleManifest.Part(name: name, bytes: count, sha256: hash))
    }

    /// So that it can stand in a URL behind the offer's directory and lead nowhere else.
    package static func isFileName(_ text: String) -> Bool {
        ReleaseDescription.isName(text) && !text.hasPrefix(".") && !text.contains(":")
    }
}

/// The file at the address that a box asks: a line that says what it is, a line with the offer, a line for each signature.
package struct SignedOffer: Equatable, Sendable {
    package var offer: UpdateOffer
    /// Exactly as signed.
    package var offerBytes: [UInt8]
    package var signatures: [BundleHeader.Signature]

    package static let mark = "howalarming-offer 1"
    /// Bytes of the whole file.
    package static let longest = 16 * 1024

    package init(offer: UpdateOffer, offerBytes: [UInt8], signatures: [BundleHeader.Signature]) {
        self.offer = offer
        self.offerBytes = offerBytes
        self.signatures = signatures
    }

    /// What is signed: the offer, marked so that a signature of a bundle is none for it.
    package static func signedBytes(of offer: [UInt8]) -> [UInt8] { Array("howalarming-offer-1\0".utf8) + offer }

    package var bytes: [UInt8] {
        var text = Array("\(Self.mark)\n".utf8) + offerBytes + [10]
        for signature in signatures { text += signature.line + [10] }
        return text
    }

    package init(_ bytes: [UInt8]) throws(BundleError) {
        guard bytes.count <= Self.longest else { throw .notABundle }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        guard lines.first?.elementsEqual(Self.mark.utf8) ?? false else { throw .notABundle }
        guard lines.popLast()?.isEmpty ?? false, lines.count > 1 else { throw .cut(missing: nil) }
        guard lines.count - 2 <= BundleHeader.mostSignatures else { throw .head("the number of signatures") }
        offerBytes = Array(lines[1])
        offer = try UpdateOffer(offerBytes)
        signatures = []
        for line in lines.dropFirst(2) { signatures.append(try BundleHeader.Signature(line: line)) }
    }

    /// Checks all that can be known before the bundle is there.
    ///
    /// - Parameters:
    ///   - seen: the highest number of an offer that was taken before
    ///   - now: seconds since 1970
    package func check(
        _ policy: UpdatePolicy, seen: Int64, now: Int64, _ crypto: some Crypto
    ) throws(OfferRefusal) {
        guard !policy.keys.isEmpty else { throw .noKeys }
        let message = Self.signedBytes(of: offerBytes)
        guard BundleHeader.Signature.signer(of: message, signatures, among: policy.keys, crypto) != nil else {
            throw .wrongSignature
        }
        guard offer.release.board == policy.installed.board else {
            throw .otherBoard(offered: offer.release.board, box: policy.installed.board)
        }
        guard offer.number >= seen else { throw .older }
        guard offer.expires > now else { throw .expired(offer.expires) }
        guard offer.release.number >= policy.floor else { throw .belowFloor(version: offer.release.version) }
    }
}

/// Why an offer does not count: what happened, and what to do next.
package enum OfferRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is no offer, for instance the page of a web site.
    case notAnOffer
    case damaged(String)
    case noKeys
    case wrongSignature
    case otherBoard(offered: String, box: String)
    /// One with a higher number was seen.
    case older
    case expired(Int64)
    case belowFloor(version: String)

    package init(_ error: BundleError) {
        switch error {
        case .notABundle: self = .notAnOffer
        case .manifest(let what), .head(let what), .trailer(let what): self = .damaged(what)
        case .cut, .trailing: self = .damaged("it is cut")
        }
    }

    package var description: String {
        switch self {
        case .notAnOffer:
            "what lies there is no offer of a version; put the file whose name ends in .offer there, or mend 'url' in 'updates'"
        case .damaged(let what): "the offer is damaged (\(what)); put it there once more"
        case .noKeys: "this image has no keys for updates; flash a card with a released image"
        case .wrongSignature:
            "none of this box's keys has signed the offer, or it was changed; ask who runs the host, and install nothing from there"
        case .otherBoard(let offered, let box):
            "the offer is for the board '\(offered)' and this is a '\(box)'; name the offer for '\(box)' in 'updates'"
        case .older:
            "the offer is an older one than was there before: somebody may keep newer versions from this box; ask who runs the host"
        case .expired:
            "the offer has expired: nobody tends it any more, or somebody keeps newer versions from this box; ask who runs the host"
        case .belowFloor(let version):
            "version \(version), which is offered, has known security faults and is not installed any more; ask who runs the host"
        }
    }
}
