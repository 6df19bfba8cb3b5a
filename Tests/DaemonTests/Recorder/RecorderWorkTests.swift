import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulation
import Testing

@testable import Daemon

@Suite("what is recorded")
struct RecorderWorkTests {
    private static let channels =
        SecretChannels.text + "\nheartbeat: {url: 'https://beat.example/ping/8f3c-BEACONsecret', every: 5min}\n"
    private static let configured = ["Kp4xZ9qq", "739146", "BEACONsecret"] + SecretChannels.secrets

    @Test("a status that names an original app by the beginning of its token does not end the recording")
    func aStatusThatNamesAnOriginalApp() throws {
        var configuration = try RecorderBench.house(channels: Self.channels)
        configuration.phones.isLegacyEnabled = true
        var bench = try RecorderBench(configuration)
        let client = Appliance.firstClient
        bench.feed(.accepted(client))
        bench.feed(.request(client, .phones(.approve(token: "fV1x:APA91bF0123456789", [.ping, .status]))))
        bench.feed(.request(client, .status))
        bench.feed(.request(client, .phones(.list)))
        let isOver = bench.work.isOver
        #expect(!isOver, "\(bench.tape.steps().suffix(4).joined(separator: "\n"))")
        #expect(!bench.tape.text.contains("fV1x:APA91bF"))
    }

    @Test("no secret of the configuration, of a request or of what came in is in a recording")
    func noSecretOfTheConfiguration() throws {
        let configuration = try RecorderBench.house(channels: Self.channels)
        var bench = try RecorderBench(configuration)
        bench.connectPanel()
        let client = Appliance.firstClient
        bench.feed(.accepted(client))
        bench.feed(.request(client, .command(.disarm(partition: 1), code: Secret("864209"))))
        bench.feed(
            .request(client, .command(.keys(partition: 1, keys: Secret("51938275"), allowInstaller: false), code: nil)))
        bench.feed(.request(client, .console(.begin)))
        bench.feed(.request(client, .console(.setPIN(old: nil, new: Secret("47110815")))))
        bench.feed(
            .derived(
                DeriveID(1),
                .made(
                    ConsolePIN(
                        logN: 14, blockSize: 8, parallel: 1, salt: Array(0x41...0x50), hash: Array(0x61...0x80)))))
        bench.feed(.reload(.configuration(try RecorderBench.house(password: "newPW9xQ", master: "918273"))))
        for connection in [ConnectionID(1), ConnectionID(1 << 33)] {
            bench.feed(.received(connection, Array(#"{"action":"DISARM","code":"462813"}"#.utf8)))
            bench.feed(.received(connection, Array("<body>disarm 135".utf8)))
            bench.feed(.received(connection, Array("792</body> tk_TOPICtoken".utf8)))
        }
        // From a checkpoint on, too.
        bench.work.segmentLimit = 0
        bench.feed(.timer(.watchdog))
        bench.feed(.timer(.watchdog))
        #expect(bench.tape.segments.count >= 2)
        let text = bench.tape.text
        for secret in Self.configured + [
            "864209", "51938275", "47110815", "newPW9xQ", "918273", "462813", "135792", "97,98,99,100", "65,66,67,68",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
        // Bytes in lists, as JSON has them.
        for secret in Self.configured {
            #expect(!text.contains(secret.utf8.map { "\($0)" }.joined(separator: ",")), "\(secret)")
        }
        #expect(!bench.work.isOver, "\(bench.tape.replay().lines)")
        #expect(bench.tape.replay().0 == .same)
        // The search finds what is there.
        #expect(text.contains("hooks.example") && text.contains("Mill") && text.contains("DISARM"))
    }

    @Test("no mail address, no telephone number and no login's name is in a recording, and it replays")
    func noDetailOfAPersonIsRecorded() throws {
        let details = [
            "+431234", "ann@x.example", "box@mail.example", "carl@history.example", "dora@push.example", "cameraman",
            "upsreader", "+491710098", "svc@project.example", "0123456789abcdef0123",
        ]
        var configuration = try RecorderBench.house(
            channels: SecretChannels.text + """

                links: {modem: {apn: internet}}
                sms: {numbers: {Anna: '+431234567', Ben: '+4917100987654'}}
                web_push: {contact: 'mailto:dora@push.example'}
                ups: {host: 192.168.1.20, name: ups, user: upsreader, password: upsPASSWORD}
                cameras: {Garage: {url: 'http://192.168.1.60/a.jpg', user: cameraman, password: camPASSWORD}}
                reminders: {history: carl@history.example}
                """)
        let key = "-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE KEY-----\\n"
        let account = try ServiceAccount(
            parsing: Array(
                """
                {"type":"service_account","project_id":"project","client_email":"svc@project.example",
                "private_key_id":"0123456789abcdef0123","private_key":"\(key)","token_uri":"https://t.example/"}
                """.utf8))
        configuration.phones.channels.append(.fcm(FCMSettings(account: account)))
        var bench = try RecorderBench(configuration)
        bench.feed(.modem(.textReceived(number: "+431234567", text: "ok")))
        let text = bench.tape.text
        for detail in details { #expect(!text.contains(detail), "\(detail)") }
        let (verdict, lines, compared) = bench.tape.replay()
        #expect(verdict == .same && compared >= 1, "\(lines)")
        let isOver = bench.work.isOver
        #expect(!isOver)
    }

    @Test("of a text message that comes in a recording holds no word but that of an answer, and replays to the same")
    func ofATextMessageARecordingHoldsNoWord() throws {
        let configuration = try RecorderBench.house(
            channels: "links: {modem: {apn: internet}}\nsms: {numbers: {Anna: '+431234567'}}")
        var bench = try RecorderBench(configuration)
        for text in ["disarm 4711", "ok"] { bench.feed(.modem(.textReceived(number: "+431234567", text: text))) }
        bench.feed(.modem(.textReceived(number: "+491", text: "4711")))
        #expect(!bench.tape.text.contains("4711"))
        #expect(bench.tape.steps().count { $0.contains("4567") && $0.contains("textReceived") } == 2)
        let (verdict, lines, compared) = bench.tape.replay()
        #expect(verdict == .same && compared >= 3, "\(lines)")
        let isOver = bench.work.isOver
        #expect(!isOver)
        #expect(bench.history.contains { "\($0)".contains("sent a text message that is not OK") })
    }

    @Test("a checkpoint takes no more room than the bytes that connections hold")
    func aCheckpointTakesNoMoreRoom() throws {
        var bench = try RecorderBench(RecorderBench.house())
        bench.connectPanel()
        func checkpoint() -> Int {
            bench.work.segmentLimit = 0
            bench.feed(.timer(.watchdog))
            guard case .frame(.checkpoint(let json), _) = RecordFrame.read(bench.tape.segments.last ?? [], at: 0) else {
                Issue.record("no segment begins with a checkpoint")
                return 0
            }
            return json.text.utf8.count
        }
        let before = checkpoint()
        // A line that does not end.
        let line = [UInt8](repeating: UInt8(ascii: "7"), count: 400)
        let panel = try #require(bench.panelConnection)
        bench.feed(.received(panel, line))
        let grown = checkpoint() - before
        #expect(grown < 2 * line.count, "\(grown) bytes for \(line.count)")
        #expect(bench.tape.replay().0 == .same)
    }

    @Test("topics of the configuration are in no recording, and it replays also where the phone book has them already")
    func topicsOfTheConfiguration() throws {
        let topics = ["Pixel: a-topic-Nobody-guesses", "Tablet: a-topic-Nobody-guesses-2"].joined(separator: ", ")
        let configuration = try RecorderBench.house(
            channels: "ntfy: {server: https://192.0.2.9}\npeople: {Anna: {store_apps: {\(topics)}}}")
        var book: PhoneBook?
        for run in 1...2 {
            var bench = try RecorderBench(configuration, book: book ?? PhoneBook())
            bench.connectPanel()
            bench.feed(.reload(.configuration(try RecorderBench.house(channels: "ntfy: {server: https://192.0.2.8}"))))
            bench.feed(.reload(.configuration(configuration)))
            let (verdict, lines, compared) = bench.tape.replay()
            #expect(verdict == .same && compared > 5, "run \(run): \(lines)")
            #expect(!bench.tape.text.contains("Nobody"))
            let isOver = bench.work.isOver
            #expect(!isOver, "run \(run): \(bench.tape.steps().suffix(2))")
            book =
                bench.history.reversed().lazy.compactMap { effect in
                    if case .commit(let batch) = effect { batch.phoneBook } else { nil }
                }.first
            #expect(try #require(book).contacts.map(\.isConfigured) == [true, true])
        }
    }

    @Test("what the disk does not take is counted, and the recording goes on with a checkpoint")
    func whatTheDiskDoesNotTakeIsCounted() throws {
        var bench = try RecorderBench(RecorderBench.house())
        bench.connectPanel()
        bench.tape.isStalled = true
        for _ in 0..<20 { bench.feed(.timer(.watchdog)) }
        bench.tape.isStalled = false
        for _ in 0..<40 { bench.feed(.timer(.watchdog)) }
        #expect(bench.tape.segments.count == 2)
        let (verdict, lines, compared) = bench.tape.replay()
        #expect(verdict == .same)
        #expect(compared >= 10)
        #expect(lines.contains { $0.contains(" steps") && $0.contains("missing") }, "\(lines)")
    }

    @Test("each segment of the ring can be replayed by itself")
    func eachSegmentOfTheRingCanBeReplayedByItself() throws {
        var bench = try RecorderBench(RecorderBench.house())
        bench.work.segmentLimit = 2000
        bench.connectPanel()
        for _ in 0..<60 { bench.feed(.timer(.panel)) }
        #expect(bench.tape.segments.count >= 4)
        #expect(bench.tape.replay().0 == .same)
        for segment in bench.tape.segments {
            let tape = Tape()
            tape.segments = [segment]
            let (verdict, lines, compared) = tape.replay()
            #expect(verdict == .same && compared > 0, "\(lines)")
        }
        let last = Tape()
        last.segments = bench.tape.segments
        let steps = bench.tape.replay().compared
        #expect(last.replay(from: UInt64(steps - 2)).compared == 3)
    }

    @Test("another version replays from a start of the daemon on, and refuses a checkpoint that it cannot come to")
    func anotherVersionReplaysFromAStartOfTheDaemonOn() throws {
        var bench = try RecorderBench(RecorderBench.house())
        bench.work.segmentLimit = 2000
        bench.connectPanel()
        for _ in 0..<60 { bench.feed(.timer(.panel)) }
        let whole = bench.tape.replay()
        let (verdict, lines, compared) = bench.tape.replay(version: "9.9.9")
        #expect(verdict == .same && compared == whole.compared, "\(lines)")
        let rest = Tape()
        rest.segments = Array(bench.tape.segments.dropFirst())
        let refused = rest.replay(version: "9.9.9")
        #expect(refused.0 == .ofAnotherVersion(Product.version) && refused.compared == 0)
        #expect(refused.lines.first?.contains("is of version \(Product.version), which alone can read it") == true)
        #expect(rest.replay().0 == .same)
    }

    @Test("after a loss on the way to the recorder nothing more is recorded, and that is told")
    func afterALossOnTheWayToTheRecorderNothingMoreIsRecorded() throws {
        var bench = try RecorderBench(RecorderBench.house())
        bench.work.lostTrack()
        let size = bench.tape.bytes.count
        bench.feed(.timer(.panel))
        #expect(bench.tape.bytes.count == size)
        let (verdict, lines, _) = bench.tape.replay()
        #expect(verdict == .same)
        #expect(lines.contains { $0.contains("more happened at once") })
    }

    @Test("an input without its end, as a crash leaves it, is shown and told to the core")
    func anInputWithoutItsEnd() throws {
        let bench = try RecorderBench(RecorderBench.house())
        bench.work.begins(
            .timer(.retention), at: Moment(boot: bench.now, wall: WallTime(milliseconds: 0), isWallTrusted: false))
        let (verdict, lines, _) = bench.tape.replay()
        #expect(verdict == .same)
        #expect(lines.contains { $0.contains("its end was not recorded") })
        #expect(lines.contains { $0.contains("retention") })
    }

    @Test(
        "a recording of a simulated house, with its faults and crashes, replays to the same orders",
        arguments: [
            (2, [.ntfy]), (3, [.xmpp]), (4, [.mqtt]), (5, [.beanstalk, .url]), (6, [.fcm]), (7, [.mail, .program]),
        ] as [(UInt64, [ChannelKind])])
    func aRecordingOfASimulatedHouse(seed: UInt64, channels: [ChannelKind]) throws {
        var steps = 0
        var runs: [(tape: Tape, work: RecorderWork)] = []
        let violation = WitnessedRun.live(seed: seed, span: .minutes(5), channels: channels) { input, moment, effects in
            guard steps < 1000 else { return }
            if case .started(let start) = input {
                let tape = Tape()
                guard
                    let work = try? RecorderWork(
                        start.configuration, SecretPlaceholders(key: Array(1...16)), about: RecorderBench.about,
                        put: tape.put)
                else { return }
                work.segmentLimit = 150_000
                runs.append((tape, work))
            }
            steps += 1
            guard let last = runs.indices.last else { return }
            runs[last].work.begins(input, at: moment)
            runs[last].work.ended(effects)
        }
        #expect(violation == nil, "\(violation.map(\.description) ?? "")")
        #expect(!runs.isEmpty)
        for run in runs {
            let (verdict, lines, compared) = run.tape.replay()
            #expect(verdict == .same, "\(lines)")
            let isOver = run.work.isOver
            #expect(!isOver, "\(isOver ? run.tape.steps().suffix(8).joined(separator: "\n") : "")")
            #expect(compared > 0)
            #expect(!run.tape.text.contains("toy-key"))
        }
    }
}
