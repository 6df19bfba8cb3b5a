import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@Suite(
    "The house at Mosquitto", .enabled(if: Independents.has(MosquittoProcess.broker), "\(Independents.advice)"),
    .serialized)
struct MosquittoTests {
    static let set = "howalarming/home/partition/1/set"

    struct Mount {
        var runner: TransportRunner<MQTTTransport>
        var broker: MosquittoProcess
        var authority: TestAuthority
    }

    private func mount(
        isTLS: Bool = false, names: [String] = ["localhost", "127.0.0.1"], isStarted: Bool = true,
        _ change: (inout MQTTSettings) -> Void = { _ in }
    ) throws -> Mount {
        let authority = try TestAuthority()
        let loop = try EventLoop()
        let broker = try MosquittoProcess(
            files: isTLS ? try authority.files(names) : nil, authority: authority, on: loop)
        var settings = MQTTSettings(
            host: "127.0.0.1", port: broker.port, security: isTLS ? .tls(authorityFile: authority.file) : .plain,
            user: "alarm", password: Secret("s3cret-word"), site: "home", commandsAllowed: true)
        settings.recallPatience = .milliseconds(300)
        settings.announceEarliest = .milliseconds(10)
        settings.announceLatest = .milliseconds(50)
        settings.pace.urgentMaximum = .milliseconds(500)
        change(&settings)
        let runner = try TransportRunner(MQTTTransport(settings: settings, seed: 7), on: loop)
        runner.kept = [broker, authority.directory]
        if isStarted { try broker.start(runner) }
        return Mount(runner: runner, broker: broker, authority: authority)
    }

    private func house(_ zones: [Int] = [1, 2]) -> HousePicture {
        var state = PanelState(link: .up)
        state.withPartition(1) { $0.status = .known(.armed(.away)) }
        for zone in zones { state.withZone(zone) { $0.open = .known(false) } }
        let names = SiteNames(zones: zones.map { SiteNames.Zone(number: $0, name: "Zone \($0)") })
        return HousePicture(state: state, names: names, partitions: [1])
    }

    private func event(_ id: String) -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.broker), "howalarming/home"),
            content: .event(.object(["message": .string("Einbruch in der Küche"), "id": .string(id)]), type: "alarm"),
            priority: .alarm, timeToLive: 3600)
    }

    @Test(
        "events arrive, states are kept, commands come up, over TLS and plain, in both versions",
        arguments: [true, false], MQTTSettings.Level.allCases)
    func eventsArriveStatesAreKeptCommandsComeUpOverTLSAndPlain(isTLS: Bool, level: MQTTSettings.Level) throws {
        let mount = try mount(isTLS: isTLS) { $0.protocolVersion = level }
        let (runner, broker) = (mount.runner, mount.broker)
        let file = isTLS ? mount.authority.file : nil
        runner.houseChanged(house())
        let ear = try broker.listener(["howalarming/#", "homeassistant/#"], runner, authority: file)
        runner.start()
        try runner.waitUntilReady()
        runner.deliver(event("m1"))
        #expect(try runner.waitForEnd(of: MessageID("m1")) == .accepted(canonical: nil))
        let device = HomeAssistantDevice(settings: runner.transport.settings, house: house())
        let config = "homeassistant/device/howalarming_home/config \(device.announcement().text)"
        try runner.wait(for: "the announcement") { _ in ear.lines.contains("0 \(config)") }
        #expect(ear.lines.contains(#"0 howalarming/home/event {"message":"Einbruch in der Küche","id":"m1"}"#))

        // Whoever comes later finds everything but the event.
        let late = try broker.listener(["howalarming/#", "homeassistant/#"], runner, authority: file)
        try runner.wait(for: "what is kept") { _ in late.lines.count >= 7 }
        let kept =
            ["1 howalarming/home/availability online", "1 \(config)"]
            + device.states.map { "1 \($0.topic) \($0.payload)" }
        #expect(late.lines.sorted() == kept.sorted())

        try broker.publish(Self.set, #"{"action":"ARM_HOME","code":"123456"}"#, authority: file, runner)
        let message = try runner.nextInbound()
        let command = HomeAssistantCommand(
            topic: message.from, payload: #"{"action":"ARM_HOME","code":"123456"}"#, baseTopic: "howalarming/home")
        #expect(command?.action == .armHome)
        #expect(message.body == .text(#"{"action":"ARM_HOME","code":"123456"}"#))
        runner.acknowledge(message)
        try runner.wait(for: "the broker has our acknowledgement") { _ in
            broker.log.contains { $0.contains("Received PUBACK from howalarming-home") }
        }
        try broker.publish("homeassistant/status", "online", authority: file, runner)
        try runner.wait(for: "the announcement again") { _ in
            ear.lines.count { $0 == "0 \(config)" } == 2
        }
        runner.stop()
        try runner.wait(for: "offline") { _ in ear.lines.contains("0 howalarming/home/availability offline") }
    }

    @Test("a command that the broker has kept is not obeyed")
    func aCommandThatTheBrokerHasKeptIsNotObeyed() throws {
        let mount = try mount()
        try mount.broker.publish(Self.set, #"{"action":"DISARM"}"#, isRetained: true, mount.runner)
        mount.runner.start()
        try mount.runner.waitUntilReady()
        try mount.broker.publish(Self.set, #"{"action":"ARM_AWAY"}"#, mount.runner)
        #expect(try mount.runner.nextInbound().body == .text(#"{"action":"ARM_AWAY"}"#))
        // Nor while it is there to see it come.
        try mount.broker.publish(Self.set, #"{"action":"ARM_HOME"}"#, isRetained: true, mount.runner)
        try mount.broker.publish(Self.set, #"{"action":"ARM_NIGHT"}"#, mount.runner)
        try mount.runner.wait(for: "the last one") {
            $0.inbound.last?.body == .text(#"{"action":"ARM_NIGHT"}"#)
        }
        #expect(mount.runner.inbound.count == 2)
    }

    @Test("who is at home is heard, kept or as it comes")
    func whoIsAtHomeIsHeard() throws {
        let mount = try mount { $0.presenceTopic = "house/presence" }
        let runner = mount.runner
        try mount.broker.publish("house/presence", "not_home", isRetained: true, runner)
        runner.start()
        try runner.wait(for: "what was kept") { $0.actions.contains(.presence(.notHome)) }
        try mount.broker.publish("house/presence", "home", isRetained: true, runner)
        try runner.wait(for: "somebody home") { $0.actions.contains(.presence(.home)) }
    }

    @Test("when the line is cut the broker says so, and the house is there again")
    func whenTheLineIsCutTheBrokerSaysSo() throws {
        let mount = try mount()
        let ear = try mount.broker.listener(["howalarming/home/availability"], mount.runner)
        mount.runner.houseChanged(house())
        mount.runner.start()
        try mount.runner.waitUntilReady()
        // What a reset overtakes is lost.
        try mount.runner.wait(for: "online") { _ in !ear.lines.isEmpty }
        mount.runner.cutConnections()
        let wanted = ["online", "offline", "online"].map { "0 howalarming/home/availability \($0)" }
        try mount.runner.wait(for: "all three") { _ in ear.lines == wanted }
    }

    @Test("ten alarms while the broker is down arrive when it is back, and the house is announced anew")
    func tenAlarmsWhileTheBrokerIsDownArriveWhenItIsBack() throws {
        let mount = try mount()
        let (runner, broker) = (mount.runner, mount.broker)
        runner.houseChanged(house())
        runner.setUrgent(true)
        runner.start()
        try runner.waitUntilReady()
        runner.isBlackHoled = true
        for number in 0..<10 { #expect(runner.deliver(event("m\(number)"))) }
        try broker.stop(runner)
        runner.isBlackHoled = false
        runner.cutConnections()
        for number in 0..<10 { #expect(runner.ends(of: MessageID("m\(number)")) == [.returned]) }
        try runner.wait(for: "an attempt in vain") {
            $0.problems.contains { $0?.description.contains("refused") == true }
        }
        try broker.start(runner)
        let ear = try broker.listener(["howalarming/#", "homeassistant/#"], runner)
        try runner.waitUntilReady()
        for number in 0..<10 { runner.deliver(event("m\(number)")) }
        try runner.wait(for: "all ten") { runner in
            runner.accepted.count == 10 && ear.lines.count { $0.contains("/event ") } == 10
        }
        try runner.wait(for: "the house") { _ in ear.lines.contains { $0.contains("/config {") } }
        #expect(runner.transport.health.isHealthy)
    }

    @Test("a router that died is noticed, and the alarm is given back")
    func aRouterThatDiedIsNoticed() throws {
        let mount = try mount {
            $0.idleBeforePing = .milliseconds(300)
            $0.pingPatience = .milliseconds(200)
        }
        mount.runner.start()
        try mount.runner.waitUntilReady()
        mount.runner.isBlackHoled = true
        mount.runner.deliver(event("m1"))
        #expect(try mount.runner.waitForEnd(of: MessageID("m1")) == .returned)
        #expect(try mount.runner.nextProblem()?.description.contains("no sign of life") == true)
        mount.runner.isBlackHoled = false
        try mount.runner.waitUntilReady()
    }

    @Test("a wrong password, a wrong certificate and what is no broker are told apart", arguments: [true, false])
    func aWrongPasswordAWrongCertificateAndWhatIsNoBrokerAreTold(isV5: Bool) throws {
        let wrong = try mount {
            $0.password = Secret("wrong-word")
            $0.protocolVersion = isV5 ? .v5 : .v311
        }
        wrong.runner.start()
        let problem = try wrong.runner.nextProblem()
        #expect(problem?.description.contains("check user and password") == true)
        #expect(problem?.isRefusal == true)

        let other = try mount(isTLS: true, names: ["other.test"])
        other.runner.start()
        #expect(try other.runner.nextProblem()?.description.contains("for another host") == true)

        let plain = try mount(isTLS: false) { $0.security = .tls(authorityFile: nil) }
        plain.runner.start()
        #expect(try plain.runner.nextProblem() != nil)
    }

    @Test("what the configuration no longer names is taken back from the broker")
    func whatTheConfigurationNoLongerNamesIsTakenBackFromTheBroker() throws {
        let first = try mount()
        first.runner.houseChanged(house([1, 2]))
        let ear = try first.broker.listener(["howalarming/home/zone/2", "homeassistant/device/+/config"], first.runner)
        first.runner.start()
        try first.runner.wait(for: "both zones") { _ in ear.lines.count == 2 }
        first.runner.stop()

        let settings = first.runner.transport.settings
        let second = try TransportRunner(MQTTTransport(settings: settings, seed: 8), on: first.runner.loop)
        second.houseChanged(house([1]))
        second.start()
        try second.wait(for: "the new announcement") { _ in ear.lines.count == 4 }
        #expect(ear.lines.dropFirst(2).contains { $0.contains(#""zone_2":{"p":"binary_sensor"}}"#) })
        #expect(ear.lines.dropFirst(2).contains("0 howalarming/home/zone/2 "))
        let late = try first.broker.listener(["howalarming/home/zone/+"], second)
        try second.wait(for: "what is kept") { _ in !late.lines.isEmpty }
        #expect(late.lines.count == 1)
    }
}
