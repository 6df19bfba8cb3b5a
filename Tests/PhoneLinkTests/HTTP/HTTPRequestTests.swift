import AlarmModel
import PhoneLink
import Testing

@Suite("What is sent to a web server")
struct HTTPRequestTests {
    static func text(_ request: HTTPRequest, _ origin: HTTPOrigin = HTTPClientTests.origin) -> String? {
        (try? request.bytes(for: origin)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("a request is exactly these bytes")
    func aRequestIsExactlyTheseBytes() {
        let request = HTTPRequest(
            .post, "/topic?a=b",
            fields: [HTTPField("Title", "Küche"), HTTPField("Authorization", secret: Secret("tk"))],
            body: Array("alarm".utf8))
        let expected =
            "POST /topic?a=b HTTP/1.1\r\nHost: push.example\r\nTitle: Küche\r\nAuthorization: tk\r\n"
            + "User-Agent: HowAlarming\r\nAccept-Encoding: identity\r\nContent-Length: 5\r\n\r\nalarm"
        #expect(Self.text(request) == expected)
        let empty = HTTPRequest(.get, "/", fields: [HTTPField("user-agent", "x")])
        let local = HTTPOrigin(host: "fe80::1", port: 8080, security: .plain)
        #expect(
            Self.text(empty, local)
                == "GET / HTTP/1.1\r\nHost: [fe80::1]:8080\r\nuser-agent: x\r\nAccept-Encoding: identity\r\n\r\n")
        #expect(!"\(request)".contains("tk\""))
    }

    @Test("nothing in a request can begin another line", arguments: ["\r", "\n", "\0", "\r\nX: y", "\u{7F}"])
    func nothingInARequestCanBeginAnotherLine(poison: String) {
        let get = HTTPRequest(.get, "/")
        var targeted = get
        targeted.target = "/a" + poison
        var named = get
        named.fields = [HTTPField("X" + poison, "y")]
        var valued = get
        valued.fields = [HTTPField("X", "y" + poison + "z")]
        var secretly = get
        secretly.fields = [HTTPField("X", secret: Secret("y" + poison))]
        for request in [targeted, named, valued, secretly] { #expect(Self.text(request) == nil) }
        #expect(Self.text(get, HTTPOrigin(host: "a" + poison, port: 80, security: .plain)) == nil)
        #expect(Self.text(get) != nil)
    }

    @Test("what the connection itself says cannot be said twice, and targets are paths")
    func whatTheConnectionItselfSaysCannotBeSaidTwice() {
        for name in ["Host", "content-length", "Transfer-Encoding", "CONNECTION", "Expect"] {
            #expect(Self.text(HTTPRequest(.get, "/", fields: [HTTPField(name, "x")])) == nil)
        }
        for target in ["", "a", "http://x/", "/a b", "/é"] { #expect(Self.text(HTTPRequest(.get, target)) == nil) }
        for host in ["", "a/b", "a@b", "a b"] {
            #expect(Self.text(HTTPRequest(.get, "/"), HTTPOrigin(host: host, port: 80, security: .plain)) == nil)
        }
    }

    @Test(
        "URLs are taken apart and written again",
        arguments: [
            ("https://Example.org", "https://example.org/"),
            ("http://example.org:80/a?b=c#d", "http://example.org/a?b=c"),
            ("HTTPS://example.org:8443?x", "https://example.org:8443/?x"),
            ("https://[2001:DB8::1]:444/", "https://[2001:db8::1]:444/"),
            ("http://192.0.2.1/%20", "http://192.0.2.1/%20"),
        ])
    func uRLsAreTakenApartAndWrittenAgain(text: String, written: String) throws {
        #expect(try HTTPURL(text).description == written)
    }

    @Test(
        "what is no URL of ours is told apart",
        arguments: [
            ("ftp://a/", HTTPURLError.scheme), ("a", .scheme), ("https:/a", .scheme), ("https://", .host),
            ("https://u:p@a/", .userInformation), ("https://a b/", .character), ("https://a/\r\n", .character),
            ("https://a\\b/", .character), ("https://a:0/", .port), ("https://a:65536/", .port),
            ("https://a:+1/", .port), ("https://[::1/", .host), ("https://[1.2.3.4]/", .host),
            ("https://[::1]x/", .host), ("https://é/", .character), ("https://a%62/", .host),
            ("https://a/" + String(repeating: "x", count: 2048), .tooLong),
        ])
    func whatIsNoURLOfOursIsToldApart(text: String, error: HTTPURLError) {
        do throws(HTTPURLError) {
            _ = try HTTPURL(text)
            Issue.record("it was taken")
        } catch let thrown {
            #expect(thrown == error)
        }
    }

    @Test(
        "a redirect leads somewhere, or nowhere that is a web address",
        arguments: [
            ("/b", "https://a.example/b"), ("c?d", "https://a.example/x/c?d"),
            ("?e", "https://a.example/x/y?e"), ("//b.example/", "https://b.example/"),
            ("http://a.example/x", "http://a.example/x"),
            ("https://A.example:443/z", "https://a.example/z"),
            ("https://a.example:444/z", "https://a.example:444/z"),
            ("https://a.example@evil.example/", nil), ("javascript:x", nil),
        ] as [(String, String?)])
    func aRedirectLeadsSomewhere(reference: String, target: String?) throws {
        let url = try HTTPURL("https://a.example/x/y?z")
        let head = HTTPResponseHead(status: 307, fields: [HTTPField("location", reference)])
        #expect(head.location(from: url)?.description == target)
    }

    @Test("a text becomes a part of a path")
    func aTextBecomesAPartOfAPath() {
        #expect(HTTPRequest.escaped("a b/ü?&=~_.-%") == "a%20b%2F%C3%BC%3F%26%3D~_.-%25")
    }
}
