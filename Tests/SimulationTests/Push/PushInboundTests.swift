import AlarmModel
import PhoneProtocol
import Simulators
import Testing

@Suite("A push service and what phones send")
struct PushInboundTests {
    @Test("a phone's message reaches the client as the service writes it")
    func aPhonesMessageReachesTheClientAsTheServiceWritesIt() {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        bench.inbound("m-123", ttl: 60)
        #expect(
            bench.text()
                == "<message><data:gcm xmlns:data=\"google:mobile:data\">{\"category\":\"com.example.app\",\"from\":\"TOKEN\","
                + "\"message_id\":\"m-123\",\"data\":{\"command\":\"ping\"},\"time_to_live\":60}</data:gcm></message>")
    }

    @Test("on demand its element has no prefix; never is there an empty id")
    func onDemandItsElementHasNoPrefix() throws {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        try bench.perform("form plain")
        bench.inbound("m-123")
        #expect(bench.text().hasPrefix("<message><gcm xmlns=\"google:mobile:data\">{"))
    }

    @Test("before an iPhone's channel stands sending fails with 501, and the channel goes with the app")
    func beforeAnIPhonesChannelStandsSendingFailsWith501() throws {
        var bench = PushBench()
        bench.logIn()
        try bench.perform("register PHONE ios")
        try bench.perform("phone PHONE online")
        bench.inbound("1", from: "PHONE")
        #expect(bench.actions.last == .sendFailed(token: "PHONE", messageID: "1", code: 501))
        #expect(!bench.actions.contains(.channelUp(token: "PHONE")))
        bench.wait(.seconds(3))
        #expect(bench.actions.last == .channelUp(token: "PHONE"))
        bench.inbound("2", from: "PHONE")
        #expect(bench.ids(nil) == ["2"])
        try bench.perform("phone PHONE background")
        bench.inbound("3", from: "PHONE")
        #expect(bench.actions.last == .sendFailed(token: "PHONE", messageID: "3", code: 501))
        try bench.perform("phone PHONE channel down")
        try bench.perform("phone PHONE online")
        bench.wait(.minutes(10))
        bench.inbound("4", from: "PHONE")
        #expect(bench.actions.last == .sendFailed(token: "PHONE", messageID: "4", code: 501))
    }

    @Test("without a connection a message for now fails and one with time waits, as long as it lives")
    func withoutAConnectionAMessageForNowFailsAndOneWithTimeWaits() {
        var bench = PushBench()
        bench.phone()
        bench.inbound("now")
        #expect(bench.actions.last == .sendFailed(token: "TOKEN", messageID: "now", code: 1001))
        bench.inbound("short", ttl: 10)
        bench.inbound("long", ttl: 100)
        bench.wait(.seconds(10))
        bench.connect()
        bench.logIn()
        #expect(bench.push.truth.connections.first?.unacknowledged == ["long"])
    }

    @Test("twenty messages of a phone may wait, not more")
    func twentyMessagesOfAPhoneMayWait() {
        var bench = PushBench()
        bench.phone()
        for number in 1...21 { bench.inbound("\(number)", ttl: 60) }
        #expect(bench.actions.last == .sendFailed(token: "TOKEN", messageID: "21", code: 1001))
        #expect(bench.push.truth.inbound.count == 20)
    }

    @Test("what was not acknowledged comes again on the next connection, until it is; a message for now does not")
    func whatWasNotAcknowledgedComesAgainOnTheNextConnection() {
        var bench = PushBench()
        bench.phone()
        bench.logIn(1)
        bench.inbound("a", ttl: 60)
        bench.inbound("now")
        bench.inbound("b", ttl: 60)
        bench.acknowledge("b", to: "TOKEN", 1)
        bench.inbound("c", ttl: 60)
        bench.lose(1)
        bench.logIn(2)
        #expect(bench.push.truth.connections.first?.unacknowledged == ["a", "c"])
        bench.acknowledge("a", to: "TOKEN", 2)
        bench.lose(2)
        bench.logIn(3)
        bench.acknowledge("c", to: "TOKEN", 3)
        bench.lose(3)
        bench.logIn(4)
        #expect(bench.push.truth.connections.first?.unacknowledged == [])
    }

    @Test("nothing more is sent to a client that does not acknowledge")
    func nothingMoreIsSentToAClientThatDoesNotAcknowledge() {
        var bench = PushBench { $0.inboundWindow = 2 }
        bench.phone()
        bench.logIn()
        for id in ["a", "b", "c"] { bench.inbound(id, ttl: 60) }
        #expect(bench.ids(nil) == ["a", "b"])
        bench.acknowledge("a")
        #expect(bench.ids(nil) == ["a", "b", "c"])
    }

    @Test("upstream is spread over all connections, and spares those that drain")
    func upstreamIsSpreadOverAllConnections() throws {
        var bench = PushBench()
        bench.phone()
        bench.logIn(1)
        bench.logIn(2)
        for id in ["a", "b", "c", "d"] { bench.inbound(id) }
        #expect([bench.ids(nil, 1), bench.ids(nil, 2)] == [["a", "c"], ["b", "d"]])
        try bench.perform("drain")
        bench.logIn(3)
        bench.inbound("e")
        bench.inbound("f")
        #expect(bench.ids(nil, 3) == ["e", "f"])
    }

    @Test("duplicates and another order come on demand")
    func duplicatesAndAnotherOrderComeOnDemand() throws {
        var bench = PushBench()
        bench.phone()
        bench.logIn()
        try bench.perform("duplicate up 1")
        bench.inbound("a", ttl: 60)
        #expect(bench.ids(nil) == ["a", "a"])
        bench.acknowledge("a")
        bench.acknowledge("a")
        #expect(!bench.text().contains("error"))
        try bench.perform("reorder up 3")
        for id in ["b", "c", "d", "e"] { bench.inbound(id, ttl: 60) }
        #expect(bench.ids(nil) == ["a", "a", "d", "c", "b", "e"])
        try bench.perform("reorder up 3")
        bench.inbound("f", ttl: 60)
        bench.inbound("g", ttl: 60)
        bench.wait(.seconds(2))
        #expect(bench.ids(nil).suffix(2) == ["g", "f"])
    }

    @Test("a receipt comes when an Android phone takes the message, only if it was asked for, and never from an iPhone")
    func aReceiptComesWhenAnAndroidPhoneTakesTheMessage() throws {
        var bench = PushBench()
        bench.phone("ANDROID", .android)
        bench.phone("IPHONE", .ios)
        bench.logIn()
        let wanted = ",\"delivery_receipt_requested\":true"
        bench.down("m1", ttl: 60, wanted, to: "IPHONE")
        bench.down("m2", ttl: 60, to: "ANDROID")
        #expect(bench.ids("receipt").isEmpty)
        try bench.perform("phone ANDROID offline")
        bench.down("m3", ttl: 60, wanted, to: "ANDROID")
        #expect(bench.ids("receipt").isEmpty)
        bench.forget()
        try bench.perform("phone ANDROID online")
        #expect(
            bench.payloads().first?.text
                == "{\"message_type\":\"receipt\",\"from\":\"gcm.googleapis.com\",\"message_id\":\"dr2:m3\",\"category\":"
                + "\"com.example.app\",\"data\":{\"message_status\":\"MESSAGE_SENT_TO_DEVICE\","
                + "\"original_message_id\":\"m3\",\"device_registration_id\":\"ANDROID\"}}")
        bench.acknowledge("dr2:m3", to: "gcm.googleapis.com")
        #expect(bench.push.truth.connections.first?.unacknowledged == [])
    }
}
