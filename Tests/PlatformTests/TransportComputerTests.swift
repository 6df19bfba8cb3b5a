import AlarmModel
import Foundation
import PhoneProtocol
import Platform
import Testing

@Suite struct TransportComputerTests {
    private func base64(_ text: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: text))) }

    private func scram(
        _ hash: SCRAMHash, salt: String, rounds: Int = 4096, _ authMessage: String
    ) throws -> TransportAnswer {
        TransportComputation.answer(
            to: .scram(
                hash, password: Secret("pencil"), salt: try base64(salt), rounds: rounds,
                authMessage: Array(authMessage.utf8)))
    }

    @Test("SCRAM-SHA-1 gives proof and signature of RFC 5802")
    func scramSHA1GivesProofAndSignatureOfRFC5802() throws {
        let nonce = "fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j"
        let answer = try scram(
            .sha1, salt: "QSXCR+Q6sek8bf92",
            "n=user,r=fyko+d2lbbFgONRv9qkxdawL,r=\(nonce),s=QSXCR+Q6sek8bf92,i=4096,c=biws,r=\(nonce)")
        #expect(
            answer
                == .scram(
                    proof: try base64("v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="),
                    serverSignature: try base64("rmF9pqV8S7suAoZWja4dJRkFsKQ=")))
    }

    @Test("SCRAM-SHA-256 gives proof and signature of RFC 7677")
    func scramSHA256GivesProofAndSignatureOfRFC7677() throws {
        let nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
        let salt = "W22ZaJ0SNY7soEsUEjb6gQ=="
        let answer = try scram(
            .sha256, salt: salt, "n=user,r=rOprNGfwEbeRWgbNEkqO,r=\(nonce),s=\(salt),i=4096,c=biws,r=\(nonce)")
        #expect(
            answer
                == .scram(
                    proof: try base64("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="),
                    serverSignature: try base64("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")))
    }

    @Test("rounds and salts that a hostile server chooses are refused with words", arguments: [-1, 0, 1_000_001, .max])
    func roundsAndSaltsThatAHostileServerChoosesAreRefusedWithWords(count: Int) throws {
        guard case .failed(let why) = try scram(.sha256, salt: "AAAA", rounds: count, "x") else {
            Issue.record("\(count) rounds were taken")
            return
        }
        #expect(why.contains("\(count) rounds"))
        let noSalt = TransportComputation.answer(
            to: .scram(.sha1, password: Secret("x"), salt: [], rounds: 1, authMessage: []))
        guard case .failed = noSalt else {
            Issue.record("an empty salt was taken")
            return
        }
    }

    @Test("HMAC gives the value of RFC 4231, case 2")
    func hmacGivesTheValueOfRFC4231() throws {
        let short = TransportComputation.answer(
            to: .hmacSHA256(key: Secret("Jefe"), message: Array("what do ya want for nothing?".utf8)))
        #expect(
            short == .bytes(try Hex.decode("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")))
    }

    @Test("random bytes are as many as asked for, at most 64, and never the same")
    func randomBytesAreAsManyAsAskedFor() {
        let jobs = [TransportJob.random(64), .random(64)].map { TransportComputation.answer(to: $0) }
        guard case .bytes(let first) = jobs[0], case .bytes(let second) = jobs[1] else {
            Issue.record("no bytes")
            return
        }
        #expect(first.count == 64 && first != second)
        for count in [-1, 65, Int.max] {
            guard case .failed = TransportComputation.answer(to: .random(count)) else {
                Issue.record("\(count) bytes were given")
                continue
            }
        }
    }

    /// Runs openssl; its output.
    private func openssl(_ arguments: [String], in directory: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = Pipe()
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(bytes)
    }

    @Test("openssl verifies an RS256 signature made with a key of its own, and not that of another message")
    func opensslVerifiesAnRS256SignatureMadeWithAKeyOfItsOwn() throws {
        let directory = try TemporaryDirectory()
        func file(_ name: String) -> String { "\(directory.path)/\(name)" }
        _ = try openssl(["genpkey", "-algorithm", "RSA", "-out", "key.pem"], in: directory.path)
        _ = try openssl(["pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"], in: directory.path)
        let pem = String(decoding: try FileReader.read(file("key.pem"), limit: 65536), as: UTF8.self)
        let message = Array("header.claims".utf8)
        let answer = TransportComputation.answer(to: .signRS256(key: Secret(pem), message: message))
        guard case .bytes(let signature) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(signature.count == 256)
        try AtomicFile.write(file("signature"), signature)
        try AtomicFile.write(file("message"), message)
        try AtomicFile.write(file("other"), Array("other".utf8))
        let verify = ["dgst", "-sha256", "-verify", "public.pem", "-signature", "signature"]
        let good = try openssl(verify + ["message"], in: directory.path)
        let bad = try openssl(verify + ["other"], in: directory.path)
        #expect(String(decoding: good, as: UTF8.self).contains("Verified OK"))
        #expect(!String(decoding: bad, as: UTF8.self).contains("Verified OK"))
    }

    @Test("what is no RSA key is refused with words, and never asks at the terminal")
    func whatIsNoRSAKeyIsRefusedWithWords() throws {
        let directory = try TemporaryDirectory()
        let locked = try openssl(
            ["genpkey", "-algorithm", "RSA", "-aes-256-cbc", "-pass", "pass:secret"], in: directory.path)
        let curve = try openssl(
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], in: directory.path)
        let small = try openssl(
            ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], in: directory.path)
        let cases: [(key: [UInt8], word: String)] = [
            ([], "cannot be read"), (Array("-----BEGIN PRIVATE KEY-----\nAAAA\n".utf8), "cannot be read"),
            (locked, "passphrase"), (curve, "not an RSA key"), (small, "1024 bits"),
        ]
        for (key, word) in cases {
            let answer = TransportComputation.answer(
                to: .signRS256(key: Secret(String(decoding: key, as: UTF8.self)), message: [1]))
            guard case .failed(let why) = answer else {
                Issue.record("a signature instead of '\(word)'")
                continue
            }
            #expect(why.contains(word))
        }
    }

    @Test("both ends of a connection have the same channel binding, other connections have others")
    func bothEndsOfAConnectionHaveTheSameChannelBinding() throws {
        let rig = try TLSRig()
        let (client, server) = try rig.pair()
        let (other, _) = try rig.pair()
        let binding = try #require(client.channelBinding)
        #expect(binding.count == 32)
        #expect(server.channelBinding == binding)
        #expect(other.channelBinding != binding)
        client.close()
        #expect(client.channelBinding == nil)
    }

    @Test("openssl exports the same channel binding at the other end")
    func opensslExportsTheSameChannelBindingAtTheOtherEnd() throws {
        let rig = try TLSRig()
        var server: SecureStream?
        var binding: [UInt8]?
        let port = try rig.listen(as: try rig.goodIdentity()) { stream in
            server = stream
            stream.onSecured = { [weak stream] in
                binding = stream?.channelBinding
                stream?.close()
            }
        }
        let child = try ChildProcess(
            "/usr/bin/env",
            [
                "openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-keymatexport", "EXPORTER-Channel-Binding",
                "-keymatexportlen", "32",
            ], output: .lines, on: rig.loop)
        var exported: String?
        child.onLine = { _, line in
            let words = line.split(separator: " ")
            if words.first == "Keying", words.dropFirst().first == "material:" {
                exported = words.last.map(String.init)
            }
        }
        child.onEnd = { _ in rig.loop.stop() }
        #expect(rig.loop.runBounded())
        #expect(server != nil)
        #expect(exported?.lowercased() == binding.map { Hex.encode($0) })
        #expect(exported != nil)
    }

    @Test("before TLS 1.3 there is no channel binding")
    func beforeTLS13ThereIsNoChannelBinding() throws {
        let rig = try TLSRig()
        var server: SecureStream?
        let port = try rig.listen(as: try rig.goodIdentity().speakingOnly(.tls12)) { server = $0 }
        var isAsked = false
        rig.dial(port) { stream in
            let client = try? SecureStream(client: stream, serverName: TLSRig.host, trust: rig.trust, on: rig.loop)
            client?.onSecured = { [weak client] in
                #expect(client?.channelBinding == nil)
                isAsked = true
                rig.loop.stop()
            }
            client?.startHandshake()
        }
        #expect(rig.loop.runBounded())
        #expect(isAsked && server != nil)
    }

    @Test("answers come after the call, long jobs in order, a binding only from an encrypted connection")
    func answersComeAfterTheCall() throws {
        let rig = try TLSRig()
        let (client, _) = try rig.pair()
        let computer = TransportComputer(on: rig.loop)
        let loop = rig.loop
        var answers: [TransportAnswer] = []
        var isInCall = true
        let slow = TransportJob.scram(.sha256, password: Secret("a"), salt: [1], rounds: 50_000, authMessage: [])
        let quick = TransportJob.signRS256(key: Secret(""), message: [])
        let jobs: [TransportJob] = [
            slow, quick, .random(3), .channelBinding(ConnectionID(1)), .channelBinding(ConnectionID(2)),
        ]
        for job in jobs {
            computer.carryOut(job, stream: { $0 == ConnectionID(1) ? client : nil }) { answer in
                #expect(!isInCall)
                answers.append(answer)
                if answers.count == jobs.count { loop.stop() }
            }
        }
        isInCall = false
        #expect(answers.isEmpty)
        try #require(loop.runBounded())
        let binding = try #require(client.channelBinding)
        #expect(answers[1] == .bytes(binding))
        #expect(answers[2] != .bytes(binding))
        guard case .scram = answers[3], case .failed(let why) = answers[4] else {
            Issue.record("\(answers)")
            return
        }
        #expect(why.contains("private key"))
    }
}
