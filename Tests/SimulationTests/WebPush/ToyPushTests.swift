import AlarmModel
import PhoneProtocol
import Testing

@testable import Simulation
@testable import Simulators

@Suite("The simulated world's encryption of pushes")
struct ToyPushTests {
    private static let own = BrowserSubscription("https://push.test/wpush/v2/one")
    private static let content = Array(#"{"web_push":8030,"notification":{"title":"A","tag":"m-1"},"ha2":"AA"}"#.utf8)

    private static func sealed(_ content: [UInt8] = content) -> [UInt8]? {
        ToyCrypto.sealPush(content, own.point, own.secret, 2700)
    }

    @Test("a push has one size and the outer form that services look at, and opens for its own subscription alone")
    func aPushOpensForItsOwnSubscriptionAlone() throws {
        let body = try #require(Self.sealed())
        #expect(body.count == 2700)
        var desk = WebPushDesk()
        #expect(desk.post(body).hasPrefix("HTTP/1.1 201"))
        #expect(ToyCrypto.openPush(body, Self.own.point, Self.own.secret) == Self.content)
        let other = BrowserSubscription("https://push.test/wpush/v2/two")
        #expect(ToyCrypto.openPush(body, other.point, Self.own.secret) == nil)
        #expect(ToyCrypto.openPush(body, Self.own.point, other.secret) == nil)
        var altered = body
        altered[100] ^= 1
        #expect(ToyCrypto.openPush(altered, Self.own.point, Self.own.secret) == nil)
        #expect(Self.sealed([UInt8](repeating: 120, count: 2597)) != nil)
        #expect(Self.sealed([UInt8](repeating: 120, count: 2598)) == nil)
    }

    @Test("a browser shows what has a title, a tag and an envelope, and nothing else")
    func aBrowserShowsWhatHasATitle() throws {
        let body = try #require(Self.sealed())
        let push = try #require(Self.own.open(Base64URL.encode(body)))
        #expect(push.message == MessageID("m-1") && push.words == "A\n" && push.envelope == "AA")
        let mute = [
            #"{"web_push":8030,"notification":{"title":"","tag":"m-1"},"ha2":"AA"}"#,
            #"{"web_push":8030,"notification":{"title":"A"},"ha2":"AA"}"#,
            #"{"web_push":8030,"notification":{"title":"A","tag":"m-1"}}"#,
            #"{"web_push":1,"notification":{"title":"A","tag":"m-1"},"ha2":"AA"}"#, "x",
        ]
        for text in mute {
            let body = try #require(Self.sealed(Array(text.utf8)))
            #expect(Self.own.open(Base64URL.encode(body)) == nil, "\(text)")
        }
    }

    @Test("a signature of the box's key counts for what was signed alone")
    func aSignatureOfTheBoxsKeyCounts() {
        var chance = Jitter(seed: 1)
        guard case .bytes(let key) = ToyCrypto.answer(.pushKey, &chance),
            case .bytes(let signature) = ToyCrypto.answer(.signPush([1, 2]), &chance)
        else {
            Issue.record("neither key nor signature")
            return
        }
        #expect(signature.count == 64 && ToyCrypto.verifiesPush([1, 2], signature, key))
        #expect(!ToyCrypto.verifiesPush([1, 3], signature, key))
        #expect(!ToyCrypto.verifiesPush([1, 2], signature, WebPushDesk.other))
    }
}
