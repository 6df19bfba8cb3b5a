import PhoneProtocol
import SoftwareUpdate
import Testing

struct BundleReaderTests {
    private static let image = Array("the content of a slot".utf8)
    private static let header = BundleBench.header(BundleBench.release(), image: image, seeds: [1, 2])
    private static let bundle = header.bytes + image

    private struct Heard: Equatable {
        var headers: [BundleHeader] = []
        var content: [UInt8] = []
        var ends = 0
        var error: BundleError?
    }

    private func read(_ pieces: [ArraySlice<UInt8>]) -> Heard {
        var reader = BundleReader()
        var heard = Heard()
        do throws(BundleError) {
            for piece in pieces {
                var items: [BundleReader.Item] = []
                try reader.take(piece, into: &items)
                for item in items {
                    switch item {
                    case .header(let header): heard.headers.append(header)
                    case .chunk(let part, let bytes):
                        #expect(part == 0)
                        heard.content += bytes
                    case .partEnded, .ended: heard.ends += 1
                    }
                }
            }
            try reader.finish()
        } catch {
            heard.error = error
        }
        return heard
    }

    private func read(_ bytes: [UInt8]) -> Heard { read([bytes[...]]) }

    @Test("a bundle cut anywhere in two is read the same")
    func aBundleCutAnywhereInTwoIsReadTheSame() {
        let whole = read(Self.bundle)
        #expect(whole.headers == [Self.header])
        #expect(whole.content == Self.image)
        #expect(whole.ends == 2)
        #expect(whole.error == nil)
        for place in 0...Self.bundle.count {
            #expect(read([Self.bundle[..<place], Self.bundle[place...]]) == whole)
        }
        #expect(read(Self.bundle.indices.map { Self.bundle[$0...$0] }) == whole)
    }

    @Test("a bundle that ends too early is an error wherever it ends")
    func aBundleThatEndsTooEarlyIsAnErrorWhereverItEnds() {
        for place in 0..<Self.bundle.count {
            let error = read(Array(Self.bundle[..<place])).error
            let isHead = place < BundleHeader.mark.utf8.count + 1
            if isHead {
                #expect(error == .notABundle)
            } else if place < Self.header.bytes.count {
                #expect(error == .cut(missing: nil))
            } else {
                #expect(error == .cut(missing: Self.bundle.count - place))
            }
        }
    }

    @Test("what follows after the end is an error, and it stays one")
    func whatFollowsAfterTheEndIsAnError() {
        #expect(read(Self.bundle + [10]).error == .trailing)
        var reader = BundleReader()
        var items: [BundleReader.Item] = []
        try? reader.take((Self.bundle + [10])[...], into: &items)
        #expect(throws: BundleError.trailing) { try reader.finish() }
        #expect(throws: BundleError.trailing) { try reader.take([], into: &items) }
    }

    @Test(
        "a head that is not one is refused with its place",
        arguments: [
            ("hello\n", BundleError.notABundle), ("howalarming-bundle 2\n", .notABundle),
            ("howalarming-bundle 1\n-4\n", .head("the size of the manifest")),
            ("howalarming-bundle 1\n004\n", .head("the size of the manifest")),
            ("howalarming-bundle 1\n99999999\n", .head("the size of the manifest")),
            ("howalarming-bundle 1\n9999999999999999999999\n", .head("the size of the manifest")),
        ])
    func aHeadThatIsNotOneIsRefusedWithItsPlace(_ text: String, _ error: BundleError) {
        #expect(read(Array(text.utf8)).error == error)
    }

    @Test("a first line without end costs no memory")
    func aFirstLineWithoutEndCostsNoMemory() {
        #expect(read([UInt8](repeating: 65, count: 1 << 20)).error == .notABundle)
    }

    @Test("no signatures are read as none, too many and damaged ones are refused")
    func noSignaturesAreReadAsNone() {
        var bare = Self.header
        bare.signatures = []
        #expect(read(bare.bytes + Self.image).headers.first?.signatures == [])
        bare.signatures = Array(repeating: Self.header.signatures[0], count: 9)
        #expect(read(bare.bytes).error == .head("the number of signatures"))
        var damaged = Self.header.bytes
        damaged[damaged.count - 2] = UInt8(ascii: "x")
        #expect(read(damaged).error == .head("a signature"))
    }

    @Test(
        "a manifest that says too little or too much is refused",
        arguments: [
            "{}", "[]", "null",
            #"{"board":"virt","version":"1","number":5,"floor":6,"built":"x","parts":[]}"#,
            #"{"board":"virt","version":"1","number":5,"floor":1,"built":"x","parts":[]}"#,
            #"{"board":"../virt","version":"1","number":5,"floor":1,"built":"x","parts":[]}"#,
            #"{"board":"virt","version":"1","number":-5,"floor":1,"built":"x","parts":[]}"#,
            #"{"board":"virt","version":"1","number":5,"floor":1,"built":"x","parts":[{"name":"slot","bytes":0,"sha256":""}]}"#,
            #"{"board":"virt","version":"1","number":5,"floor":1,"built":"x","parts":[{"name":"slot","bytes":9,"sha256":"00"}]}"#,
        ])
    func aManifestThatSaysTooLittleOrTooMuchIsRefused(_ text: String) {
        #expect(throws: BundleError.self) { try BundleManifest(Array(text.utf8)) }
    }

    @Test("parts whose sizes overflow are refused")
    func partsWhoseSizesOverflowAreRefused() {
        let part = BundleManifest.Part(
            name: "slot", bytes: Int.max, sha256: [UInt8](repeating: 0, count: 32))
        var other = part
        other.name = "other"
        let manifest = BundleManifest(release: BundleBench.release(), parts: [part, other])
        #expect(throws: BundleError.manifest("the parts are too large")) { try BundleManifest(manifest.bytes) }
    }

    @Test("a release's file is read as it was written")
    func aReleasesFileIsReadAsItWasWritten() throws {
        let release = BundleBench.release()
        let back = try ReleaseDescription(file: Array((release.json.text + "\n").utf8))
        #expect(back == release)
    }
}
