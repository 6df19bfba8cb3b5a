import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Push services of browsers")
struct WebPushTransportTests {
    @Test("a message is sealed, signed for its service, and sent with what the service may know; 201 takes it")
    func aMessageIsSealedSignedAndSent() throws {
        let rig = WebPushBench()
        #expect(rig.bench.deliver(WebPushBench.delivery("m1")))
        guard case .compute(let seal, .sealPush(let content, let point, let secret, 2700))? = rig.bench.take().first
        else {
            Issue.record("nothing was sealed")
            return
        }
        #expect(Base64URL.encode(point) == WebPushBench.point && secret == WebPushBench.secret)
        let json = try JSON(parsing: content)
        #expect(json["web_push"] == .integer(8030) && json["mutable"] == .bool(true))
        #expect(json["ha2"]?.stringValue == Base64URL.encode([UInt8](repeating: 2, count: 512)))
        let notification = try #require(json["notification"])
        #expect(notification["title"] == .string("Mill: ALARM") && notification["lang"] == .string("de"))
        #expect(notification["body"] == .string("Kitchen window: Ground floor, armed away."))
        #expect(notification["navigate"] == .string("https://alarm.example.org/app/"))
        #expect(notification["tag"] == .string("m1") && notification["renotify"] == .bool(true))
        rig.computed(seal.number, .bytes([UInt8](repeating: 0x78, count: 2700)))
        guard case .compute(let sign, .signPush(let input))? = rig.bench.take().first else {
            Issue.record("nothing was signed")
            return
        }
        let parts = try String(decoding: input, as: UTF8.self).split(separator: ".").map {
            try JSON(parsing: Base64URL.decode(String($0)))
        }
        #expect(parts[0].text == #"{"typ":"JWT","alg":"ES256"}"#)
        #expect(parts[1]["aud"] == .string("https://fcm.googleapis.com"))
        #expect(parts[1]["sub"] == .string("mailto:anna@example.org"))
        #expect(parts[1]["exp"] == .integer(rig.bench.now.wall.seconds + 12 * 3600))
        rig.computed(sign.number, .bytes([UInt8](repeating: 9, count: 64)))
        let target = DialTarget(host: "fcm.googleapis.com", port: 443, security: .tls(authorityFile: nil))
        #expect(rig.bench.take() == [.connect(DialSlot(0), target)])
        rig.bench.connect()
        let request = rig.bench.take().text
        let signature = Base64URL.encode([UInt8](repeating: 9, count: 64))
        let token = "\(String(decoding: input, as: UTF8.self)).\(signature)"
        #expect(request.hasPrefix("POST /fcm/send/abc:def HTTP/1.1\r\nHost: fcm.googleapis.com\r\n"))
        #expect(request.contains("\r\nAuthorization: vapid t=\(token),k=\(Base64URL.encode(WebPushBench.key))\r\n"))
        #expect(request.contains("\r\nTTL: 3600\r\nUrgency: high\r\nContent-Encoding: aes128gcm\r\n"))
        #expect(request.contains("\r\nContent-Length: 2700\r\n") && !request.contains("\r\nTopic:"))
        rig.answer(201)
        #expect(rig.bench.take().orders == [.accepted(MessageID("m1"), canonical: nil)])
        #expect(rig.bench.channel.health.underWay == 0 && rig.bench.channel.health.problem == nil)
    }

    @Test("one signature serves a service for six hours, and not another one; a clock set back wants a new one")
    func oneSignatureServesAServiceForSixHours() {
        let rig = WebPushBench()
        func signatures(_ id: String, to endpoint: String? = nil) -> Int {
            let address = endpoint.map { WebPushBench.subscription($0) } ?? WebPushBench.subscription()
            #expect(rig.bench.deliver(WebPushBench.delivery(id, to: address)))
            let seal = rig.bench.actions.compactMap { action -> UInt64? in
                if case .compute(let id, .sealPush) = action { id.number } else { nil }
            }
            _ = rig.bench.take()
            for job in seal { rig.computed(job, .bytes([UInt8](repeating: 0x78, count: 2700))) }
            let count = rig.bench.actions.count { if case .compute(_, .signPush) = $0 { true } else { false } }
            rig.compute()
            return count
        }
        #expect(signatures("m1") == 1)
        #expect(signatures("m2") == 0)
        #expect(signatures("m3", to: "https://web.push.apple.com/x") == 1)
        rig.bench.now.wall = rig.bench.now.wall + .hours(5)
        #expect(signatures("m4") == 0)
        rig.bench.now.wall = rig.bench.now.wall + .hours(2)
        #expect(signatures("m5") == 1)
        rig.bench.now.wall = rig.bench.now.wall + .hours(-1)
        #expect(signatures("m6") == 1)
    }

    @Test("what each answer means: taken, gone, given up, later, a few times, held")
    func whatEachAnswerMeans() {
        let later = PushReaction.retry(first: .seconds(1), attempts: nil)
        let aFewTimes = PushReaction.retry(first: .seconds(5), attempts: 5)
        let cases: [(Int, PushReaction?)] = [
            (200, nil), (201, nil), (202, nil), (204, nil), (404, .dropAddress), (410, .dropAddress), (413, .giveUp),
            (429, later), (408, later), (500, later), (502, later), (503, later), (301, aFewTimes), (307, aFewTimes),
            (400, aFewTimes), (405, aFewTimes),
        ]
        for (status, reaction) in cases {
            let rig = WebPushBench()
            _ = rig.send(WebPushBench.delivery("m1"))
            rig.answer(status, "Location: https://elsewhere.example/\r\n")
            let told = rig.bench.take()
            #expect(told.lastRefusal?.reaction == reaction, "\(status)")
            #expect(told.connects == 0, "\(status)")
            #expect(told.contains(.accepted(MessageID("m1"), canonical: nil)) == (reaction == nil), "\(status)")
            #expect(rig.bench.channel.health.underWay == 0, "\(status)")
            #expect(!(told.lastRefusal?.why.contains("abc:def") ?? false), "the path of an endpoint is a secret")
        }
    }

    @Test("how long a service makes us wait is its own wish, but never days, and a minute while an alarm waits")
    func howLongAServiceMakesUsWait() {
        func wait(_ text: String, isUrgent: Bool) -> Duration? {
            let rig = WebPushBench()
            rig.bench.channel.setUrgent(isUrgent, at: rig.bench.now)
            _ = rig.send(WebPushBench.delivery("m1"))
            rig.answer(429, "Retry-After: \(text)\r\n")
            return rig.bench.take().lastRefusal?.after
        }
        #expect(wait("30", isUrgent: false) == .seconds(30) && wait("30", isUrgent: true) == .seconds(30))
        #expect(wait("86400", isUrgent: false) == .hours(1) && wait("86400", isUrgent: true) == .minutes(1))
    }

    @Test("a refused signature is made anew once; then this phone's messages are held and a person is told")
    func aRefusedSignatureIsMadeAnewOnce() {
        let rig = WebPushBench()
        _ = rig.send(WebPushBench.delivery("m1"))
        rig.answer(403)
        let signings = rig.bench.actions.count { if case .compute(_, .signPush) = $0 { true } else { false } }
        #expect(signings == 1 && rig.bench.actions.lastRefusal == nil)
        rig.compute()
        #expect(rig.bench.take().text.hasPrefix("POST /fcm/send/abc:def "))
        rig.answer(403)
        let refusal = rig.bench.take().lastRefusal
        #expect(refusal?.reaction == .hold(.minutes(5)) && refusal?.needsPerson == true)
        // With the next message it is as before.
        _ = rig.send(WebPushBench.delivery("m2"))
        rig.answer(201)
        #expect(rig.bench.take().orders.contains(.accepted(MessageID("m2"), canonical: nil)))
    }

    @Test("nothing goes to a place that is no push service's, whatever the phone says")
    func nothingGoesToAPlaceThatIsNoPushServices() {
        let good = [
            "https://fcm.googleapis.com/x", "https://updates.push.services.mozilla.com/wpush/v2/x",
            "https://eu.push.services.mozilla.com/x", "https://web.push.apple.com/x", "https://a.push.apple.com/x",
            "https://wns2-par02p.notify.windows.com/w/?token=x", "https://FCM.googleapis.com:443/x",
            "https://localhost:8443/x",
        ]
        let bad = [
            "http://fcm.googleapis.com/x", "https://fcm.googleapis.com:8443/x", "https://fcm.googleapis.com./x",
            "https://evilfcm.googleapis.com/x", "https://googleapis.com/x", "https://push.apple.com/x",
            "https://push.apple.com.example.org/x", "https://.push.apple.com/x", "https://a..push.apple.com/x",
            "https://user@fcm.googleapis.com/x", "https://fcm.googleapis.com@example.org/x", "https://192.0.2.1/x",
            "https://[2001:db8::1]/x", "https://localhost/x", "https://localhost:9443/x", "https://example.org/x",
            "https://fcm.googleapis.com/x#y", "https://fcm.googleapis.com\\\\@example.org/x", "https:/x", "",
        ]
        for endpoint in good + bad {
            let rig = WebPushBench()
            #expect(rig.bench.deliver(WebPushBench.delivery("m1", to: WebPushBench.subscription(endpoint))))
            let isTaken = rig.bench.actions.contains { if case .compute = $0 { true } else { false } }
            #expect(isTaken == good.contains(endpoint), "\(endpoint)")
            #expect(isTaken || rig.bench.actions.lastRefusal?.reaction == .giveUp, "\(endpoint)")
            #expect(
                (ChannelSettings.webPush(WebPushBench.settings).takesPush(to: WebPushBench.subscription(endpoint))
                    != nil)
                    == good.contains(endpoint), "\(endpoint)")
        }
    }

    @Test("a subscription is read strictly, and has one form")
    func aSubscriptionIsReadStrictly() throws {
        let (point, secret) = (WebPushBench.point, WebPushBench.secret)
        let text = WebPushBench.subscription("https://FCM.googleapis.com:443/x/Y")
        #expect(try WebPushSubscription(text).text == WebPushBench.subscription("https://fcm.googleapis.com/x/Y"))
        let other = #"{ "auth":"\#(secret)", "p256dh":"\#(point)", "endpoint":"https://fcm.googleapis.com\/x\/Y"}"#
        #expect(try WebPushSubscription(other).text == WebPushBench.subscription("https://fcm.googleapis.com/x/Y"))
        let short = Base64URL.encode([UInt8](repeating: 3, count: 15))
        let compressed = Base64URL.encode([2] + [UInt8](repeating: 5, count: 64))
        let wrong = [
            "", "{}", "[]", "x", #"{"endpoint":"https://a/","p256dh":"\#(point)"}"#,
            #"{"endpoint":"https://a/","p256dh":"\#(point)","auth":"\#(secret)","more":1}"#,
            #"{"endpoint":"https://a/","p256dh":"\#(point)","p256dh":"\#(point)"}"#,
            #"{"endpoint":"https://a/","p256dh":"\#(point)","auth":"\#(short)"}"#,
            #"{"endpoint":"https://a/","p256dh":"\#(point)","auth":"\#(secret)="}"#,
            #"{"endpoint":"https://a/","p256dh":"\#(compressed)","auth":"\#(secret)"}"#,
            #"{"endpoint":7,"p256dh":"\#(point)","auth":"\#(secret)"}"#,
            WebPushBench.subscription("https://a/" + String(repeating: "x", count: 900)),
        ]
        for text in wrong { #expect(throws: WebPushSubscriptionError.self) { try WebPushSubscription(text) } }
    }

    @Test("a newer state takes the place of an older one at the service; an alarm, a fault or a probe never does")
    func aNewerStateTakesThePlaceOfAnOlderOne() {
        for (priority, isReplaced) in [(PriorityClass.alarm, false), (.fault, false), (.state, true), (.info, false)] {
            let rig = WebPushBench()
            let request = rig.send(WebPushBench.delivery("m1", priority))
            #expect(request.contains("\r\nTopic: state\r\n") == isReplaced, "\(priority)")
            #expect(request.contains("\r\nUrgency: high\r\n"), "\(priority)")
        }
        let rig = WebPushBench()
        var probe = WebPushBench.delivery("m1", .state)
        probe.isAnswer = true
        #expect(!rig.send(probe).contains("\r\nTopic:"))
    }

    @Test("the largest envelope with the longest words fits; without words, or with another content, nothing goes")
    func theLargestEnvelopeWithTheLongestWordsFits() throws {
        let long = WebPushBench.notice(String(repeating: "\u{1}\"\\Küche 🔥 ", count: 300))
        for words in [long, WebPushBench.notice(""), WebPushBench.notice(String(repeating: "\u{1}", count: 5000))] {
            let rig = WebPushBench()
            #expect(rig.bench.deliver(WebPushBench.delivery("m1", .alarm, words, envelope: 1024)))
            guard case .compute(_, .sealPush(let content, _, _, _))? = rig.bench.actions.first else {
                Issue.record("nothing was sealed")
                continue
            }
            #expect(content.count <= 2597)
            #expect(try JSON(parsing: content)["ha2"]?.stringValue?.utf8.count == 1366)
        }
        var frame = WebPushBench.delivery("m1")
        frame.content = .frame([1])
        for delivery in [frame, WebPushBench.delivery("m1", .alarm, nil)] {
            let rig = WebPushBench()
            #expect(rig.bench.deliver(delivery))
            #expect(rig.bench.actions.lastRefusal?.reaction == .giveUp)
        }
    }
}
