import AlarmModel
import Companion
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@testable import ApplianceCore

@Suite("Pictures that lie sealed for the app")
struct SealedPicturesTests {
    static let key = String(repeating: "K3", count: 21) + "A"
    static let reference = PictureReference(
        camera: "?", url: "https://192.0.2.9/file/Zx81.bin", key: Secret(key), hash: String(repeating: "h", count: 43),
        bytes: 50_022, expires: WallTime(milliseconds: 1_800_000_000_000))

    /// Two phones by the push service, a topic server, and a camera whose pictures lie there sealed.
    private static func bench(
        _ change: (inout CameraSettings) -> Void = { _ in }
    ) throws -> (Bench, [TestPhone]) {
        var street = Camera(name: "Street", url: try HTTPURL("https://192.168.1.61/picture"))
        street.atEntry = true
        var settings = CameraSettings(cameras: [street])
        change(&settings)
        var bench = Bench.withPush { $0.channels.append(.ntfy(NtfySettings(host: "192.0.2.9"))) }
        var configuration = bench.configuration
        configuration.cameras = settings
        bench.configuration = configuration
        bench.feed(.reload(.configuration(configuration)))
        let phones = [try bench.pair(), try bench.pair("Ben's", person: "Ben", token: "token-of-ben")]
        bench.advance(.minutes(2))
        bench.taker.answers = [.kept(bytes: 50_006), .sealed(reference), .done(sent: 1)]
        return (bench, phones)
    }

    private static func told(_ bench: Bench, _ phone: TestPhone) -> [JSON] {
        bench.heard(phone).filter { $0.kind == .picture }.map(\.content)
    }

    @Test("each phone hears the words first, and then where the picture of this alarm lies")
    func theWordsLeaveFirst() throws {
        var (bench, phones) = try Self.bench()
        bench.panel("6011003")
        bench.settle()
        #expect(bench.taker.shots.map(\.uploads.count) == [1])
        guard case .sealed(let server, _)? = bench.taker.shots[0].uploads.first else {
            Issue.record("it does not go sealed")
            return
        }
        #expect(server.description == "https://192.0.2.9/")
        let words = "A picture of the camera 'Street' goes to the app."
        let row = try #require(bench.stored.last { $0.event.message == words })
        for phone in phones {
            let all = bench.heard(phone)
            let alarm = try #require(all.firstIndex { $0.content["type"]?.stringValue == "alarm" })
            let picture = try #require(all.firstIndex { $0.kind == .picture })
            #expect(alarm < picture)
            #expect(
                all[picture].content.text
                    == #"{"v":"2","log":"\#(all[alarm].content["log"]?.stringValue ?? "")","seq":"\#(row.seq.number)","timestamp":"\#(row.event.time.seconds)","#
                    + #""cam":"Street","url":"https://192.0.2.9/file/Zx81.bin","secret":"\#(Self.key)","h":"\#(Self.reference.hash)","#
                    + #""n":"50022","x":"1800000000","u":"\#(all[alarm].content["u"]?.stringValue ?? "")"}"#)
        }
        bench.advance(.seconds(11))
        #expect(phones.map { Self.told(bench, $0).count } == [3, 3])
        // Nothing that is recorded or kept has the key.
        let places = try bench.places(of: Self.key) { effect in
            switch effect {
            // To the phones, inside the seal: what is recorded of it comes of a core that knows placeholders alone.
            case .send, .vault: false
            default: true
            }
        }
        #expect(places.isEmpty && !"\(bench.core)".contains(Self.key))
        #expect(bench.push.messages.allSatisfy { $0.picture == nil || !$0.state.isFinal })
    }

    @Test("it is stored before it is sent, and a restart forgets none; after three hours it is worth nothing")
    func itIsStoredBeforeItIsSent() throws {
        var (bench, phones) = try Self.bench()
        bench.push.server.isUp = false
        for input in bench.push.server.end(gracefully: false) { bench.feed(input) }
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.push.messages.count { $0.picture != nil } == 2 && Self.told(bench, phones[0]).isEmpty)
        var next = bench.restarted()
        next.push.server.isUp = true
        next.logIn()
        next.advance(.minutes(2))
        #expect(phones.map { Self.told(next, $0).count } == [1, 1])
        var late = bench
        late.advance(.hours(4))
        late.push.server.isUp = true
        late.advance(.minutes(5))
        #expect(Self.told(late, phones[0]).isEmpty && late.push.messages.allSatisfy { $0.picture == nil })
    }

    @Test("a phone that was revoked hears of none, and without phones none is sealed")
    func aPhoneThatWasRevokedHearsOfNone() throws {
        var (bench, phones) = try Self.bench()
        bench.ask(.phones(.revoke(phone: "Ben's")), as: 900)
        bench.advance(.seconds(5))
        bench.panel("6011003")
        bench.settle()
        #expect(phones.map { Self.told(bench, $0).count } == [1, 0])
        bench.ask(.phones(.revoke(phone: "Pixel")), as: 901)
        bench.advance(.minutes(1))
        bench.panel("6011003")
        bench.settle()
        #expect(bench.taker.shots.last?.uploads.isEmpty == true)
    }

    @Test("duress has none; where the owner says no none is sealed, and what a taker says unasked is not told on")
    func duressHasNone() throws {
        var (bench, _) = try Self.bench()
        bench.panel("6200000")
        bench.advance(.seconds(11))
        #expect(bench.taker.requests.isEmpty)
        var (silent, phones) = try Self.bench { $0.goToApp = false }
        silent.panel("6011003")
        silent.advance(.seconds(11))
        #expect(silent.taker.shots.count == 3 && silent.taker.shots.allSatisfy { $0.uploads.isEmpty })
        #expect(Self.told(silent, phones[0]).isEmpty)
    }

    @Test("a day's pictures and the messages about them stay within the day's budget")
    func aDaysPicturesStayWithinTheBudget() throws {
        var (bench, phones) = try Self.bench()
        for _ in 0..<60 {
            bench.panel("6011003")
            bench.advance(.seconds(30))
        }
        bench.advance(.minutes(3))
        #expect(bench.taker.shots.count { !$0.uploads.isEmpty } == 20)
        #expect(phones.map { Self.told(bench, $0).count } == [20, 20])
    }

    @Test("of a series a metered link carries the first picture alone")
    func aMeteredLinkCarriesTheFirstAlone() throws {
        let (bench, _) = try Self.bench()
        var around = CameraSurroundings(UpdateSurroundings(bench.core, Step(bench.configuration, at: bench.now)))
        around.isMetered = true
        var step = Step(bench.configuration, at: bench.now)
        step.book = try #require(bench.push.book)
        var cameras = Cameras()
        var shot = Cameras.Shot(camera: "Street", due: .zero, occasion: .alarm, isFirst: true, isLast: false)
        #expect(cameras.uploads(of: shot, around, step).count == 1)
        shot.isFirst = false
        #expect(cameras.uploads(of: shot, around, step).isEmpty)
        around.isMetered = false
        #expect(cameras.uploads(of: shot, around, step).count == 1)
        around.isMetered = true
        step.configuration.cameras?.goToHomeAssistant = true
        for (host, count) in [("192.168.1.20", 1), ("broker.example", 0)] {
            let broker = MQTTSettings(host: host, user: "box", password: Secret("brokerpass"), site: "home")
            step.configuration.phones.channels = [.mqtt(broker)]
            #expect(cameras.uploads(of: shot, around, step).count == count, "\(host)")
        }
    }

    @Test("it goes to paired phones by their quiet ways alone")
    func itGoesToPairedPhonesAlone() {
        func route(_ channel: ChannelKind, _ receiver: OutboxRoute.Receiver) -> OutboxRoute {
            OutboxRoute(
                address: AddressID(1), channel: channel, receiver: receiver, receives: [.alarm], isDuressContact: false)
        }
        func isTold(_ route: OutboxRoute, _ audience: OutboxAudience = .apps(only: nil)) -> Bool {
            audience.includes(route, isTaken: true, isFault: true)
        }
        let phone = OutboxRoute.Receiver.phone(PhoneID(7))
        #expect(isTold(route(.ntfy, phone)) && isTold(route(.fcm, phone)) && !isTold(route(.webPush, phone)))
        #expect(!isTold(route(.ntfy, .contact(tellsArming: true))) && !isTold(route(.ccs, .legacy)))
        #expect(!isTold(route(.mail, .house([.info], byOwnType: true))))
        let one = OutboxAudience.apps(only: PhoneID(7))
        #expect(isTold(route(.ntfy, phone), one) && !isTold(route(.webPush, phone), one))
        #expect(!isTold(route(.ntfy, .phone(PhoneID(8))), one) && !isTold(route(.ccs, .legacy), one))
        #expect(!isTold(route(.mail, .house([.fault], byOwnType: true)), one))
    }

    @Test("a phone reads of a picture what the box wrote, and nothing that is none")
    func aPhoneReadsWhatTheBoxWrote() throws {
        var reference = Self.reference
        (reference.camera, reference.alarm) = ("Street", UnstoredMark(boot: "0badcafe", counter: 5))
        #expect(PictureReference(form: reference.form) == reference)
        #expect(PictureAnswer(PictureAnswer.sealed(reference).json.utf8) == .sealed(reference))
        let members = try #require(reference.form.objectValue)
        let odd: [(String, String)] = [
            ("url", "http://192.0.2.9/file/a"), ("url", "ftp://192.0.2.9/a"), ("url", "https://a b"),
            ("url", "https://" + String(repeating: "a", count: 505)), ("secret", "short"),
            ("secret", String(repeating: "=", count: 43)), ("h", ""), ("n", "16"), ("n", "400017"), ("n", "-5"),
            ("x", "1e9"), ("x", "999999999999"), ("u", "none"), ("cam", ""),
        ]
        for (key, value) in odd {
            let changed = members.map { $0.key == key ? JSON.Member(key: key, value: .string(value)) : $0 }
            #expect(PictureReference(form: .object(changed)) == nil, "\(key) \(value)")
        }
        for key in members.map(\.key) where key != "u" {
            #expect(PictureReference(form: .object(members.filter { $0.key != key })) == nil, "without \(key)")
        }
        // The longest of them fits into the biggest envelope.
        reference.camera = String(repeating: "c", count: 40)
        reference.url = "https://" + String(repeating: "a", count: PictureReference.longestURL - 8)
        let content = PhoneContent(log: "ffffffff", names: SiteNames()).picture(
            reference, seq: SequenceNumber(.max), time: WallTime(milliseconds: .max))
        #expect(try BoxMessage(.picture, content: content).bytes().count <= Envelope.bodyLimit)
    }
}
