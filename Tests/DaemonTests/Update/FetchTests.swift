import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform
import SoftwareUpdate
import Testing

@testable import Card
@testable import Daemon

@Suite("A version comes over the line") struct FetchTests {
    static let newer = FetchAnswer.Offer(number: 7, version: "1.1.0", isNewer: true)

    @Test("an offer is asked for in the words of every box, and nothing else is")
    func anOfferIsAskedForInTheWordsOfEveryBox() throws {
        let bench = try FetchBench()
        try bench.publish()
        #expect(bench.fetch(.ask) == [.offer(Self.newer)])
        #expect(
            bench.requests == [
                "GET /box/virt.offer HTTP/1.1\r\nHost: localhost:\(bench.port)\r\nUser-Agent: HowAlarming\r\n"
                    + "Accept-Encoding: identity\r\n\r\n"
            ])
        #expect(bench.names.isEmpty)
    }

    @Test("what is offered is fetched, installed by the updater as from a stick, and followed to its end")
    func whatIsOfferedIsFetchedInstalledAndFollowed() throws {
        let bench = try FetchBench()
        try bench.publish()
        #expect(bench.fetch(.get).last == .got(Self.newer))
        #expect(bench.names == ["update.bundle"])
        #expect(try bench.update.update(.install(file: bench.bundle)).status == 0)
        #expect(try bench.update.state.first == .b)
        #expect(bench.fetch(.follow).last == .installed)
        // What is there and whole is not fetched again.
        bench.requests = []
        #expect(bench.fetch(.get) == [.got(Self.newer)])
        #expect(bench.requests.count == 1)
        // Once it runs, its bundle goes.
        try bench.update.write(UpdateBench.release("1.1.0", 1_001_000).json.utf8 + [10], "release.json")
        #expect(bench.fetch(.ask) == [.offer(.init(number: 7, version: "1.1.0", isNewer: false))])
        #expect(bench.names.isEmpty)
    }

    @Test(
        "what 'bundle offer' writes is taken by a box; another key's bundle, and a name that leads elsewhere, are not offered"
    )
    func whatBundleOfferWritesIsTaken() throws {
        let bench = try FetchBench()
        let bundle = try bench.update.bundle()
        func offer(_ key: String, bundle: String, days: Int64 = 2) throws -> (status: Int32, text: String) {
            let command = BundleCommand.offer(
                bundle: bundle, number: 7, days: days, signing: .key(file: bench.update.path(key)),
                output: bench.update.path("virt.offer"))
            return try bench.update.run { command.run(on: $0) }
        }
        let made = try offer("key", bundle: bundle)
        #expect(made.status == 0 && made.text.contains("Offered as number 7, for 2 days"))
        bench.host["/box/virt.offer"] = .file(try bench.update.read("virt.offer"))
        bench.host["/box/1.1.0.bundle"] = .file(try bench.update.read("1.1.0.bundle"))
        let now = SystemClock.wallTime().seconds
        #expect(bench.fetch(.get, now: now).last == .got(Self.newer))
        guard case .refused? = bench.fetch(.ask, now: now + 3 * 86_400).last else {
            Issue.record("it does not expire")
            return
        }
        #expect(try bench.update.run { BundleCommand.keygen(file: bench.update.path("other")).run(on: $0) }.status == 0)
        #expect(try offer("other", bundle: bundle).status != 0)
        #expect(try offer("key", bundle: bundle, days: 0).status != 0)
        try bench.update.write(try bench.update.read("1.1.0.bundle"), "a b.bundle")
        #expect(try offer("key", bundle: bench.update.path("a b.bundle")).status != 0)
    }

    @Test("an offer that has expired is taken again once an offer key of the image has refreshed it")
    func aRefreshedOfferIsTaken() throws {
        let bench = try FetchBench()
        let bundle = try bench.update.bundle()
        let (now, file) = (SystemClock.wallTime().seconds, bench.update.path("virt.offer"))
        for command in [
            BundleCommand.offer(
                bundle: bundle, number: 7, days: 1, signing: .key(file: bench.update.path("key")), output: file),
            BundleCommand.keygen(file: bench.update.path("renewing")),
            BundleCommand.refresh(offer: file, number: 8, days: 9, key: bench.update.path("renewing"), output: file),
        ] { #expect(try bench.update.run { command.run(on: $0) }.status == 0) }
        bench.host["/box/virt.offer"] = .file(try bench.update.read("virt.offer"))
        bench.host["/box/1.1.0.bundle"] = .file(try bench.update.read("1.1.0.bundle"))
        guard case .refused? = bench.fetch(.ask, now: now + 3 * 86_400).last else {
            Issue.record("a key that is not in the image refreshes an offer")
            return
        }
        try AtomicFile.write(
            "\(bench.update.places.keys)/offer-1.pub", try bench.update.read("renewing.pub"), mode: 0o644)
        #expect(
            bench.fetch(.get, now: now + 3 * 86_400).last == .got(.init(number: 8, version: "1.1.0", isNewer: true)))
        guard case .refused? = bench.fetch(.ask, now: now + 10 * 86_400).last else {
            Issue.record("a refreshed offer does not expire")
            return
        }
        let back = BundleCommand.refresh(
            offer: file, number: 6, days: 9, key: bench.update.path("renewing"), output: file)
        #expect(try bench.update.run { back.run(on: $0) }.status != 0)
    }

    @Test("a host with an authority of its own is believed only where the request names it, for offer and bundle")
    func aHostWithAnAuthorityOfItsOwn() throws {
        let bench = try FetchBench()
        try bench.publish()
        let other = try Authority()
        try AtomicFile.write(bench.update.path("ca.pem"), Array(other.certificatePEM.utf8))
        guard case .failed(let why)? = bench.fetch(.get).last else {
            Issue.record("a host of an unknown authority is believed")
            return
        }
        #expect(why.contains("name it with ca_file") && bench.requests.isEmpty)
        #expect(bench.fetch(.get, authorities: bench.authority.certificatePEM).last == .got(Self.newer))
        #expect(bench.requests.count == 2)
        guard case .failed? = bench.fetch(.ask, authorities: other.certificatePEM).last,
            case .failed(let broken)? = bench.fetch(.ask, authorities: "nothing").last
        else {
            Issue.record("the system's authorities hold beside those that are named")
            return
        }
        #expect(broken.contains("updates.ca_file"))
    }

    @Test("a request with the longest file of authorities fits into its line")
    func aRequestWithTheLongestFileOfAuthorities() throws {
        let line = String(repeating: "A", count: 63) + "\n"
        let authorities = String(repeating: line, count: FetchRequest.longestAuthorities / 64)
        let request = FetchRequest(
            .get, url: "https://updates.example.org/\(String(repeating: "x", count: 2000)).offer",
            authorities: authorities, link: "eth0", seen: .max, now: .max)
        let bytes = request.json.utf8
        #expect(bytes.count <= FetchRequest.longest)
        #expect(FetchRequest(bytes) == request)
    }

    @Test("the updater's refusal is told, and one that does not begin")
    func theUpdatersRefusalIsTold() throws {
        let bench = try FetchBench()
        try bench.publish()
        #expect(bench.fetch(.get).last == .got(Self.newer))
        bench.settings.patience = .milliseconds(100)
        guard case .failed(let why)? = bench.fetch(.follow).last else {
            Issue.record("the updater has not begun")
            return
        }
        #expect(why.contains("did not begin"))
        try bench.update.write(UpdateStatus(.refused, percent: 0, "for another board").json.utf8, "status.json")
        #expect(bench.fetch(.follow).last == .refused("for another board"))
    }

    @Test("a bundle that comes byte by byte is written in large pieces, and whole")
    func aBundleThatComesByteByByteIsWrittenInLargePieces() throws {
        let bench = try FetchBench()
        let bytes = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let digest = RunningDigest()
        digest.update(bytes[...])
        let store = BundleStore(
            bench.settings.directory, for: .init(name: "b", bytes: bytes.count, sha256: digest.finish()))
        func written() throws -> Int {
            try BlockFile("\(bench.settings.directory)/update.part", isWritable: false).size
        }
        try store.begin()
        for (count, byte) in bytes.enumerated() {
            let percent = try store.take([byte])
            if count + 1 == bytes.count { #expect(percent == 100) }
            if count == 1000 { #expect(try written() == 0) }
            if count == BundleStore.writeSize { #expect(try written() == BundleStore.writeSize) }
        }
        try store.finish()
        #expect(try FileReader.read(bench.bundle, limit: 1 << 20) == bytes)
    }

    @Test("a card without room says so before anything is fetched")
    func aCardWithoutRoomSaysSo() throws {
        let bench = try FetchBench()
        try bench.publish { $0.bundle.bytes = BundleStore.largest }
        guard case .failed(let why)? = bench.fetch(.get).last else {
            // Where the disk has a gigabyte to spare the host's answer is too short for it.
            #expect(bench.names.isEmpty)
            return
        }
        #expect(why.contains("stick") || why.contains("localhost"))
        #expect(bench.names.isEmpty)
    }
}

@Suite("A hostile host installs nothing and keeps nothing busy") struct HostileHostTests {
    private func failure(_ bench: FetchBench, _ task: FetchRequest.Task = .ask, seen: Int64 = 0) -> String? {
        let said = bench.fetch(task, seen: seen)
        #expect(bench.names.isEmpty, "something is left behind")
        return if case .failed(let why)? = said.last { why } else { nil }
    }

    private func refusal(_ bench: FetchBench, _ task: FetchRequest.Task = .ask, seen: Int64 = 0) -> String? {
        let said = bench.fetch(task, seen: seen)
        #expect(bench.names.isEmpty, "something is left behind")
        return if case .refused(let why)? = said.last { why } else { nil }
    }

    @Test("instead of an offer: a page, nothing, a redirect, no HTTP, something encoded, something endless")
    func insteadOfAnOffer() throws {
        let bench = try FetchBench()
        try bench.publish()
        let offer = "/box/virt.offer"
        bench.host[offer] = .file(Array("<!DOCTYPE html><html>welcome</html>".utf8))
        #expect(try #require(failure(bench)).contains("no offer"))
        bench.host[offer] = nil
        #expect(try #require(failure(bench)).contains("404"))
        bench.host[offer] = .raw(
            Array(
                "HTTP/1.1 302 Found\r\nLocation: https://localhost:\(bench.port)/box/other\r\nContent-Length: 0\r\n\r\n"
                    .utf8),
            thenEnds: true)
        bench.requests = []
        #expect(try #require(failure(bench)).contains("not followed"))
        #expect(bench.requests.count == 1)
        bench.host[offer] = .raw(Array("SSH-2.0-x\r\n".utf8), thenEnds: true)
        #expect(try #require(failure(bench)).contains("HTTP"))
        bench.host[offer] = .raw(
            Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx".utf8), thenEnds: true)
        #expect(try #require(failure(bench)).contains("gzip"))
        bench.host[offer] = .endless
        #expect(try #require(failure(bench)).contains("16384"))
        bench.host[offer] = .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n".utf8), thenEnds: false)
        #expect(failure(bench) != nil)
        bench.host[offer] = .raw([], thenEnds: true)
        #expect(failure(bench) != nil)
    }

    @Test("a drip and a silence end in time")
    func aDripAndASilenceEndInTime() throws {
        let bench = try FetchBench()
        try bench.publish()
        guard case .file(let content)? = bench.host["/box/virt.offer"] else { return }
        bench.settings.offer.total = .seconds(1)
        bench.host["/box/virt.offer"] = .drip(content, 50)
        #expect(try #require(failure(bench)).contains("too long"))
        bench.settings.offer.total = .seconds(30)
        bench.settings.offer.silence = .milliseconds(500)
        bench.host["/box/virt.offer"] = .stalls(content, after: 20)
        #expect(try #require(failure(bench)).contains("silent"))
    }

    @Test("an old offer shown again, an expired, a forged one, and one for another board are refused")
    func whatMustNotBeBelievedIsRefused() throws {
        let bench = try FetchBench()
        try bench.publish(number: 7)
        #expect(bench.fetch(.ask, seen: 7) == [.offer(FetchTests.newer)])
        #expect(try #require(refusal(bench, seen: 8)).contains("older"))
        #expect(try #require(refusal(bench, .get, seen: 8)).contains("older"))
        try bench.publish(expires: FetchBench.now)
        #expect(try #require(refusal(bench)).contains("expired"))
        #expect(
            try bench.update.run { BundleCommand.keygen(file: bench.update.path("stranger")).run(on: $0) }.status == 0)
        try bench.publish(key: "stranger")
        #expect(try #require(refusal(bench)).contains("signed"))
        #expect(try #require(refusal(bench, .get)).contains("signed"))
        try bench.publish(UpdateBench.release("1.1.0", 1_001_000, board: "rpi"))
        #expect(try #require(refusal(bench)).contains("rpi"))
        try bench.publish()
        guard case .file(var content)? = bench.host["/box/virt.offer"] else { return }
        content[40] ^= 1
        bench.host["/box/virt.offer"] = .file(content)
        #expect(failure(bench) != nil || refusal(bench) != nil)
    }

    @Test("without encryption, and with a certificate of somebody else, nothing is asked")
    func withoutProofNothingIsAsked() throws {
        let bench = try FetchBench()
        try bench.publish()
        let plain = bench.fetch(.ask, url: "http://localhost:\(bench.port)/box/virt.offer")
        #expect(plain == [.failed("localhost: the address does not begin with https://")])
        guard case .failed(let why)? = bench.fetch(.ask, name: "127.0.0.1").last else {
            Issue.record("a certificate for localhost was taken for 127.0.0.1")
            return
        }
        #expect(why.contains("encrypted") || why.contains("certificate"))
        #expect(bench.requests.isEmpty)
    }

    @Test(
        "a bundle that is cut at any stage, longer, changed or never comes is not kept, and the next try gets it whole")
    func aBundleThatIsCutIsNotKept() throws {
        let bench = try FetchBench()
        try bench.publish()
        guard case .file(let content)? = bench.host["/box/new.bundle"] else { return }
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8)
        for cut in [0, 1, 300, content.count / 2, content.count - 1] {
            bench.host["/box/new.bundle"] = .raw(head + content.prefix(cut), thenEnds: true)
            #expect(failure(bench, .get) != nil, "cut at \(cut)")
        }
        // Without its length, the end of the connection looks like the end of the file.
        let open = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        bench.host["/box/new.bundle"] = .raw(open + content.dropLast(), thenEnds: true)
        #expect(try #require(refusal(bench, .get)).contains("shorter"))
        bench.host["/box/new.bundle"] = .raw(open + content + [0], thenEnds: true)
        #expect(failure(bench, .get) != nil)
        bench.host["/box/new.bundle"] = .endless
        #expect(failure(bench, .get) != nil)
        var changed = content
        changed[content.count / 2] ^= 1
        bench.host["/box/new.bundle"] = .file(changed)
        #expect(try #require(refusal(bench, .get)).contains("not what was signed"))
        bench.host["/box/new.bundle"] = .raw(
            Array("HTTP/1.1 302 Found\r\nLocation: /box/other\r\nContent-Length: 0\r\n\r\n".utf8), thenEnds: true)
        #expect(failure(bench, .get) != nil)
        bench.settings.silence = .milliseconds(300)
        bench.host["/box/new.bundle"] = .stalls(content, after: content.count / 2)
        #expect(try #require(failure(bench, .get)).contains("silent"))
        bench.settings.silence = .seconds(60)
        bench.settings.total = .milliseconds(500)
        bench.host["/box/new.bundle"] = .drip(content, 10)
        #expect(try #require(failure(bench, .get)).contains("too long"))
        bench.settings.total = .seconds(60)
        bench.host["/box/new.bundle"] = .file(content)
        #expect(bench.fetch(.get).last == .got(FetchTests.newer))
        #expect(try bench.update.read("fetched/update.bundle") == content)
    }

    @Test("a bundle that lies there changed is fetched anew, and what a kill left behind goes")
    func aBundleThatLiesThereChangedIsFetchedAnew() throws {
        let bench = try FetchBench()
        try bench.publish()
        #expect(bench.fetch(.get).last == .got(FetchTests.newer))
        var content = try bench.update.read("fetched/update.bundle")
        content[content.count - 5000] ^= 1
        try bench.update.write(content, "fetched/update.bundle")
        try bench.update.write([1, 2, 3], "fetched/update.part")
        #expect(bench.fetch(.get).last == .got(FetchTests.newer))
        content[content.count - 5000] ^= 1
        #expect(try bench.update.read("fetched/update.bundle") == content)
        #expect(bench.names == ["update.bundle"])
        try bench.update.write([1, 2, 3], "fetched/update.part")
        #expect(bench.fetch(.ask) == [.offer(FetchTests.newer)])
        #expect(bench.names == ["update.bundle"])
    }

    @Test("a bundle whose own signature is a stranger's is refused by the updater, however it came")
    func aBundleOfAStrangerIsRefusedByTheUpdater() throws {
        let bench = try FetchBench()
        #expect(
            try bench.update.run { BundleCommand.keygen(file: bench.update.path("stranger")).run(on: $0) }.status == 0)
        let release = UpdateBench.release("1.1.0", 1_001_000)
        let forged = try bench.update.read(
            String(try #require(try bench.update.bundle(release, key: "stranger").split(separator: "/").last)))
        try bench.publish {
            $0.bundle = .init(name: "new.bundle", bytes: forged.count, sha256: OpenSSLCrypto().sha256(forged))
        }
        bench.host["/box/new.bundle"] = .file(forged)
        #expect(bench.fetch(.get).last == .got(FetchTests.newer))
        let card = try bench.update.card
        #expect(try bench.update.update(.install(file: bench.bundle)).status != 0)
        #expect(try bench.update.card == card)
        guard case .refused? = bench.fetch(.follow).last else {
            Issue.record("the refusal is not told")
            return
        }
    }
}
