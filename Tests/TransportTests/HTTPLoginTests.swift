import AlarmModel
import PhoneLink
import Platform
import Testing

@Suite("A login that a camera asks for (RFC 7616, RFC 7617)")
struct HTTPLoginTests {
    private static let nonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let parameters =
        #"realm="http-auth@example.org", qop="auth, auth-int", "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#

    private func challenges(_ values: String...) -> [HTTPChallenge] {
        HTTPChallenge.all(
            in: HTTPResponseHead(status: 401, fields: values.map { HTTPField("WWW-Authenticate", $0) }))
    }

    private func answer(
        _ challenges: [HTTPChallenge], mayAskBasic: Bool = false, user: String = "Mufasa",
        password: String = "Circle of Life"
    ) -> String? {
        HTTPLogin(user: user, password: Secret(password)).answer(
            to: challenges, method: .get, target: "/dir/index.html", mayAskBasic: mayAskBasic, nonce: Self.nonce
        ) { $0 == .md5 ? Digest.md5($1) : Digest.sha256($1) }?.revealed
    }

    @Test("Digest is answered as in the RFC, with MD5 and with SHA-256, and the stronger one where both are offered")
    func digestIsAnsweredAsInTheRFC() throws {
        let md5 = try #require(answer(challenges("Digest \(Self.parameters), algorithm=MD5")))
        #expect(md5.contains(#"response="8ca523f5e9506fed4657c9700eebdbec""#))
        #expect(md5.contains(#"username="Mufasa""#) && md5.contains(#"uri="/dir/index.html""#))
        #expect(
            md5.contains(#"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#)
                && md5.contains("qop=auth, nc=00000001"))
        let sha256 = "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        for offered in [
            challenges("Digest \(Self.parameters), algorithm=SHA-256"),
            challenges("Digest \(Self.parameters), algorithm=MD5", "Digest \(Self.parameters), algorithm=SHA-256"),
            challenges(
                "Basic realm=\"a, b\", Digest \(Self.parameters), algorithm=MD5, Digest \(Self.parameters), algorithm=SHA-256"
            ),
        ] {
            #expect(try #require(answer(offered, mayAskBasic: true)).contains("response=\"\(sha256)\""))
        }
    }

    @Test("an old camera's Digest without qop is answered, too")
    func anOldCamerasDigestIsAnswered() throws {
        // The example of RFC 2069 as its errata have it.
        let offered = challenges(#"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#)
        let text = try #require(answer(offered, password: "CircleOfLife"))
        #expect(text.contains(#"response="1949323746fe6a43ef61f9606e7febea""#))
        #expect(!text.contains("qop") && !text.contains("cnonce"))
    }

    @Test("Basic sends the password as it is, so only where that is allowed")
    func basicOnlyWhereItIsAllowed() {
        let offered = challenges("Basic realm=\"camera\"")
        #expect(answer(offered) == nil)
        #expect(answer(offered, mayAskBasic: true) == "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl")
        #expect(answer(offered, mayAskBasic: true, user: "a:b") == nil)
    }

    @Test(
        "what is no challenge, or one that is not spoken here, is not answered",
        arguments: [
            "", "Digest", "Digest realm=\"a\"", "Digest nonce=\"a\"",
            "Digest realm=\"a\", nonce=\"b\", algorithm=MD5-sess",
            "Digest realm=\"a\", nonce=\"b\", qop=\"auth-int\"", "Negotiate abc==", "Bearer", "=,=,\"",
            "Digest realm=\"a",
        ])
    func whatIsNoChallengeIsNotAnswered(_ value: String) {
        #expect(answer(challenges(value), mayAskBasic: true) == nil)
    }

    @Test("whatever a challenge holds, the answer is one field of one line")
    func theAnswerIsOneField() {
        var state: UInt64 = 7
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let pieces = [
            "Digest ", "Basic", "realm", "nonce", "qop", "=", "\"", "\\", ",", " ", "auth", "\u{7}", "ä", "MD5",
            "algorithm",
        ]
        for _ in 0..<3000 {
            let value = (0..<random(24)).map { _ in pieces[random(pieces.count)] }.joined()
            guard let text = answer(challenges("Digest realm=\"a\", nonce=\"b\", " + value, value)) else { continue }
            #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        }
    }

    @Test("challenges beyond 4096 bytes are not looked at")
    func challengesBeyondABoundAreNotLookedAt() {
        let long = "Digest realm=\"\(String(repeating: "a", count: 4100))\", nonce=\"b\""
        #expect(challenges(long).isEmpty)
        #expect(challenges("Basic realm=\"a\"", long).count == 1)
    }
}
