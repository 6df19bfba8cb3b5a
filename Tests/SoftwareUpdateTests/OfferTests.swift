import PhoneProtocol
import Platform
import SoftwareUpdate
import Testing

@Suite("What a host offers") struct OfferTests {
    static let hash = (0..<32).map { UInt8($0) }

    static func offer(
        number: Int64 = 20_261_125, expires: Int64 = 1_800_000_000, release: ReleaseDescription = BundleBench.release(),
        name: String = "howalarming-virt-1.1.0.bundle"
    ) -> UpdateOffer {
        UpdateOffer(
            number: number, expires: expires, release: release,
            bundle: BundleManifest.Part(name: name, bytes: 90_112, sha256: hash))
    }

    static func signed(_ offer: UpdateOffer, seeds: [UInt8] = [1]) -> SignedOffer {
        let bytes = offer.bytes
        let signatures = seeds.compactMap { seed -> BundleHeader.Signature? in
            guard let signer = BundleBench.signer(seed), let signature = signer.sign(SignedOffer.signedBytes(of: bytes))
            else { return nil }
            return BundleHeader.Signature(
                keyID: BundleHeader.keyID(of: signer.publicKey, BundleBench.crypto), bytes: signature)
        }
        return SignedOffer(offer: offer, offerBytes: bytes, signatures: signatures)
    }

    /// What a host offers as a file, byte for byte: boxes that run read it.
    static let kept = """
        howalarming-offer 1
        {"number":20261125,"expires":1800000000,"release":{"board":"virt","version":"1.1.0","number":1001000,"floor":1000000,"built":"2026-11-21T10:00:00Z"},"bundle":{"name":"howalarming-virt-1.1.0.bundle","bytes":90112,"sha256":"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}}
        SIGNATURE

        """

    private func refusal(
        _ offer: SignedOffer, seen: Int64 = 0, now: Int64 = 1_700_000_000, _ policy: UpdatePolicy = BundleBench.policy()
    ) -> OfferRefusal? {
        do throws(OfferRefusal) {
            try offer.check(policy, seen: seen, now: now, BundleBench.crypto)
            return nil
        } catch {
            return error
        }
    }

    @Test("the form is the kept one, and is read back as it was")
    func theFormIsTheKeptOne() throws {
        let signed = Self.signed(Self.offer())
        let text = Self.kept.replacing(
            "SIGNATURE", with: String(decoding: try #require(signed.signatures.first).line, as: UTF8.self))
        #expect(String(decoding: signed.bytes, as: UTF8.self) == text)
        let read = try SignedOffer(Array(text.utf8))
        #expect(read == signed)
        #expect(refusal(read) == nil)
    }

    @Test("whatever is changed, cut or something else is no offer or not signed, and never a trap")
    func whateverIsChangedIsNoOfferOrNotSigned() {
        let good = Self.signed(Self.offer()).bytes
        for index in good.indices {
            var changed = good
            changed[index] ^= 1
            if let read = try? SignedOffer(changed) { #expect(refusal(read) == .wrongSignature, "byte \(index)") }
            if let read = try? SignedOffer(Array(good[..<index])) {
                #expect(refusal(read) == .wrongSignature, "cut at \(index)")
            }
        }
        for text in ["", "\n", "<!DOCTYPE html><html>", "howalarming-bundle 1\n2\n{}\n0\n", "howalarming-offer 1\n"] {
            #expect(throws: BundleError.self) { try SignedOffer(Array(text.utf8)) }
        }
        #expect(throws: BundleError.self) { try SignedOffer(good + [UInt8](repeating: 10, count: SignedOffer.longest)) }
    }

    @Test(
        "strangers, a bundle's signature, other boards, older numbers, expired ones and those below the floor are refused"
    )
    func whatMustNotBeBelievedIsRefused() {
        #expect(refusal(Self.signed(Self.offer(), seeds: [])) == .wrongSignature)
        #expect(refusal(Self.signed(Self.offer(), seeds: [9])) == .wrongSignature)
        #expect(refusal(Self.signed(Self.offer(), seeds: [9, 2])) == nil)
        #expect(refusal(Self.signed(Self.offer()), BundleBench.policy(seeds: [])) == .noKeys)
        var lent = Self.signed(Self.offer())
        if let signer = BundleBench.signer(1),
            let signature = signer.sign(BundleHeader.signedBytes(of: lent.offerBytes))
        {
            lent.signatures[0].bytes = signature
        }
        #expect(refusal(lent) == .wrongSignature)
        let other = Self.offer(release: BundleBench.release(board: "rpi"))
        #expect(refusal(Self.signed(other)) == .otherBoard(offered: "rpi", box: "virt"))
        #expect(refusal(Self.signed(Self.offer(number: 7)), seen: 8) == .older)
        #expect(refusal(Self.signed(Self.offer(number: 8)), seen: 8) == nil)
        #expect(refusal(Self.signed(Self.offer(expires: 50)), now: 49) == nil)
        #expect(refusal(Self.signed(Self.offer(expires: 50)), now: 50) == .expired(50))
        #expect(
            refusal(Self.signed(Self.offer()), BundleBench.policy(keptFloor: 2_000_000))
                == .belowFloor(version: "1.1.0"))
    }

    private static let today: Int64 = 1_700_000_000

    private static func refreshed(
        _ signed: SignedOffer, number: Int64 = today, expires: Int64 = 1_900_000_000, seed: UInt8 = 7
    ) -> SignedOffer {
        let message = OfferRefresh.signedBytes(number: number, expires: expires, of: signed.offerBytes)
        var refreshed = signed
        if let signer = BundleBench.signer(seed), let signature = signer.sign(message) {
            refreshed.refresh = OfferRefresh(
                number: number, expires: expires,
                signature: .init(keyID: BundleHeader.keyID(of: signer.publicKey, BundleBench.crypto), bytes: signature))
        }
        return refreshed
    }

    /// Keys 1 and 2 are of releases, 7 refreshes offers, 8 signs the web app.
    private static func roles(keptFloor: Int64 = 0) -> UpdatePolicy {
        var policy = BundleBench.policy(keptFloor: keptFloor)
        policy.keys += [BundleBench.key(7, name: "offer-1.pub"), BundleBench.key(8, name: "app-1.pub")].compactMap {
            $0
        }
        return policy
    }

    @Test("an offer that has expired counts again once an offer key, or a release's, has refreshed it")
    func aRefreshedOfferCountsAgain() throws {
        let old = Self.signed(Self.offer(number: 5, expires: 50))
        #expect(refusal(old, now: Self.today, Self.roles()) == .expired(50))
        for seed: UInt8 in [7, 2] {
            let signed = Self.refreshed(old, seed: seed)
            #expect(refusal(signed, seen: Self.today, now: Self.today, Self.roles()) == nil, "\(seed)")
            #expect(signed.current.number == Self.today && signed.current.expires == 1_900_000_000)
            #expect(signed.current.bundle == old.offer.bundle && signed.current.release == old.offer.release)
            #expect(try SignedOffer(signed.bytes) == signed)
        }
        let later = Self.refreshed(old, expires: 49)
        #expect(refusal(later, now: 50, Self.roles()) == .damaged("its refresh is of a later day"))
        #expect(refusal(Self.refreshed(old, number: 6, expires: 49), now: 50, Self.roles()) == .expired(49))
        #expect(refusal(Self.refreshed(old), seen: Self.today + 1, now: Self.today, Self.roles()) == .older)
        #expect(
            refusal(Self.refreshed(old), now: Self.today, Self.roles(keptFloor: 2_000_000))
                == .belowFloor(version: "1.1.0"))
    }

    @Test("an offer key names no bundle, goes neither back nor far ahead, and no other key refreshes")
    func anOfferKeyOnlyRefreshes() throws {
        // The offer itself must be signed with a release's key, whatever refreshes it.
        for seed: UInt8 in [7, 8, 9] {
            #expect(refusal(Self.signed(Self.offer(), seeds: [seed]), now: Self.today, Self.roles()) == .wrongSignature)
            let named = Self.refreshed(Self.signed(Self.offer(), seeds: [seed]))
            #expect(refusal(named, now: Self.today, Self.roles()) == .wrongSignature)
        }
        let good = Self.signed(Self.offer(number: 5))
        for seed: UInt8 in [8, 9] {
            #expect(refusal(Self.refreshed(good, seed: seed), now: Self.today, Self.roles()) == .wrongSignature)
        }
        // A refresh of another offer is none for this one.
        var moved = Self.signed(Self.offer(number: 5, name: "other.bundle"))
        moved.refresh = Self.refreshed(good).refresh
        #expect(refusal(moved, now: Self.today, Self.roles()) == .wrongSignature)
        #expect(refusal(Self.refreshed(good, number: 4), now: Self.today, Self.roles()) == .older)
        let ahead = Self.today + OfferRefresh.lead
        #expect(refusal(Self.refreshed(good, number: ahead), now: Self.today, Self.roles()) == nil)
        #expect(
            refusal(Self.refreshed(good, number: ahead + 1), now: Self.today, Self.roles())
                == .damaged("its refresh is of a later day"))
        #expect(refusal(Self.refreshed(good), now: Self.today, BundleBench.policy()) == .wrongSignature)
    }

    @Test("whatever is changed or cut in a refreshed offer is refused, and never a trap")
    func whateverIsChangedInARefreshedOfferIsRefused() {
        let good = Self.refreshed(Self.signed(Self.offer(number: 5))).bytes
        for index in good.indices {
            var changed = good
            changed[index] ^= 1
            if let read = try? SignedOffer(changed) {
                #expect(refusal(read, now: Self.today, Self.roles()) != nil, "byte \(index)")
            }
        }
        let lines = String(decoding: good, as: UTF8.self)
        for (old, new) in [
            ("refresh 1700000000", "refresh 01700000000"), ("refresh 1700000000", "refresh -1"),
            ("refresh 1700000000", "refresh 99999999999999999999"),
            ("refresh 1700000000 1900000000", "refresh 1700000000"),
            ("refresh 1700000000", "refresh"),
        ] {
            #expect(throws: BundleError.self) { try SignedOffer(Array(lines.replacing(old, with: new).utf8)) }
        }
    }

    @Test("a bundle's name leads nowhere but beside the offer")
    func aBundlesNameLeadsNowhereElse() {
        for name in ["../x.bundle", "/x", "a/b", "https:x", ".hidden", "", "a b", "x?y", "x#y", "%2e%2e"] {
            #expect(!UpdateOffer.isFileName(name), "\(name)")
            #expect(throws: BundleError.self) { try UpdateOffer(Self.offer(name: name).bytes) }
        }
        #expect(UpdateOffer.isFileName("howalarming-rpi-1.1.0.bundle"))
    }
}
