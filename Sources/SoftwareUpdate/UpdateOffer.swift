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

/// A later number and expiry for an offer that is there already, by a key that may do nothing else.
///
/// The key of the bundles need not come out of its drawer each quarter: it signs an offer once. A stolen offer key names no
/// other bundle; it can keep an old offer alive, for as long as images trust it.
package struct OfferRefresh: Equatable, Sendable {
    /// Orders offers, in place of the offer's own number.
    package var number: Int64
    /// Seconds since 1970, in place of the offer's own.
    package var expires: Int64
    package var signature: BundleHeader.Signature

    package static let mark = "refresh"
    /// Seconds that its number may be ahead of the clock, so that a stolen key cannot use up the numbers of later offers.
    package static let lead: Int64 = 86_400

    package init(number: Int64, expires: Int64, signature: BundleHeader.Signature) {
        self.number = number
        self.expires = expires
        self.signature = signature
    }

    /// The bytes under the signature: both numbers and the whole offer, marked so that no other signature is one for it.
    package static func signedBytes(number: Int64, expires: Int64, of offer: [UInt8]) -> [UInt8] {
        Array("howalarming-refresh-1\0\(number) \(expires)\n".utf8) + offer
    }

    /// The line of a file, without its end.
    var line: [UInt8] { Array("\(Self.mark) \(number) \(expires) ".utf8) + signature.line }

    init(line: some Collection<UInt8>) throws(BundleError) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4, fields[0].elementsEqual(Self.mark.utf8), let number = Self.number(fields[1]),
            let expires = Self.number(fields[2])
        else { throw .head("the refresh") }
        self.init(number: number, expires: expires, signature: try BundleHeader.Signature(line: fields[3]))
    }

    /// Digits without a leading zero.
    private static func number(_ field: some Collection<UInt8>) -> Int64? {
        let text = String(decoding: field, as: UTF8.self)
        return Int64(text).flatMap { $0 >= 0 && String($0) == text ? $0 : nil }
    }
}

/// The file at the address that a box asks: a line that says what it is, a line with the offer, a line for each signature, and
/// at last a line with its refresh, if it has one.
package struct SignedOffer: Equatable, Sendable {
    /// The offer that a key of the bundles has signed; what counts today is `current`.
    package var offer: UpdateOffer
    /// Exactly as signed.
    package var offerBytes: [UInt8]
    package var signatures: [BundleHeader.Signature]
    package var refresh: OfferRefresh?

    package static let mark = "howalarming-offer 1"
    /// Bytes of the whole file.
    package static let longest = 16 * 1024

    package init(
        offer: UpdateOffer, offerBytes: [UInt8], signatures: [BundleHeader.Signature], refresh: OfferRefresh? = nil
    ) {
        self.offer = offer
        self.offerBytes = offerBytes
        self.signatures = signatures
        self.refresh = refresh
    }

    /// The offer with the number and expiry of its refresh.
    package var current: UpdateOffer {
        guard let refresh else { return offer }
        return UpdateOffer(
            number: refresh.number, expires: refresh.expires, release: offer.release, bundle: offer.bundle)
    }

    /// What is signed: the offer, marked so that a signature of a bundle is none for it.
    package static func signedBytes(of offer: [UInt8]) -> [UInt8] { Array("howalarming-offer-1\0".utf8) + offer }

    package var bytes: [UInt8] {
        var text = Array("\(Self.mark)\n".utf8) + offerBytes + [10]
        for signature in signatures { text += signature.line + [10] }
        if let refresh { text += refresh.line + [10] }
        return text
    }

    package init(_ bytes: [UInt8]) throws(BundleError) {
        guard bytes.count <= Self.longest else { throw .notABundle }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        guard lines.first?.elementsEqual(Self.mark.utf8) ?? false else { throw .notABundle }
        guard lines.popLast()?.isEmpty ?? false, lines.count > 1 else { throw .cut(missing: nil) }
        refresh = nil
        if lines.count > 2, let last = lines.last, last.starts(with: "\(OfferRefresh.mark) ".utf8) {
            refresh = try OfferRefresh(line: last)
            lines.removeLast()
        }
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
        guard !policy.releaseKeys.isEmpty else { throw .noKeys }
        let message = Self.signedBytes(of: offerBytes)
        guard BundleHeader.Signature.signer(of: message, signatures, among: policy.releaseKeys, crypto) != nil else {
            throw .wrongSignature
        }
        if let refresh { try check(refresh, policy, now: now, crypto) }
        guard offer.release.board == policy.installed.board else {
            throw .otherBoard(offered: offer.release.board, box: policy.installed.board)
        }
        guard current.number >= seen else { throw .older }
        guard current.expires > now else { throw .expired(current.expires) }
        guard offer.release.number >= policy.floor else { throw .belowFloor(version: offer.release.version) }
    }

    private func check(
        _ refresh: OfferRefresh, _ policy: UpdatePolicy, now: Int64, _ crypto: some Crypto
    ) throws(OfferRefusal) {
        let message = OfferRefresh.signedBytes(number: refresh.number, expires: refresh.expires, of: offerBytes)
        guard
            BundleHeader.Signature.signer(of: message, [refresh.signature], among: policy.offerKeys, crypto) != nil
        else { throw .wrongSignature }
        guard refresh.number >= offer.number else { throw .older }
        guard refresh.number == offer.number || refresh.number - OfferRefresh.lead <= now else {
            throw .damaged("its refresh is of a later day")
        }
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
