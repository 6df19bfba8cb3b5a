import AlarmModel
package import CommandKit
import Glibc
import PhoneProtocol
import Platform
package import SoftwareUpdate

/// `bundle`: for whoever builds releases.
package enum BundleCommand: Command, Equatable {
    /// `file` and `file.pub`.
    case keygen(file: String)
    case make(ReleaseDescription, slot: String, signing: BundleSigning, output: String)
    /// `number` orders offers; `days` it counts.
    case offer(bundle: String, number: Int64, days: Int64, signing: BundleSigning, output: String)
    case refresh(offer: String, number: Int64, days: Int64, key: String, output: String)
    case sign(file: String, key: String)
    case show(file: String)

    package func run(on console: Console) -> Int32 {
        do throws(UpdateStop) {
            switch self {
            case .keygen(let file): console.print(try Self.keygen(file))
            case .make(let release, let slot, let signing, let output):
                console.print(try Self.make(release, slot: slot, signing: signing, output: output))
            case .offer(let bundle, let number, let days, let signing, let output):
                console.print(try Self.offer(bundle, number: number, days: days, signing: signing, output: output))
            case .refresh(let offer, let number, let days, let key, let output):
                console.print(try Self.refresh(offer, number: number, days: days, key: key, output: output))
            case .sign(let file, let key): console.print(try Self.sign(file, key: key))
            case .show(let file): console.print(try Self.show(file))
            }
            return ExitStatus.done
        } catch {
            console.complain(Text.printable(error.description))
            return ExitStatus.failed
        }
    }

    private static func keygen(_ file: String) throws(UpdateStop) -> [String] {
        let publicFile = "\(file).pub"
        for path in [file, publicFile] where access(path, F_OK) == 0 {
            throw .failed("\(path) is there already, and a key is never overwritten; choose another name")
        }
        let seed = Random.bytes(32)
        guard let signer = OpenSSLSigner(ed25519Seed: seed) else { throw .failed("no key could be made") }
        do throws(SystemError) {
            try AtomicFile.write(file, Array((Hex.encode(seed) + "\n").utf8), mode: 0o600)
            try AtomicFile.write(publicFile, Array((Hex.encode(signer.publicKey) + "\n").utf8), mode: 0o644)
        } catch {
            throw .failed("the key cannot be written: \(error)")
        }
        let id = Hex.encode(BundleHeader.keyID(of: signer.publicKey, OpenSSLCrypto()))
        return [
            "The key is in \(file): keep it away from machines that are online, and a copy of it.",
            "Its public half, for the image's update-keys, is in \(publicFile) (id \(id)).",
        ]
    }

    static func signer(_ file: String) throws(UpdateStop) -> OpenSSLSigner {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileReader.read(file, limit: 1024)
        } catch {
            throw .failed("the key cannot be read: \(error)")
        }
        guard let seed = try? Hex.decode(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)),
            let signer = OpenSSLSigner(ed25519Seed: seed)
        else { throw .failed("\(file) is no key of 'howalarming bundle keygen'") }
        return signer
    }

    private static func make(
        _ release: ReleaseDescription, slot: String, signing: BundleSigning, output: String
    ) throws(UpdateStop) -> [String] {
        let image = try reading { () throws(SystemError) in try BlockFile(slot, isWritable: false) }
        let trailer = CardDisk.trailer(of: image)
        guard let trailer, trailer.board == release.board, trailer.version == release.version else {
            throw .failed(
                "\(slot) does not end with the trailer of version \(release.version) for \(release.board)")
        }
        let digest = RunningDigest()
        try reading { () throws(SystemError) in
            try pieces(of: image) { (bytes) throws(SystemError) in digest.update(bytes) }
        }
        let part = BundleManifest.Part(name: BundleManifest.slotPart, bytes: image.size, sha256: digest.finish())
        let manifest = BundleManifest(release: release, parts: [part])
        let bytes = manifest.bytes
        let message = BundleHeader.signedBytes(of: bytes)
        guard let (signature, key) = try signing.signature(of: message) else { return [Hex.encode(message)] }
        let header = BundleHeader(manifest: manifest, manifestBytes: bytes, signatures: [signature])
        let policy = UpdatePolicy(
            installed: release, keptFloor: 0, keys: [key], slotBytes: nil, isOlderConfirmed: true)
        do throws(UpdateRefusal) {
            _ = try policy.check(header, OpenSSLCrypto())
            try policy.check(trailer, of: manifest)
        } catch {
            throw .failed("a box would refuse this bundle: \(error)")
        }
        try reading { () throws(SystemError) in
            try AtomicFile.write(output, header.bytes, mode: 0o644)
            let file = try BlockFile(output, isWritable: true)
            var place = file.size
            try pieces(of: image) { (bytes) throws(SystemError) in
                try file.write(bytes, at: place)
                place += bytes.count
            }
            try file.sync()
        }
        return BundleText.lines(header)
    }

    static func reading<Value>(_ body: () throws(SystemError) -> Value) throws(UpdateStop) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .failed(error.description)
        }
    }

    static func pieces(
        of file: BlockFile, _ take: (ArraySlice<UInt8>) throws(SystemError) -> Void
    ) throws(SystemError) {
        var place = 0
        while place < file.size {
            let piece = try file.read(min(1 << 20, file.size - place), at: place)
            guard !piece.isEmpty else { throw SystemError(call: "read", number: EIO, subject: "the slot's image") }
            try take(piece[...])
            place += piece.count
        }
    }

    /// Whole or not; who may install it is not asked.
    private static func show(_ path: String) throws(UpdateStop) -> [String] {
        let file = try BundleFile(path)
        var header: BundleHeader?
        var wrong: [String] = []
        let digest = RunningDigest()
        try file.read { (item, _) throws(UpdateStop) in
            switch item {
            case .header(let found): header = found
            case .chunk(_, let bytes): digest.update(bytes)
            case .partEnded(let index):
                let part = header?.manifest.parts[index]
                if digest.finish() != part?.sha256 { wrong.append(part?.name ?? "?") }
            case .ended: break
            }
        }
        guard let header else { throw .refused(.damaged(.cut(missing: nil))) }
        guard wrong.isEmpty else { throw .refused(.wrongHash) }
        return BundleText.lines(header) + ["The bundle is whole."]
    }
}

extension BundleCommand {
    package static let entry = CommandEntry(
        "bundle", in: .daemon, brief: "make bundles for updates",
        """
        Makes keys and bundles for updates, for whoever builds releases.

        howalarming bundle show howalarming-rpi-1.1.0.bundle
        """,
        parts: [
            CommandEntry(
                "bundle keygen", in: .daemon, brief: "a new signing key",
                needs: ["--out"],
                """
                Makes an Ed25519 key for signing bundles. Its public half is written beside it, with the ending .pub,
                as an image takes it.

                --out FILE  the key

                howalarming bundle keygen --out release.key
                """
            ) { given throws(UsageError) in BundleCommand.keygen(file: try given.needed("--out")) },
            CommandEntry(
                "bundle make", in: .daemon, brief: "a signed bundle",
                """
                Makes a bundle of a slot's image, which has to end with its trailer, and signs it. All options are
                needed but --built, and one of three: --key; or --digest, which prints what 'bundle sign' signs on
                another machine; or --signature, which takes the line that it printed, with --public-key and the same
                --built.

                --board BOARD       which machines
                --version TEXT      for people
                --number N          orders versions
                --floor N           the lowest that may be installed after it
                --slot IMAGE        the slot's image
                --key FILE          of 'bundle keygen'
                --digest            print what is to be signed; no bundle is made
                --signature LINE    of 'bundle sign'
                --public-key FILE   the public half of the key that made it
                --out FILE          the bundle
                --built TIME        when (SOURCE_DATE_EPOCH, or now)
                """
            ) { given throws(UsageError) in
                let release = ReleaseDescription(
                    board: try given.needed("--board"), version: try given.needed("--version"),
                    number: try number("--number", given), floor: try number("--floor", given),
                    built: given.value("--built") ?? builtNow)
                do throws(BundleError) {
                    _ = try ReleaseDescription(release.json)
                } catch {
                    throw given.misuse("no box would take this: \(error)")
                }
                let signing = try signing(given)
                return BundleCommand.make(
                    release, slot: try given.needed("--slot"), signing: signing,
                    output: signing == .digest ? "" : try given.needed("--out"))
            },
            CommandEntry(
                "bundle offer", "FILE", in: .daemon, brief: "a signed offer of one",
                """
                Writes the file that boxes ask a host for: which bundle lies beside it, signed with the same key. Put
                both into one directory of a host that serves files over https, and name the address of the offer in the
                section 'updates' of the boxes. Before it expires it has to be made again, or refreshed ('bundle
                refresh'), also where the version stays. Boxes refuse an offer with a lower number than they have seen.
                --out is needed, and --key, --digest or --signature as for 'bundle make'; the last two with the same
                SOURCE_DATE_EPOCH.

                --key FILE          of 'bundle keygen'
                --digest            print what is to be signed; no offer is made
                --signature LINE    of 'bundle sign'
                --public-key FILE   the public half of the key that made it
                --out FILE          the offer
                --number N          orders offers (SOURCE_DATE_EPOCH, or now)
                --days N            days that it counts (90)

                howalarming bundle offer new.bundle --key release.key --out rpi.offer
                """
            ) { given throws(UsageError) in
                let signing = try signing(given)
                return BundleCommand.offer(
                    bundle: given.operands[0],
                    number: given.has("--number") ? try number("--number", given) : secondsNow,
                    days: given.has("--days") ? try number("--days", given) : 90, signing: signing,
                    output: signing == .digest ? "" : try given.needed("--out"))
            },
            CommandEntry(
                "bundle refresh", "FILE", in: .daemon, brief: "an offer that goes on",
                """
                Gives an offer a later number and expiry, with a key that can do nothing else: its public half is
                offer-1.pub among the keys of the image. So the key that signs bundles can stay where it is. Boxes refuse a
                number that is more than a day ahead of their clock. --key and --out are needed.

                --key FILE   of 'bundle keygen'
                --out FILE   the offer; it may be the same file
                --number N   orders offers (SOURCE_DATE_EPOCH, or now)
                --days N     days that it counts from now on (90)

                howalarming bundle refresh rpi.offer --key offer.key --out rpi.offer
                """
            ) { given throws(UsageError) in
                BundleCommand.refresh(
                    offer: given.operands[0],
                    number: given.has("--number") ? try number("--number", given) : secondsNow,
                    days: given.has("--days") ? try number("--days", given) : 90, key: try given.needed("--key"),
                    output: try given.needed("--out"))
            },
            CommandEntry(
                "bundle sign", "FILE", in: .daemon, brief: "a signature for another machine",
                """
                Signs what 'bundle make' or 'bundle offer' printed with --digest, on a machine that has the key and
                needs neither source nor network. Prints what it is: read it. The last line is the signature, for
                --signature.

                --key FILE   of 'bundle keygen'

                howalarming bundle sign digest.txt --key release.key
                """
            ) { given throws(UsageError) in
                BundleCommand.sign(file: given.operands[0], key: try given.needed("--key"))
            },
            CommandEntry(
                "bundle show", "FILE", in: .daemon, brief: "what is in one",
                """
                Says what a bundle holds and whether it is whole. Whether a box would take it says 'howalarming update
                --check' there.

                howalarming bundle show howalarming-rpi-1.1.0.bundle
                """
            ) { BundleCommand.show(file: $0.operands[0]) },
        ])

    private static func signing(_ given: ParsedArguments) throws(UsageError) -> BundleSigning {
        if given.has("--digest") { return .digest }
        guard given.has("--signature") else { return .key(file: try given.needed("--key")) }
        return .made(line: try given.needed("--signature"), publicKey: try given.needed("--public-key"))
    }

    private static func number(_ name: String, _ given: ParsedArguments) throws(UsageError) -> Int64 {
        _ = try given.needed(name)
        return try given.read(name, "a number") { Int64($0).flatMap { $0 >= 0 ? $0 : nil } } ?? 0
    }

    static var secondsNow: Int64 {
        getenv("SOURCE_DATE_EPOCH").flatMap { Int64(String(cString: $0)) } ?? SystemClock.wallTime().seconds
    }

    /// So that two builds of the same source are equal.
    private static var builtNow: String {
        let time = CivilTime(secondsSince1970: secondsNow, offset: 0)
        return String(time.text.map { $0 == " " ? "T" : $0 }) + "Z"
    }
}
