import PhoneProtocol
import Platform
import SoftwareUpdate
import Testing

struct UpdatePolicyTests {
    private let image = BundleBench.image()

    private func refusal(
        _ release: ReleaseDescription, _ policy: UpdatePolicy, seeds: [UInt8] = [1]
    ) -> UpdateRefusal? {
        BundleBench.refusal(policy, BundleBench.header(release, image: image, seeds: seeds))
    }

    @Test("a newer bundle for this board that either key has signed is taken")
    func aNewerBundleForThisBoardThatEitherKeyHasSignedIsTaken() throws {
        let policy = BundleBench.policy()
        for seed in [UInt8(1), 2] {
            #expect(refusal(BundleBench.release(), policy, seeds: [seed]) == nil)
        }
        #expect(refusal(BundleBench.release(), policy, seeds: [9, 2]) == nil)
    }

    @Test("no signature, one of a stranger, and a changed manifest are refused")
    func noSignatureOneOfAStrangerAndAChangedManifestAreRefused() {
        let policy = BundleBench.policy()
        #expect(refusal(BundleBench.release(), policy, seeds: []) == .unsigned)
        #expect(refusal(BundleBench.release(), policy, seeds: [9]) == .wrongSignature)
        var changed = BundleBench.header(BundleBench.release(), image: image)
        changed.manifestBytes[20] ^= 1
        #expect(BundleBench.refusal(policy, changed) == .wrongSignature)
        // The right key's name over a stranger's signature.
        var lying = BundleBench.header(BundleBench.release(), image: image, seeds: [9])
        lying.signatures[0].keyID = BundleBench.header(BundleBench.release(), image: image).signatures[0].keyID
        #expect(BundleBench.refusal(policy, lying) == .wrongSignature)
        #expect(refusal(BundleBench.release(), BundleBench.policy(seeds: [])) == .noKeys)
    }

    @Test("a key of offers, and one of the web app, install nothing")
    func keysOfOtherRolesInstallNothing() {
        var policy = BundleBench.policy()
        policy.keys += [BundleBench.key(7, name: "offer-1.pub"), BundleBench.key(8, name: "app-1.pub")].compactMap {
            $0
        }
        for seed: UInt8 in [7, 8] {
            #expect(refusal(BundleBench.release(), policy, seeds: [seed]) == .wrongSignature)
        }
        #expect(refusal(BundleBench.release(), policy, seeds: [7, 2]) == nil)
        policy.keys.removeAll { $0.role == .release }
        #expect(refusal(BundleBench.release(), policy) == .noKeys)
    }

    @Test("a bundle for another board is refused")
    func aBundleForAnotherBoardIsRefused() {
        #expect(
            refusal(BundleBench.release(board: "rpi"), BundleBench.policy())
                == .otherBoard(bundle: "rpi", box: "virt"))
    }

    @Test("older and equal versions need a confirmation")
    func olderAndEqualVersionsNeedAConfirmation() {
        let old = BundleBench.release(version: "0.9.0", number: 999_000, floor: 0)
        let same = BundleBench.release(version: "1.0.0", number: 1_000_000)
        let installed = BundleBench.release(version: "1.0.0", number: 1_000_000, floor: 900_000)
        let policy = BundleBench.policy(installed: installed)
        #expect(refusal(old, policy) == .older(version: "0.9.0", installed: "1.0.0"))
        #expect(refusal(same, policy) == .same(version: "1.0.0"))
        var confirmed = policy
        confirmed.isOlderConfirmed = true
        #expect(refusal(old, confirmed) == nil)
        #expect(refusal(same, confirmed) == nil)
    }

    @Test("below the floor of the installed release or of any before, nothing is installed even on request")
    func belowTheFloorOfTheInstalledReleaseOrOfAnyBefore() {
        let old = BundleBench.release(version: "0.9.0", number: 999_000, floor: 0)
        #expect(refusal(old, BundleBench.policy(older: true)) == .belowFloor(version: "0.9.0"))
        let low = BundleBench.release(version: "1.0.0", number: 1_000_000, floor: 0)
        #expect(
            refusal(old, BundleBench.policy(installed: low, keptFloor: 999_001, older: true))
                == .belowFloor(version: "0.9.0"))
        #expect(refusal(old, BundleBench.policy(installed: low, keptFloor: 999_000, older: true)) == nil)
    }

    @Test("a slot that is too large, and parts that nobody knows, are refused")
    func aSlotThatIsTooLarge() {
        #expect(
            refusal(BundleBench.release(), BundleBench.policy(slotBytes: image.count - 4096))
                == .tooLarge(bytes: image.count, slot: image.count - 4096))
        let part = BundleManifest.Part(name: "slot", bytes: 4096 * 4, sha256: [UInt8](repeating: 0, count: 32))
        var other = part
        other.name = "boot"
        for parts in [[other], [part, other], [BundleManifest.Part(name: "slot", bytes: 4096, sha256: part.sha256)]] {
            let header = BundleBench.header(BundleBench.release(), image: image, parts: parts)
            #expect(BundleBench.refusal(BundleBench.policy(), header) == .unknownParts)
        }
    }

    @Test("parts that this version does not know are passed over if the bundle says so; the slot never is")
    func partsThatMayBePassedOver() throws {
        let slot = BundleManifest.Part(name: "slot", bytes: image.count, sha256: BundleBench.crypto.sha256(image))
        var other = slot
        other.name = "radio"
        other.isOptional = true
        let header = BundleBench.header(BundleBench.release(), image: image, parts: [other, slot])
        #expect(BundleBench.refusal(BundleBench.policy(), header) == nil)
        #expect(try BundleManifest(header.manifestBytes) == header.manifest)
        #expect(String(decoding: header.manifestBytes, as: UTF8.self).contains("\"optional\":true"))
        var mayBeMissing = slot
        mayBeMissing.isOptional = true
        let without = BundleBench.header(BundleBench.release(), image: image, parts: [mayBeMissing])
        #expect(BundleBench.refusal(BundleBench.policy(), without) == .unknownParts)
    }

    @Test("the end of the image has to tell what the manifest tells")
    func theEndOfTheImageHasToTellWhatTheManifestTells() throws {
        let header = BundleBench.header(BundleBench.release(), image: image)
        let policy = BundleBench.policy()
        let right = try SlotTrailer(Array(image.suffix(4096)))
        try policy.check(right, of: header.manifest)
        for change in [
            { (trailer: inout SlotTrailer) in trailer.version = "9" }, { $0.board = "rpi" }, { $0.dataBlocks = 0 },
            { $0.dataBlocks = Int.max }, { $0.hashOffset = 4096 * 4 }, { $0.hashOffset = 4096 },
        ] {
            var wrong = right
            change(&wrong)
            #expect(throws: UpdateRefusal.otherContent) { try policy.check(wrong, of: header.manifest) }
        }
    }

    @Test("a trailer is read back as written, and any damage is noticed")
    func aTrailerIsReadBackAsWritten() throws {
        let bytes = Array(image.suffix(4096))
        let trailer = try SlotTrailer(bytes)
        #expect(trailer.bytes == bytes)
        for place in [0, 30, 200, 4000, 4092, 4095] {
            var damaged = bytes
            damaged[place] ^= 0x10
            #expect(throws: BundleError.self) { try SlotTrailer(damaged) }
        }
        #expect(throws: BundleError.self) { try SlotTrailer([UInt8](repeating: 0, count: 4096)) }
        #expect(throws: BundleError.self) { try SlotTrailer([]) }
    }

    @Test("a key's file is 64 digits and a line end")
    func aKeysFileIs64DigitsAndALineEnd() {
        #expect(BundleBench.key(1)?.bytes.count == 32)
        #expect(UpdateKey(name: "x", file: Array("00ff\n".utf8)) == nil)
        #expect(UpdateKey(name: "x", file: Array((String(repeating: "00", count: 32) + "\nmore").utf8)) == nil)
        #expect(UpdateKey(name: "x", file: []) == nil)
    }

    @Test("the status is read back as written")
    func theStatusIsReadBackAsWritten() {
        let status = UpdateStatus(.readingBack, percent: 12, "Comparing")
        #expect(UpdateStatus(file: status.json.utf8 + [10]) == status)
        #expect(UpdateStatus(file: Array(#"{"phase":"x","percent":1,"message":""}"#.utf8)) == nil)
        #expect(UpdateStatus(file: Array(#"{"phase":"done","percent":900,"message":""}"#.utf8)) == nil)
    }
}
