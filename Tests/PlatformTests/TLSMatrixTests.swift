import AlarmModel
import Glibc
import Platform
import Testing

/// One good server and all the bad ones: each has to fail in the handshake, for its own reason.
@Suite struct TLSMatrixTests {
    private typealias Request = Authority.Request
    private let host = TLSRig.host

    private func outcome(
        serverName: String = TLSRig.host, _ identity: (TLSRig) throws -> TLSIdentity
    ) throws -> TLSRig.Outcome? {
        let rig = try TLSRig()
        let port = try rig.listen(as: identity(rig))
        return rig.attempt(port, serverName: serverName)
    }

    @Test("a good server is accepted, with each version, by name, wildcard or address, and with an intermediate")
    func aGoodServerIsAccepted() throws {
        #expect(try outcome { try $0.authority.issue(Request(names: [host])) } == .secured)
        #expect(try outcome { try $0.goodIdentity().speakingOnly(.tls12) } == .secured)
        #expect(try outcome { try $0.goodIdentity().speakingOnly(.tls13) } == .secured)
        #expect(try outcome { try $0.authority.intermediate().issue(Request(names: [host])) } == .secured)
        #expect(try outcome { try $0.authority.issue(Request(names: ["*.howalarming.test"])) } == .secured)
        #expect(try outcome { try $0.authority.issue(Request(names: [host], key: .rsa(2048))) } == .secured)
        let address = try outcome(serverName: "127.0.0.1") { try $0.authority.issue(Request(names: ["127.0.0.1"])) }
        #expect(address == .secured)
        #expect(try outcome(serverName: "\(host).") { try $0.goodIdentity() } == .secured)
    }

    @Test("an expired certificate fails as expired")
    func anExpiredCertificateFailsAsExpired() throws {
        let end = try outcome {
            try $0.authority.issue(Request(names: [host], validFrom: .seconds(-7200), validUntil: .seconds(-3600)))
        }
        #expect(end == .closed(.tls(.certificateExpired)))
    }

    @Test("a certificate of tomorrow fails as not yet valid")
    func aCertificateOfTomorrowFailsAsNotYetValid() throws {
        let end = try outcome {
            try $0.authority.issue(Request(names: [host], validFrom: .seconds(3600), validUntil: .seconds(7200)))
        }
        #expect(end == .closed(.tls(.certificateNotYetValid)))
    }

    /// A clock that is wrong by years sees every certificate like this.
    @Test(
        "a clock far before a certificate's time, or far after it, is refused with words that point to the clock",
        arguments: [(from: 87_600, until: 96_360), (from: -96_360, until: -87_600), (from: -100_000, until: -1)])
    func aClockFarBeforeACertificatesTime(from: Int, until: Int) throws {
        let end = try outcome {
            try $0.authority.issue(Request(names: [host], validFrom: .hours(from), validUntil: .hours(until)))
        }
        guard case .closed(.tls(let failure)) = end else {
            Issue.record("it was accepted: \(String(describing: end))")
            return
        }
        #expect(failure == (from > 0 ? .certificateNotYetValid : .certificateExpired))
        #expect(failure.description.contains("this box's clock"))
        let doubtful = TLSFailure.clockDoubtful(WallTime(milliseconds: 0)).description
        #expect(doubtful.contains("1970-01-01 00:00:00 UTC") && doubtful.contains("time server (NTP)"))
    }

    @Test(
        "a certificate for another host fails as wrong host; the subject's common name counts for nothing",
        arguments: [
            ("other.howalarming.test", TLSRig.host), ("howalarming.test", TLSRig.host), ("127.0.0.2", "127.0.0.1"),
            (TLSRig.host, "127.0.0.1"), ("127.0.0.1", TLSRig.host), ("other.test", "Test server"),
        ])
    func aCertificateForAnotherHostFailsAsWrongHost(certified: String, dialed: String) throws {
        let end = try outcome(serverName: dialed) { try $0.authority.issue(Request(names: [certified])) }
        #expect(end == .closed(.tls(.wrongHost)))
    }

    @Test(
        "a wildcard counts for one whole label of a name below a domain",
        arguments: [
            ("*.test", "howalarming.test"), ("pu*.howalarming.test", TLSRig.host),
            ("*.howalarming.test", "a.push.howalarming.test"), ("*.howalarming.test", "howalarming.test"),
            ("push.*.test", TLSRig.host), ("*", "localhost"),
        ])
    func aWildcardCountsForOneWholeLabelOfANameBelowADomain(certified: String, dialed: String) throws {
        let end = try outcome(serverName: dialed) { try $0.authority.issue(Request(names: [certified])) }
        #expect(end == .closed(.tls(.wrongHost)))
    }

    @Test("a self-signed certificate fails as such")
    func aSelfSignedCertificateFailsAsSuch() throws {
        let end = try outcome { _ in try Authority.selfSigned(Request(names: [host])) }
        #expect(end == .closed(.tls(.selfSigned)))
    }

    @Test("a certificate of an authority that is not trusted fails, also when its root is sent along")
    func aCertificateOfAnAuthorityThatIsNotTrustedFails() throws {
        let end = try outcome { _ in try Authority(name: "Stranger").issue(Request(names: [host])) }
        #expect(end == .closed(.tls(.unknownAuthority)))
        // The same name as the trusted one, another key.
        let impostor = try outcome { _ in
            let stranger = try Authority()
            let identity = try stranger.issue(Request(names: [host]))
            return try TLSIdentity(
                certificateChainPEM: identity.certificateChainPEM + stranger.certificatePEM,
                privateKeyPEM: identity.privateKeyPEM)
        }
        #expect(impostor == .closed(.tls(.unknownAuthority)))
    }

    @Test("a server that keeps the intermediate to itself fails")
    func aServerThatKeepsTheIntermediateToItselfFails() throws {
        let end = try outcome {
            try $0.authority.intermediate().issue(Request(names: [host]), sendsIntermediates: false)
        }
        #expect(end == .closed(.tls(.unknownAuthority)))
    }

    @Test("a SHA-1 signature and a key of 1024 bits are too weak")
    func aSHA1SignatureAndAKeyOf1024BitsAreTooWeak() throws {
        let digest = try outcome { try $0.authority.issue(Request(names: [host], hash: .sha1)) }
        #expect(digest == .closed(.tls(.tooWeak("its certificate is signed with an outdated digest"))))
        let key = try outcome { try $0.authority.issue(Request(names: [host], key: .rsa(1024))) }
        #expect(key == .closed(.tls(.tooWeak("its key is too short"))))
        let rig = try TLSRig()
        let shortAuthority = try Authority(key: .rsa(1024))
        try AtomicFile.write(rig.caFile, Array(shortAuthority.certificatePEM.utf8))
        let port = try rig.listen(as: shortAuthority.issue(Request(names: [host])))
        let authority = rig.attempt(port, trust: try TLSTrust(caFile: rig.caFile))
        #expect(authority == .closed(.tls(.tooWeak("the key of its authority is too short"))))
    }

    @Test("a certificate that is not for servers is rejected")
    func aCertificateThatIsNotForServersIsRejected() throws {
        let end = try outcome { try $0.authority.issue(Request(names: [host], isForServers: false)) }
        guard case .closed(.tls(.certificateRejected(let what))) = end else {
            Issue.record("\(String(describing: end))")
            return
        }
        #expect(what.contains("purpose"))
    }

    @Test("a server that speaks TLS 1.1 only is too weak")
    func aServerThatSpeaksTLS1() throws {
        let end = try outcome { try $0.goodIdentity().speakingOnly(.tls11) }
        #expect(end == .closed(.tls(.tooWeak("TLS 1.2 is not offered"))))
    }

    /// A server that sends only so much of its first flight, then does what `afterwards` says.
    private func half(_ count: Int, afterwards: @escaping (Stream) -> Void) throws -> (TLSRig.Outcome?, Duration) {
        let rig = try TLSRig()
        let identity = try rig.goodIdentity()
        let port = try rig.listen { stream in
            let engine = TLSSession.server(identity: identity)
            stream.onReceived = { bytes in
                engine.receive(bytes)
                _ = try? engine.handshake()
                let flight = engine.takeOutput()
                guard !flight.isEmpty else { return }
                #expect(flight.count > count)
                stream.send(Array(flight.prefix(count)))
                afterwards(stream)
            }
        }
        let start = SystemClock.bootTime()
        return (rig.attempt(port, within: .milliseconds(300)), SystemClock.bootTime() - start)
    }

    @Test("a server that stalls in the handshake is left at the deadline", arguments: [0, 3, 200])
    func aServerThatStallsInTheHandshakeIsLeftAtTheDeadline(count: Int) throws {
        let (end, span) = try half(count) { _ in }
        #expect(end == .closed(.tls(.stalled)))
        #expect(span >= .milliseconds(300) && span < .seconds(4))
    }

    @Test("an end in the handshake, orderly or not, is a handshake cut off", arguments: [0, 3, 200])
    func anEndInTheHandshake(count: Int) throws {
        #expect(try half(count) { $0.close() }.0 == .closed(.tls(.cutOff)))
        #expect(try half(count) { $0.reset() }.0 == .closed(.tls(.cutOff)))
    }

    @Test("a server that speaks in the clear is no TLS")
    func aServerThatSpeaksInTheClearIsNoTLS() throws {
        let rig = try TLSRig()
        let port = try rig.listen { $0.send(Array("220 mail.example ESMTP\r\n".utf8)) }
        #expect(rig.attempt(port) == .closed(.tls(.protocolError("the other end does not speak TLS"))))
    }

    @Test("noise in a record ends the handshake")
    func noiseInARecordEndsTheHandshake() throws {
        let rig = try TLSRig()
        let port = try rig.listen { $0.send([22, 3, 3, 0, 4, 99, 0, 0, 0]) }
        guard case .closed(.tls(.protocolError)) = rig.attempt(port) else {
            Issue.record("noise was taken for a handshake")
            return
        }
    }

    @Test(
        "a name that would switch the check of the name off, or that no certificate has, is refused before anything",
        arguments: ["", ".howalarming.test", "a..test", "push howalarming.test", "\u{0}", "bücher.test", "."])
    func aNameThatWouldSwitchTheCheckOfTheNameOff(name: String) throws {
        let rig = try TLSRig()
        let failure = thrown(TLSFailure.self) { try TLSSession.client(serverName: name, trust: rig.trust) }
        #expect(failure == .wrongHost)
    }

    @Test("a server that asks to renegotiate is left")
    func aServerThatAsksToRenegotiateIsLeft() throws {
        let rig = try TLSRig()
        let files = try rig.write(try rig.goodIdentity())
        // s_server asks for it when it reads a line "r", which is for a connection that is secured; it takes the end of its
        // input for the order to quit.
        let mark = "\(files.chain).secured"
        let script = """
            (until [ -e \(mark) ]; do sleep 0.1; done; for i in 1 2 3 4 5 6 7 8 9 10; do echo r; sleep 0.3; done) |
            openssl s_server -accept 127.0.0.1:0 -cert \(files.chain) -key \(files.key) -tls1_2 2>&1
            """
        let child = try ChildProcess("/bin/sh", ["-c", script], output: .lines, ownGroup: true, on: rig.loop)
        defer { child.kill() }
        var port: UInt16?
        child.onLine = { _, line in
            if let number = line.split(separator: ":").last.flatMap({ UInt16($0) }), line.hasPrefix("ACCEPT") {
                port = number
                rig.loop.stop()
            }
        }
        try #require(rig.loop.runBounded())
        var end: ConnectionEnd?
        var isSecured = false
        rig.dial(try #require(port)) { stream in
            let secure = try? SecureStream(
                client: stream, serverName: host, trust: rig.trust, on: rig.loop)
            secure?.onSecured = {
                isSecured = true
                Glibc.close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
            }
            secure?.onClosed = {
                end = $0
                rig.loop.stop()
            }
            secure?.startHandshake()
        }
        #expect(rig.loop.runBounded())
        #expect(isSecured)
        #expect(end == .tls(.protocolError("the server asked to renegotiate")))
    }
}
