import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@testable import ApplianceCore

@Suite("Pictures told once more to a phone that asks")
struct PicturesAgainTests {
    /// As `SealedPicturesTests`: two phones, a topic server and a camera; four hours after an alarm.
    private struct House {
        var bench: Bench
        let phones: [TestPhone]
        /// Of the alarm.
        let time: Int64
        let mark: String
        private var before: [Int] = []

        init() throws {
            var street = Camera(name: "Street", url: try HTTPURL("https://192.168.1.61/picture"))
            street.atEntry = true
            bench = Bench.withPush { $0.channels.append(.ntfy(NtfySettings(host: "192.0.2.9"))) }
            bench.configuration.cameras = CameraSettings(cameras: [street])
            bench.feed(.reload(.configuration(bench.configuration)))
            phones = [try bench.pair(), try bench.pair("Ben's", person: "Ben", token: "token-of-ben")]
            bench.advance(.minutes(2))
            bench.panel("6011003")
            bench.advance(.seconds(11))
            let alarm = try #require(bench.stored.last { $0.event.type == .alarm }?.event)
            time = alarm.time.seconds
            mark = try #require(alarm.unstored?.text)
            bench.panel("6021003")
            bench.advance(.hours(4))
            bench.taker.requests = []
            listen()
        }

        /// What was told before is looked at no more.
        mutating func listen() { before = phones.map { bench.heard($0).count } }

        /// What phones have heard since: of the first and of the second.
        func heard(_ kind: BoxMessage.Kind) -> [[JSON]] {
            zip(phones, before).map { phone, count in
                bench.heard(phone).dropFirst(count).filter { $0.kind == kind }.map(\.content)
            }
        }

        mutating func ask(_ answers: [PictureAnswer]?) {
            bench.taker.answers = answers
            bench.request(phones[0], "picture", ["t": "\(time)", "u": mark])
            bench.settle()
        }

        /// Why the first phone is told nothing; nil: it is not answered, or pictures come.
        func refusals() -> [String?] { heard(.list)[0].map { $0["why"]?.stringValue } }
    }

    private static func sealed(_ camera: String, _ name: String = "Zx81.bin") -> PictureAnswer {
        var reference = SealedPicturesTests.reference
        (reference.camera, reference.url) = (camera, "https://192.0.2.9/file/\(name)")
        return .sealed(reference)
    }

    @Test("it hears where each lies anew, and no other phone does; the journal says who asked")
    func itHearsWhereEachLiesAnew() throws {
        var house = try House()
        house.ask([Self.sealed("Street"), Self.sealed("Back door", "b.bin"), .done(sent: 2)])
        let request = try #require(house.bench.taker.requests.last)
        guard case .again(let again) = request.task, house.bench.taker.requests.count == 1 else {
            Issue.record("the taker is not asked")
            return
        }
        #expect([again.from.seconds, again.until.seconds] == [house.time - 5, house.time + 20])
        #expect(again.most == 6 && again.cameras == ["Street"])
        guard case .sealed(let server, _)? = again.uploads.first, again.uploads.count == 1 else {
            Issue.record("they do not go sealed")
            return
        }
        #expect(server.description == "https://192.0.2.9/")
        let told = house.heard(.picture)
        #expect(told.map(\.count) == [2, 0] && house.heard(.event).allSatisfy(\.isEmpty))
        #expect(told[0].map { $0["cam"]?.stringValue } == ["Street", "Back door"])
        #expect(told[0].allSatisfy { $0["u"]?.stringValue == house.mark })
        #expect(
            house.heard(.list)[0].map(\.text)
                == [
                    #"{"v":"2","what":"pictures","from":"0","#
                        + #""rows":"[{\"camera\":\"Street\"},{\"camera\":\"Back door\"}]"}"#
                ])
        let words = "A picture of the camera 'Street' goes again to Anna (Pixel), who asked."
        let row = try #require(house.bench.stored.last { $0.event.message == words })
        #expect(row.event.type == .info && told[0][0]["seq"]?.stringValue == "\(row.seq.number)")
        #expect(house.heard(.list)[1].isEmpty)
        let places = try house.bench.places(of: SealedPicturesTests.key) { effect in
            switch effect {
            case .send, .vault: false
            default: true
            }
        }
        #expect(places.isEmpty)
    }

    @Test("it is stored before it is sent, and told after a restart")
    func itIsToldAfterARestart() throws {
        var house = try House()
        house.ask(nil)
        let taker = try #require(house.bench.taker.open.last)
        house.bench.push.server.isUp = false
        for input in house.bench.push.server.end(gracefully: false) { house.bench.feed(input) }
        for answer in [Self.sealed("Street"), .done(sent: 1)] {
            house.bench.feed(.received(taker, answer.json.utf8 + [0x0A]))
        }
        house.bench.advance(.seconds(1))
        #expect(house.bench.push.messages.count { $0.picture != nil } == 1)
        var next = house.bench.restarted()
        next.push.server.isUp = true
        next.logIn()
        next.advance(.minutes(2))
        let told = house.phones.map { phone in next.heard(phone).count { $0.kind == .picture } }
        #expect(told == [1, 0])
    }

    @Test("a taker that has none, that fails or is away is said so; a name that is no camera's is not told on")
    func aTakerThatHasNoneIsSaid() throws {
        var house = try House()
        house.ask([.done(sent: 0)])
        house.ask([.unsent("192.0.2.9: its limit for files is reached")])
        house.ask([.failed("the card cannot be read")])
        house.bench.taker.isAway = true
        house.ask([])
        house.bench.taker.isAway = false
        for name in ["../../etc/passwd", "", " Street", "Stre\u{202E}et", String(repeating: "a", count: 41)] {
            house.ask([Self.sealed(name), .done(sent: 1)])
        }
        // An empty name is no reference at all: what nobody understands.
        #expect(house.refusals() == ["none", "failed", "failed", "failed", "none", "failed", "none", "none", "failed"])
        // What lies there is told, whatever became of the others, and of too many the first.
        house.ask([Self.sealed("Street"), .unsent("192.0.2.9: it answered 500")])
        #expect(house.heard(.picture).map(\.count) == [1, 0] && house.refusals().last == .some(nil))
        house.ask((1...9).map { Self.sealed("Street", "\($0).bin") } + [.done(sent: 9)])
        #expect(house.heard(.picture).map(\.count) == [7, 0])
    }

    @Test("an alarm's own pictures go first: they end what is told again, and it waits while they are taken")
    func anAlarmsOwnPicturesGoFirst() throws {
        var house = try House()
        house.ask(nil)
        #expect(house.refusals().isEmpty && house.bench.taker.open.count == 1)
        // Another request in the meantime, of whatever phone.
        house.bench.request(house.phones[1], "picture", ["t": "\(house.time)"])
        house.bench.settle()
        #expect(house.heard(.list)[1].map { $0["why"]?.stringValue } == ["busy"])
        house.bench.panel("6011003")
        house.bench.settle()
        #expect(house.refusals() == ["busy"])
        #expect(house.bench.taker.shots.count == 1 && house.bench.taker.open.count == 1)
        house.ask(nil)
        house.bench.advance(.seconds(11))
        house.ask(nil)
        #expect(house.refusals() == ["busy", "busy", "busy"] && house.bench.taker.shots.count == 3)
        house.bench.advance(.seconds(90))
        house.ask([.done(sent: 0)])
        #expect(house.refusals().last == "none")
    }

    @Test("a taker that says nothing is given up, and what it has sealed before is the answer")
    func aTakerThatSaysNothingIsGivenUp() throws {
        var house = try House()
        house.ask([Self.sealed("Street")])
        #expect(house.heard(.picture).map(\.count) == [1, 0] && house.heard(.list)[0].isEmpty)
        house.bench.advance(.seconds(91))
        #expect(house.refusals() == [nil] && house.bench.taker.open.isEmpty)
        house.ask(nil)
        house.bench.advance(.seconds(91))
        #expect(house.refusals() == [nil, "failed"])
    }

    @Test("twenty requests a day are looked at, and half of what the topic server takes in a day is left for alarms")
    func twentyRequestsADay() throws {
        var house = try House()
        for _ in 0..<21 {
            house.ask([.done(sent: 0)])
            house.bench.advance(.seconds(20))
        }
        #expect(house.refusals() == Array(repeating: "none", count: 20) + ["limit"])
        house.bench.advance(.hours(24))
        house.listen()
        let six = (1...6).map { Self.sealed("Street", "\($0).bin") } + [.done(sent: 6)]
        for _ in 0..<6 {
            house.ask(six)
            house.bench.advance(.seconds(20))
        }
        // A file and a message each: 30 of the day's 60 make 15 pictures.
        #expect(house.heard(.picture).map(\.count) == [15, 0])
        #expect(house.refusals() == [nil, nil, nil, "limit", "limit", "limit"])
        house.bench.panel("6011003")
        house.bench.settle()
        #expect(house.bench.taker.shots.map(\.uploads.count) == [1])
    }

    @Test("each reason not to ask the taker is said in its word")
    func eachReasonNotToAskIsSaid() throws {
        let house = try House()
        let arguments = Arguments(["t": "1795228190"])
        let request = PhoneRequest(verb: "picture", rid: [1, 2, 3, 4, 5, 6, 7, 8], arguments: arguments)
        let wish = try #require(PictureWish(request, by: house.phones[0].id))
        func why(_ change: (inout Step, inout CameraSurroundings, inout Cameras) -> Void) -> String? {
            var step = Step(house.bench.configuration, at: house.bench.now)
            step.life = .running
            step.channels = ChannelKind.allCases
            if let book = house.bench.push.book { step.book = book }
            var around = CameraSurroundings(UpdateSurroundings(house.bench.core, step))
            var cameras = Cameras()
            step.book.phones.removeAll { $0.id != wish.phone }
            change(&step, &around, &cameras)
            cameras.asked(wish, around, &step)
            guard case .sealed(_, let message, _)? = step.answers.last?.content else { return nil }
            #expect(cameras.talks.allSatisfy { $0.until == .zero }, "it is asked all the same")
            return message.content["why"]?.stringValue
        }
        let shot = Cameras.Shot(camera: "Street", due: .zero, occasion: .alarm, isFirst: true, isLast: false)
        #expect(why { _, _, _ in } == nil)
        #expect(why { step, _, _ in step.configuration.cameras = nil } == "off")
        #expect(why { step, _, _ in step.configuration.cameras?.goToApp = false } == "off")
        #expect(why { step, _, _ in step.configuration.phones.channels = [] } == "off")
        #expect(why { _, around, _ in around.isMetered = true } == "metered")
        #expect(why { step, _, _ in step.book.phones[0].isSuspended = true } == "role")
        #expect(why { step, _, _ in step.book.phones[0].roles = [.arm] } == "role")
        #expect(why { _, _, cameras in cameras.planned = [shot] } == "busy")
        let tidying = Cameras.Talk(slot: DialSlot(0), task: .tidy, until: .zero)
        #expect(why { _, _, cameras in cameras.talks = [tidying] } == "busy")
        #expect(why { step, _, _ in step.life = .stopping } == "busy")
        // Of a day that is not over.
        #expect(why { step, _, cameras in (step.now.boot, cameras.requestsToday) = (.zero, 20) } == "limit")
        #expect(why { step, _, cameras in (step.now.boot, cameras.uploadsToday) = (.zero, 29) } == "limit")
    }

    @Test("what is no time and no mark is malformed, and not answered")
    func whatIsNoTimeIsMalformed() throws {
        var house = try House()
        let odd: [KeyValuePairs<String, String>] = [
            [:], ["t": ""], ["t": "-5"], ["t": "59"], ["t": "1e9"], ["t": "9223372036854775807"], ["u": house.mark],
            ["t": "1795228190", "u": "none"], ["t": "1795228190", "u": ""],
        ]
        for arguments in odd {
            house.bench.request(house.phones[0], "picture", arguments)
            house.bench.advance(.seconds(10))
        }
        #expect(house.bench.taker.requests.isEmpty && house.heard(.list)[0].isEmpty)
        house.bench.request(house.phones[0], "picture", ["t": "1795228190"])
        house.bench.settle()
        #expect(house.bench.taker.requests.count == 1)
    }
}
