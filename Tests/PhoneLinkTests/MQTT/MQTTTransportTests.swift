import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("The broker as a channel")
struct MQTTTransportTests {
    @Test("an event goes out once with QoS 1, not retained, and is accepted when it is acknowledged")
    func anEventGoesOutOnceWithQoS1() {
        var bench = MQTTBench.ready()
        let isTaken1 = bench.deliver("m1", timeToLive: 600)
        #expect(isTaken1)
        var wanted = MQTTPublish(topic: "howalarming/home/event", payload: Array(#"{"id":"m1"}"#.utf8), id: 3)
        wanted.properties.messageExpiry = 600
        #expect(bench.packets() == [.publish(wanted)])
        #expect(bench.take().isEmpty)
        #expect(bench.transport.health.underWay == 1)
        bench.say(.puback(MQTTAnswer(id: 99)), .puback(MQTTAnswer(id: 3, reason: 0x10)), .puback(MQTTAnswer(id: 3)))
        #expect(bench.take() == [.accepted(MessageID("m1"), canonical: nil)])
        #expect(bench.transport.health.lastAccepted == bench.now.wall)
    }

    @Test("a refusal says why, and what becomes of the message follows from it")
    func aRefusalSaysWhy() throws {
        var bench = MQTTBench.ready()
        for (number, reason) in [UInt8(0x87), 0x97, 0x99, 0x80].enumerated() {
            bench.deliver("m\(number)")
            var properties = MQTTProperties()
            properties.reasonText = "rule s3cret\n"
            bench.say(.puback(MQTTAnswer(id: UInt16(3 + number), reason: reason, properties: properties)))
        }
        let refusals = bench.take().compactMap { action in
            if case .refused(_, let refusal) = action { return refusal } else { return nil }
        }
        #expect(
            refusals.map(\.reaction) == [
                .serviceFault, .retry(first: .minutes(1), attempts: nil), .giveUp,
                .retry(first: .seconds(5), attempts: nil),
            ])
        #expect(refusals[0].why.contains("not authorised (rule ****?); allow this user to publish"))
    }

    @Test("what is no event is refused, and what is too large for the broker waits")
    func whatIsNoEventAndWhatIsTooLargeForTheBrokerIsRefused() {
        var properties = MQTTProperties()
        properties.maximumPacketSize = 60
        var bench = MQTTBench.ready(MQTTBench.settings, MQTTConnack(reason: 0, properties: properties))
        let words = Delivery(
            message: MessageID("w"), address: DeliveryAddress(.house(.broker), "x"),
            content: .words(Notice(title: "t", text: "x", subject: .news, time: bench.now.wall)), priority: .alarm,
            timeToLive: 0)
        let isTaken2 = bench.transport.deliver(words, at: bench.now, into: &bench.actions)
        #expect(isTaken2)
        let isTaken3 = bench.deliver(String(repeating: "m", count: 60))
        #expect(isTaken3)
        let refused = bench.take().compactMap { action in
            if case .refused(_, let refusal) = action { return refusal.reaction } else { return nil }
        }
        #expect(refused == [.giveUp, .retry(first: .minutes(1), attempts: nil)])
        #expect(bench.packets().isEmpty)
    }

    @Test("what was not acknowledged is given back in order when the connection ends")
    func whatWasNotAcknowledgedIsGivenBackInOrderWhenTheConnection() {
        var bench = MQTTBench.ready()
        for id in ["m1", "m2", "m3"] { bench.deliver(id) }
        bench.say(.puback(MQTTAnswer(id: 4)))
        _ = bench.take()
        bench.end()
        let actions = bench.take()
        #expect(actions.prefix(2) == [.notReady, .returned([MessageID("m1"), MessageID("m3")])])
        let isTaken4 = bench.deliver("m4")
        #expect(!isTaken4)
        #expect(bench.transport.health.phase == .waiting)
        bench.wait(.seconds(1))
        #expect(bench.transport.health.phase == .connecting)
    }

    private func fill(_ bench: inout MQTTBench, _ name: String, _ count: Int, _ priority: PriorityClass) {
        for number in 0..<count {
            let isTaken = bench.deliver("\(name)\(number)", priority)
            #expect(isTaken)
        }
        let isTaken = bench.deliver(name, priority)
        #expect(!isTaken)
    }

    @Test("room is kept for alarms, and the broker's own bound holds")
    func roomIsKeptForAlarms() {
        var bench = MQTTBench.ready()
        fill(&bench, "i", 15, .info)
        fill(&bench, "a", 5, .alarm)

        var properties = MQTTProperties()
        properties.receiveMaximum = 2
        var narrow = MQTTBench.ready(MQTTBench.settings, MQTTConnack(reason: 0, properties: properties))
        #expect(narrow.transport.room == TransportRoom(alarm: 2, other: 1))
        fill(&narrow, "a", 2, .alarm)
        narrow.change(HomeAssistantTests.house)
        #expect(narrow.packets().count == 2)
    }

    @Test("a half-open connection is noticed after 75 seconds, an unanswered message after 60")
    func aHalfOpenConnectionIsNoticedAfter75Seconds() {
        var bench = MQTTBench.ready()
        // The last word was heard two seconds ago.
        bench.wait(.milliseconds(57_999))
        #expect(bench.packets().isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.packets() == [.pingreq])
        bench.wait(.milliseconds(14_999))
        #expect(bench.take().isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.take().prefix(2) == [.close(ConnectionID(1)), .notReady])

        var other = MQTTBench.ready()
        other.deliver("m1")
        for _ in 0..<59 {
            other.wait(.seconds(1))
            other.say(.pingresp)
        }
        #expect(other.take().isEmpty)
        other.wait(.seconds(1))
        #expect(other.take().contains(.returned([MessageID("m1")])))
    }

    @Test("the broker's keep alive is kept")
    func theBrokersKeepAliveIsKept() {
        var properties = MQTTProperties()
        properties.serverKeepAlive = 10
        var bench = MQTTBench.ready(MQTTBench.settings, MQTTConnack(reason: 0, properties: properties))
        bench.wait(.seconds(8))
        bench.say(.pingresp)
        bench.wait(.seconds(2))
        #expect(bench.packets() == [.pingreq])
    }

    @Test("a broker that lets us in and acknowledges nothing is asked ever more rarely, and well with its first word")
    func aBrokerThatLetsUsInAndAcknowledgesNothingIsAskedEverMore() throws {
        var bench = MQTTBench.ready(house: MQTTHouseTests.house)
        bench.deliver("m1")
        var longest = Duration.zero
        for _ in 0..<12 {
            while bench.transport.health.phase == .ready {
                bench.say(.pingresp)
                bench.wait(.seconds(1))
            }
            let span = try #require(bench.transport.nextDeadline) - bench.now.boot
            longest = max(longest, span)
            bench.wait(span)
            bench.connection = ConnectionID(bench.connection.number + 1)
            bench.connect()
            _ = bench.take()
            bench.say(.connack(MQTTConnack(reason: 0)))
            #expect(bench.transport.health.problem?.description.contains("does not acknowledge") == true)
        }
        #expect(longest > .seconds(5))
        bench.acknowledgeAll()
        #expect(bench.take().contains(.problem(nil)))
        #expect(bench.transport.health.isHealthy)
    }

    @Test("an orderly end says offline, takes leave and gives back")
    func anOrderlyEndSaysOffline() {
        var bench = MQTTBench.ready()
        bench.deliver("m1")
        _ = bench.packets()
        bench.transport.stop(at: bench.now, into: &bench.actions)
        let offline = MQTTPublish(
            topic: "howalarming/home/availability", payload: Array("offline".utf8), isRetained: true)
        #expect(bench.packets() == [.publish(offline), .disconnect(reason: 0, MQTTProperties())])
        #expect(bench.take() == [.close(ConnectionID(1)), .notReady, .returned([MessageID("m1")])])
        #expect(bench.transport.nextDeadline == nil)
    }
}
