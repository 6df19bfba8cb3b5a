import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("FCM: the message on the wire")
struct FCMMessageTests {
    private let now = Moment(
        boot: .zero, wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)

    private func text(
        _ content: DeliveryContent, _ kind: AddressKind = .fcmToken, to value: String = "A",
        priority: PriorityClass = .alarm,
        timeToLive: Int = 3600, isAnswer: Bool = false, isTrusted: Bool = true
    ) -> String? {
        var now = now
        now.isWallTrusted = isTrusted
        let delivery = Delivery(
            message: MessageID("m"), address: DeliveryAddress(.phone(kind), value), content: content,
            priority: priority, timeToLive: timeToLive, isAnswer: isAnswer)
        return FCMMessage(delivery, at: now)?.json.text
    }

    @Test("a sealed alarm wakes the app; what iOS shows is one fixed text that the app's extension replaces")
    func aSealedAlarmWakesTheApp() {
        #expect(
            text(.sealed([1, 2, 3]))
                == #"{"message":{"token":"A","data":{"v":"2","e":"AQID"},"android":{"priority":"HIGH","ttl":"3600s"},"#
                + #""apns":{"headers":{"apns-priority":"10","apns-push-type":"alert","apns-expiration":"1700003600"},"#
                + #""payload":{"aps":{"alert":{"title":"HowAlarming","body":"new message"},"sound":"default","#
                + #""mutable-content":1}}}}}"#)
    }

    @Test("news make no sound and are not urgent; an untrusted clock names no end; an installation id is a fid")
    func newsMakeNoSoundAndAreNotUrgent() {
        #expect(
            text(.sealed([1, 2, 3]), .fcmInstallation, priority: .info, isTrusted: false)
                == #"{"message":{"fid":"A","data":{"v":"2","e":"AQID"},"android":{"priority":"NORMAL","ttl":"3600s"},"#
                + #""apns":{"headers":{"apns-priority":"5","apns-push-type":"alert"},"#
                + #""payload":{"aps":{"alert":{"title":"HowAlarming","body":"new message"},"mutable-content":1}}}}}"#)
    }

    @Test("answers and frames are now or never and show nothing", arguments: [true, false])
    func answersAndFramesAreNowOrNeverAndShowNothing(isFrame: Bool) {
        #expect(
            text(isFrame ? .frame([1, 2, 3]) : .sealed([1, 2, 3]), timeToLive: 0, isAnswer: true)
                == #"{"message":{"token":"A","data":{"v":"2","e":"AQID"},"android":{"priority":"NORMAL","ttl":"0s"},"#
                + #""apns":{"headers":{"apns-priority":"5","apns-push-type":"background","apns-expiration":"0"},"#
                + #""payload":{"aps":{"content-available":1}}}}}"#)
    }

    @Test("an original app gets its event byte for byte, with the notification that its own server made")
    func anOriginalAppGetsItsEventByteForByte() throws {
        let data =
            #"{"code":"652","raw":"65210","type":"armed","message":"partition 1 armed","timestamp":"1700000002"}"#
        #expect(
            text(.legacy(try JSON(parsing: data)), priority: .state)
                == #"{"message":{"token":"A","data":"# + data
                + #","notification":{"title":"HowAlarming Event armed","body":"partition 1 armed"},"#
                + #""android":{"priority":"HIGH","ttl":"3600s","notification":{"sound":"default"}},"#
                + #""apns":{"headers":{"apns-priority":"10","apns-push-type":"alert","apns-expiration":"1700003600"},"#
                + #""payload":{"aps":{"badge":0,"sound":"default"}}}}}"#)
    }

    @Test("a topic is named without its path, wakes at once and shows nothing by itself")
    func aTopicIsNamedWithoutItsPath() throws {
        let data = #"{"code":"652","raw":"65210","type":"armed","message":"partition 1 armed"}"#
        #expect(
            text(.legacy(try JSON(parsing: data)), to: "/topics/newclient", priority: .state)
                == #"{"message":{"topic":"newclient","data":"# + data
                + #","android":{"priority":"HIGH","ttl":"3600s"},"#
                + #""apns":{"headers":{"apns-priority":"10","apns-push-type":"background","#
                + #""apns-expiration":"1700003600"},"payload":{"aps":{"content-available":1}}}}}"#)
    }

    @Test("an original app's status has no notification")
    func anOriginalAppsStatusHasNoNotification() throws {
        let data =
            #"{"code":"HOWALARMING","raw":"HOWALARMING","message":"HOWALARMING","type":"armed","timestamp":"1"}"#
        let found = try #require(text(.legacy(try JSON(parsing: data)), timeToLive: 0, isAnswer: true))
        #expect(found.contains("\"data\":\(data),\"android\""))
        #expect(found.contains("background"))
    }

    @Test("words, events and other addresses are not for this way")
    func wordsEventsAndOtherAddressesAreNotForThisWay() {
        let notice = Notice(title: "t", text: "t", subject: .otherAlarm, time: WallTime(milliseconds: 0))
        #expect(text(.words(notice)) == nil)
        #expect(text(.event(.null, type: "alarm")) == nil)
        for kind in AddressKind.allCases where kind != .fcmToken && kind != .fcmInstallation {
            #expect(text(.sealed([1]), kind) == nil)
        }
    }

    @Test("the longest envelope is within what FCM takes")
    func theLongestEnvelopeIsWithinWhatFCMTakes() throws {
        let found = try #require(text(.sealed([UInt8](repeating: 0, count: 1024))))
        #expect(found.utf8.count < FCMMessage.sizeLimit)
    }
}
