import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("What the push server is given")
struct CCSContentTests {
    /// The JSON in the stanza, as it lies on the wire.
    private func text(
        _ content: DeliveryContent, priority: PriorityClass = .alarm, timeToLive: Int = 3600,
        wantsReceipt: Bool = false, isAnswer: Bool = false
    ) -> String? {
        let bench = ChannelBench<CCSTransport>.ready()
        bench.deliver(
            Delivery(
                message: MessageID("m"), address: DeliveryAddress(.phone(.fcmToken), "A"), content: content,
                priority: priority, timeToLive: timeToLive, wantsReceipt: wantsReceipt, isAnswer: isAnswer))
        let sent = bench.take().text
        let head = "<message id=\"m\"><gcm xmlns=\"google:mobile:data\">"
        guard sent.hasPrefix(head), sent.hasSuffix("</gcm></message>") else { return nil }
        return String(sent.dropFirst(head.count).dropLast("</gcm></message>".count))
    }

    @Test("a sealed alarm wakes the phone with a sound and one fixed text")
    func aSealedAlarmWakesThePhoneWithASoundAndOneFixedText() {
        #expect(
            text(.sealed([1, 2, 3]), wantsReceipt: true)
                == #"{"priority":"high","time_to_live":3600,"delivery_receipt_requested":true,"#
                + #""content_available":true,"mutable_content":true,"data":{"v":"2","e":"AQID"},"#
                + #""notification":{"title":"HowAlarming","body":"new message","sound":"default"},"#
                + #""to":"A","message_id":"m"}"#)
    }

    @Test("news make no sound; a fault is as urgent as an alarm and makes none either")
    func newsMakeNoSound() {
        for (priority, word) in [(PriorityClass.fault, "high"), (.state, "normal"), (.info, "normal")] {
            #expect(
                text(.sealed([1]), priority: priority, timeToLive: 60)
                    == #"{"priority":"\#(word)","time_to_live":60,"content_available":true,"mutable_content":true,"#
                    + #""data":{"v":"2","e":"AQ"},"notification":{"title":"HowAlarming","body":"new message"},"#
                    + #""to":"A","message_id":"m"}"#)
        }
    }

    @Test("answers and frames are now or never and show nothing", arguments: [true, false])
    func answersAndFramesAreNowOrNeverAndShowNothing(isFrame: Bool) {
        #expect(
            text(isFrame ? .frame([1, 2, 3]) : .sealed([1, 2, 3]), isAnswer: !isFrame)
                == #"{"priority":"high","time_to_live":0,"content_available":true,"data":{"v":"2","e":"AQID"},"#
                + #""to":"A","message_id":"m"}"#)
    }

    @Test("an original app gets its event with the notification of its own server, its status with an empty one")
    func anOriginalAppGetsItsEventWithTheNotificationOfItsOwnServer() {
        let data = JSON.object(["type": .string("armed"), "message": .string("partition 1 armed")])
        #expect(
            text(.legacy(data), priority: .state)
                == #"{"priority":"high","time_to_live":3600,"data":{"type":"armed","message":"partition 1 armed"},"#
                + #""notification":{"badge":"0","sound":"default","title":"HowAlarming Event armed","#
                + #""body":"partition 1 armed"},"to":"A","message_id":"m"}"#)
        #expect(
            text(.legacy(.object([:])), isAnswer: true)
                == #"{"priority":"high","time_to_live":0,"data":{},"notification":{},"to":"A","message_id":"m"}"#)
    }
}
