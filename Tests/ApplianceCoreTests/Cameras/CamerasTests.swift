import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@testable import ApplianceCore

@Suite("Pictures of what happens in an alarm")
struct CamerasTests {
    static let login = "S3cretCam"

    private static func cameras(_ change: (inout CameraSettings) -> Void = { _ in }) throws -> CameraSettings {
        var garage = Camera(name: "Garage", url: try HTTPURL("http://192.168.1.60/snapshot.jpg?pwd=\(login)"))
        garage.user = "alarm"
        garage.password = Secret(login)
        garage.zones = [3]
        garage.atEntry = true
        let street = Camera(name: "Street", url: try HTTPURL("https://192.168.1.61/picture"))
        var settings = CameraSettings(cameras: [garage, street])
        change(&settings)
        return settings
    }

    private static func up(_ change: (inout CameraSettings) -> Void = { _ in }) throws -> Bench {
        var configuration = Bench.configuration()
        configuration.cameras = try cameras(change)
        return Bench.up(configuration)
    }

    private static func withStoreApp(tellsArming: Bool = false, _ change: (inout CameraSettings) -> Void = { _ in })
        throws -> Bench
    {
        let settings = try cameras {
            $0.goToStoreApps = true
            change(&$0)
        }
        var bench = Bench.withTopics()
        var configuration = bench.configuration
        configuration.cameras = settings
        bench.feed(.reload(.configuration(configuration)))
        let paired = bench.pairStoreApp(tellsArming: tellsArming)
        try #require(paired != nil)
        return bench
    }

    private func names(_ bench: Bench) -> [String] { bench.taker.shots.map(\.camera.name) }

    @Test("each camera that sees the zone takes three: at the trigger, 2 and 10 s later")
    func eachCameraThatSeesTheZoneTakesThree() throws {
        var bench = try Self.up()
        bench.panel("6011003")
        bench.settle()
        #expect(names(bench) == ["Garage", "Street"])
        bench.advance(.seconds(2))
        #expect(names(bench).count == 4)
        bench.advance(.seconds(7))
        #expect(names(bench).count == 4)
        bench.advance(.seconds(1))
        #expect(names(bench).count == 6)
        #expect(
            bench.events(.camera).map(\.message) == [
                "The camera 'Garage' took 3 pictures; they are kept here.",
                "The camera 'Street' took 3 pictures; they are kept here.",
            ])
        let cameras = try #require(try bench.status()?.cameras)
        #expect(cameras.map(\.name) == ["Garage", "Street"] && cameras.allSatisfy { $0.lastPicture != nil })
        bench.advance(.hours(1))
        #expect(names(bench).count == 6)
    }

    @Test("of a zone that a camera does not see it takes none; one without zones sees every alarm")
    func ofAZoneThatACameraDoesNotSeeItTakesNone() throws {
        var bench = try Self.up()
        bench.panel("6011001")
        bench.advance(.seconds(11))
        #expect(names(bench) == ["Street", "Street", "Street"])
    }

    @Test("no picture is taken under duress, nor in maintenance, nor of an open zone")
    func noPictureIsTakenUnderDuress() throws {
        var bench = try Self.up()
        bench.panel("6200000", "609003")
        bench.ask(.maintenance(on: true))
        bench.panel("6011003")
        bench.advance(.seconds(30))
        #expect(bench.taker.requests.isEmpty)
    }

    @Test("pictures that a slow server takes its time with hold up no others, and are told as unsent")
    func picturesThatAreBeingSentHoldUpNoOther() throws {
        var bench = try Self.withStoreApp()
        bench.taker.answers = [.kept(bytes: 1000)]
        bench.panel("6011003")
        bench.advance(.minutes(1))
        #expect(bench.taker.shots.count == 6 && bench.taker.open.count > Cameras.talkLimit)
        bench.advance(.minutes(5))
        #expect(bench.taker.open.isEmpty)
        let faults = bench.events(.camera).filter { $0.type == .fault }
        #expect(faults.count == 2 && faults.allSatisfy { $0.message.contains("no answer came within 300 s") })
    }

    @Test("a camera that hangs keeps no alarm and no other camera, and is told once until it gives a picture again")
    func aCameraThatHangsKeepsNoAlarm() throws {
        var bench = try Self.withStoreApp()
        bench.taker.answers = nil
        let told = bench.topics.published.count
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.topics.published.count == told + 1)
        bench.advance(.minutes(5))
        #expect(bench.taker.mostAtOnce <= Cameras.talkLimit && bench.taker.open.isEmpty)
        let faults = bench.events(.camera).filter { $0.type == .fault }
        #expect(
            faults.map(\.message).sorted()
                == ["Garage", "Street"].map {
                    "No picture of the camera '\($0)' is kept: no answer came within 90 s."
                })
        bench.taker.answers = [.kept(bytes: 5), .done(sent: 0)]
        bench.panel("6011003")
        bench.advance(.minutes(1))
        let ends = bench.events(.camera).filter { $0.type == .recovery }
        #expect(
            ends.map(\.message).sorted() == ["Garage", "Street"].map { "The camera '\($0)' gives pictures again." })
    }

    @Test("a taker that is away, ends early or talks nonsense is a fault, and nothing stays open", arguments: 0..<3)
    func aTakerThatFails(_ kind: Int) throws {
        var bench = try Self.up { $0.cameras.removeFirst() }
        switch kind {
        case 0: bench.taker.isAway = true
        case 1: bench.taker.answers = [.failed("it refuses the user or the password")]
        default: bench.taker.answers = [.kept(bytes: 7), .unsent("ntfy.sh: its limit for files is reached")]
        }
        bench.panel("6011003")
        bench.advance(.minutes(3))
        let faults = bench.events(.camera).filter { $0.type == .fault }
        #expect(faults.count == 1 && bench.taker.open.isEmpty)
        #expect(bench.events(.camera).count { $0.type == .info } == (kind == 2 ? 1 : 0))
    }

    @Test("pictures go to a store app where the owner wants it, titled in the person's language")
    func picturesGoToAStoreApp() throws {
        var bench = try Self.withStoreApp()
        bench.panel("6011003")
        bench.settle()
        let shots = bench.taker.shots
        #expect(shots.count == 2)
        for shot in shots {
            #expect(shot.uploads.count == 1)
            guard case .topic(let url, _, let title)? = shot.uploads.first else {
                Issue.record("it goes to no topic")
                continue
            }
            #expect(title == "Picture: \(shot.camera.name)")
            #expect(url.description.hasPrefix("http") && url.target.count > 8)
        }
        var other = try Self.withStoreApp { $0.goToStoreApps = false }
        other.panel("6011003")
        other.settle()
        #expect(other.taker.shots.allSatisfy { $0.uploads.isEmpty } && !other.taker.shots.isEmpty)
    }

    @Test("the picture of an entry goes in clear only where arming does", arguments: [false, true])
    func thePictureOfAnEntryGoesWhereArmingDoes(tellsArming: Bool) throws {
        var bench = try Self.withStoreApp(tellsArming: tellsArming)
        bench.panel("65210")
        bench.advance(.seconds(5))
        bench.panel("6571")
        bench.settle()
        #expect(names(bench) == ["Garage"])
        #expect(bench.taker.shots.first?.uploads.count == (tellsArming ? 1 : 0))
    }

    @Test("an alarm during an entry's series begins its own, at once, 2 and 10 s later, and goes to everybody")
    func anAlarmDuringAnEntrysSeriesBeginsItsOwn() throws {
        var bench = try Self.withStoreApp { $0.cameras.removeLast() }
        bench.panel("65210")
        bench.advance(.seconds(5))
        bench.panel("6571")
        bench.advance(.seconds(3))
        #expect(names(bench).count == 2 && bench.taker.shots.allSatisfy { $0.uploads.isEmpty })
        bench.panel("6011003")
        bench.settle()
        #expect(names(bench).count == 3)
        // An alarm while the alarm's own series runs takes none.
        bench.panel("6541")
        bench.advance(.seconds(2))
        #expect(names(bench).count == 4)
        bench.advance(.seconds(8))
        #expect(names(bench).count == 5)
        #expect(bench.taker.shots.dropFirst(2).allSatisfy { $0.uploads.count == 1 })
        bench.advance(.minutes(1))
        #expect(names(bench).count == 5)
        #expect(
            bench.events(.camera).map(\.message) == ["The camera 'Garage' took 5 pictures; they are kept here."])
    }

    @Test("an alarm begins its series although a slow camera still takes an entry's picture")
    func anAlarmBeginsItsSeriesAlthoughACameraIsSlow() throws {
        var bench = try Self.up { $0.cameras.removeLast() }
        bench.taker.answers = nil
        bench.panel("65210")
        bench.advance(.seconds(5))
        bench.panel("6571")
        bench.advance(.seconds(1))
        bench.panel("6011003")
        bench.settle()
        #expect(names(bench).count == 2)
        bench.advance(.seconds(10))
        #expect(names(bench).count == 4 && bench.taker.mostAtOnce <= Cameras.talkLimit)
    }

    @Test("a test alarm for everybody has pictures, one for a single person has none")
    func aTestAlarmForEverybodyHasPictures() throws {
        var bench = try Self.withStoreApp()
        bench.ask(.phones(.testAlarm(phone: "Annas iPhone")), as: 70)
        bench.advance(.seconds(1))
        #expect(bench.taker.shots.isEmpty)
        bench.ask(.phones(.testAlarm(phone: nil)), as: 70)
        bench.advance(.seconds(1))
        #expect(names(bench) == ["Garage", "Street"] && bench.taker.shots.allSatisfy { $0.uploads.count == 1 })
    }

    @Test("a day's storm of alarms takes and sends no more than its budget")
    func aDaysStormTakesNoMoreThanItsBudget() throws {
        var bench = try Self.withStoreApp()
        for _ in 0..<400 {
            bench.panel("6011003")
            bench.advance(.seconds(30))
        }
        #expect(bench.taker.shots.count <= Cameras.shotsADay)
        #expect(bench.taker.shots.reduce(0) { $0 + $1.uploads.count } == Cameras.uploadsADay)
    }

    @Test("somebody at the box deletes all pictures, which the journal tells; old ones are looked for each day")
    func somebodyAtTheBoxDeletesAllPictures() throws {
        var bench = try Self.up()
        bench.taker.answers = [.done(sent: 0)]
        bench.ask(.forgetPictures, as: 70)
        bench.settle()
        #expect(bench.taker.requests.map(\.task) == [.forget])
        #expect(bench.events(.camera).map(\.message) == ["All pictures of the cameras were deleted at the box."])
        #expect(bench.answers(70) == [.changed("all pictures of the cameras are deleted")])
        bench.advance(.hours(49))
        #expect(bench.taker.requests.map(\.task) == [.forget, .tidy, .tidy, .tidy])
        var none = Bench.up()
        none.ask(.forgetPictures, as: 70)
        none.settle()
        #expect(none.answers(70).count == 1 && none.taker.requests.isEmpty)
    }

    @Test("while the clock is in doubt no picture counts as too old: a forged time deletes none")
    func whileTheClockIsInDoubtNoPictureIsTooOld() throws {
        var bench = try Self.up()
        bench.now.isWallTrusted = false
        bench.advance(.hours(30))
        #expect(bench.taker.requests.isEmpty)
        bench.panel("6011003")
        bench.settle()
        #expect(!bench.taker.requests.isEmpty && bench.taker.requests.allSatisfy { $0.keptDays > 365_000 })
        bench.now.isWallTrusted = true
        bench.advance(.hours(2))
        #expect(bench.taker.requests.last?.task == .tidy && bench.taker.requests.last?.keptDays == 30)
    }

    @Test("the camera's password is in nothing that is stored, told or recorded")
    func theCamerasPasswordIsInNothing() throws {
        var bench = try Self.up()
        bench.taker.answers = [.failed("it refuses the user or the password")]
        bench.panel("6011003")
        bench.advance(.minutes(1))
        #expect(bench.taker.shots.first?.camera.password?.revealed == Self.login)
        #expect(bench.taker.shots.first?.camera.url.target == "/snapshot.jpg?pwd=\(Self.login)")
        let places = try bench.places(of: Self.login) { effect in
            if case .send = effect { false } else { true }
        }
        #expect(places.isEmpty)
        #expect(!"\(bench.core)".contains(Self.login))
    }

    private static let mailServer = MailSettings(
        host: "mail.example", port: 587, security: .startTLS, from: "box@mail.example", user: "box",
        password: Secret("mailpass"))

    /// As a request carries it.
    private static var broker: MQTTSettings {
        var broker = MQTTSettings(host: "broker.lan", user: "box", password: Secret("brokerpass"), site: "")
        broker.clientID = "howalarming-home-picture"
        return broker
    }

    @Test("pictures go to those who get mail of alarms and to Home Assistant, of the entry delay where arming is told")
    func picturesGoByMailAndToHomeAssistant() throws {
        var configuration = Bench.configuration()
        configuration.cameras = try Self.cameras {
            $0.cameras.removeLast()
            $0.goByMail = true
            $0.goToHomeAssistant = true
        }
        var broker = Self.broker
        (broker.site, broker.clientID, broker.baseTopic) = ("home", "howalarming-home", "howalarming/home")
        configuration.phones.channels = [.mail(Self.mailServer), .mqtt(broker)]
        configuration.phones.house = [
            .init(kind: .mail, value: "anna@mail.example", triggers: [.alarm]),
            .init(kind: .mail, value: "ben@mail.example", triggers: [.alarm, .armed]),
            .init(kind: .mail, value: "log@mail.example", triggers: [.info]),
        ]
        func uploads(_ line: String) throws -> [PictureUpload] {
            var bench = Bench.up(configuration)
            bench.panel("652101")
            bench.panel(line)
            bench.settle()
            return try #require(bench.taker.shots.first).uploads
        }
        let alarm = try uploads("6011003")
        #expect(
            alarm == [
                .broker(Self.broker, topic: "howalarming/home/camera/garage"),
                .mail(Self.mailServer, to: "anna@mail.example", title: "Picture: Garage"),
                .mail(Self.mailServer, to: "ben@mail.example", title: "Picture: Garage"),
            ])
        let delay = try uploads("6571")
        #expect(delay == [alarm[0], alarm[2]])
    }

    @Test("no mail takes a store app's picture: each kind has a day's budget of its own")
    func noMailTakesTheAppsPicture() throws {
        var bench = try Self.withStoreApp()
        var configuration = bench.configuration
        configuration.cameras = try Self.cameras {
            $0.cameras.removeLast()
            $0.goToStoreApps = true
            $0.goByMail = true
        }
        configuration.phones.channels.append(.mail(Self.mailServer))
        configuration.phones.house = (1...4).map {
            .init(kind: .mail, value: "person\($0)@mail.example", triggers: [.alarm])
        }
        bench.feed(.reload(.configuration(configuration)))
        for _ in 1...12 {
            bench.panel("6011003", "6021003")
            bench.advance(.minutes(5))
        }
        let uploads = bench.taker.shots.flatMap(\.uploads)
        let mails = uploads.count { if case .mail = $0 { true } else { false } }
        #expect(
            bench.taker.shots.count == 36 && mails == Cameras.mailsADay && uploads.count - mails == 36,
            "\(mails) of \(uploads.count)")
    }

    @Test("a request is read as it was written, and nothing else is one")
    func aRequestIsReadAsItWasWritten() throws {
        var shot = PictureRequest.Shot(
            camera: try Self.cameras().cameras[0], time: WallTime(milliseconds: 1_795_000_000_000),
            uploads: [
                .topic(try HTTPURL("https://ntfy.sh/a"), authorization: Secret("Bearer x"), title: "T"),
                .sealed(try HTTPURL("https://ntfy.sh/"), authorization: nil),
                .mail(Self.mailServer, to: "anna@mail.example", title: "T"),
                .broker(Self.broker, topic: "howalarming/home/camera/front.door"),
            ],
            link: "eth0")
        shot.authorities[.broker] = "PEM"
        shot.camera.zones = []
        shot.camera.atEntry = false
        shot.camera.fingerprint = [UInt8](repeating: 7, count: 32)
        let now = WallTime(milliseconds: 1_795_000_000_001)
        let request = PictureRequest(.take(shot), keptDays: 30, keptBytes: 1000, now: now)
        #expect(PictureRequest(request.json.utf8) == request)
        for task in [PictureRequest.Task.tidy, .forget] {
            let request = PictureRequest(task, keptDays: 1, keptBytes: 1)
            #expect(PictureRequest(request.json.utf8) == request)
        }
        for line in ["", "{}", #"{"do":"take","days":1,"bytes":1}"#, #"{"do":"tidy","days":0,"bytes":1}"#] {
            #expect(PictureRequest(Array(line.utf8)) == nil)
        }
        for answer in [PictureAnswer.kept(bytes: 1), .done(sent: 2), .failed("a"), .unsent("b")] {
            #expect(PictureAnswer(answer.json.utf8) == answer)
        }
        #expect(PictureAnswer(Array("{}".utf8)) == nil)
    }
}
