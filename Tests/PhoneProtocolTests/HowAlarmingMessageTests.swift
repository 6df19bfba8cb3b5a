import AlarmModel
import PhoneProtocol
import Testing

struct HowAlarmingMessageTests {
    private func event(_ message: String) -> Event {
        Event(
            type: .fault, code: "605", raw: "6051001", message: message,
            time: WallTime(milliseconds: 1_700_000_002_999), isTimeTrusted: true)
    }

    @Test("a job has five keys in the order of HowAlarming's driver and an integer timestamp")
    func aJobHasFiveKeysInTheOrderOfHowAlarmingsDriverAndAnInteger() {
        let message = HowAlarmingMessage(event("zone fault. partition = 1 zone = Study PIR"), type: .alarm)
        let golden =
            #"{"raw":"6051001","message":"zone fault. partition = 1 zone = Study PIR","code":"605","type":"alarm","#
            + #""timestamp":1700000002}"#
        #expect(message.job.text == golden)
    }

    @Test("the data of a push has its own order, and strings only")
    func theDataOfAPushHasItsOwnOrder() {
        let message = HowAlarmingMessage(event("partition 1 armed"), type: .armed)
        let golden =
            #"{"code":"605","raw":"6051001","type":"armed","message":"partition 1 armed","timestamp":"1700000002"}"#
        #expect(message.pushData.text == golden)
    }

    @Test("a job is ASCII on one line; a push keeps the letters")
    func aJobIsASCIIOnOneLine() {
        let message = HowAlarmingMessage(event("Küche\r\nTür 1 – Łódź u\u{308} 🔔\u{2028}"), type: .info)
        #expect(message.job["message"] == .string("Kueche  Tuer 1 - Lodz u ? "))
        #expect(message.pushData["message"] == .string("Küche  Tür 1 – Łódź u\u{308} 🔔 "))
    }

    @Test("a message without end is cut")
    func aMessageWithoutEndIsCut() {
        let message = HowAlarmingMessage(event(String(repeating: "ä", count: 100_000)), type: .info)
        #expect(message.job.utf8.count < 3000)
    }

    @Test("alarm, recovery, fault, armed and disarmed are pushed, nothing else")
    func alarmRecoveryFaultArmedAndDisarmedArePushedNothingElse() {
        let pushed = EventType.allCases.filter { HowAlarmingMessage(event(""), type: $0).isPushed }
        #expect(pushed == [.armed, .disarmed, .alarm, .recovery, .fault])
    }
}

struct EventRecordTests {
    @Test("an event with little to say has the fixed keys and its class")
    func anEventWithLittleToSayHasTheFixedKeysAndItsClass() {
        let event = Event(
            type: .info, code: "START", raw: "START", message: "started", time: WallTime(milliseconds: -1),
            isTimeTrusted: true)
        let golden =
            #"{"seq":1,"type":"info","code":"START","raw":"START","message":"started","timestamp":-1,"#
            + #""partition":null,"zone":null,"class":"info"}"#
        #expect(EventRecord(StoredEvent(seq: SequenceNumber(1), event: event)).json.text == golden)
    }

    @Test("an event with everything has every key in its place")
    func anEventWithEverythingHasEveryKeyInItsPlace() {
        let event = Event(
            type: .alarm, code: "601", raw: "6011003", message: "Küche in alarm",
            time: WallTime(milliseconds: 1_795_228_190_500), isTimeTrusted: false, partition: 1,
            partitionName: "Haus", zone: 3, zoneName: "Küche", user: 40, userName: "Eva",
            flags: [.whileAway, .maintenance, .flapping], flapCount: 12, command: CommandID(7),
            unstored: UnstoredMark(boot: "0badcafe", counter: 5))
        let golden =
            #"{"seq":42,"type":"alarm","code":"601","raw":"6011003","message":"Küche in alarm","timestamp":1795228190,"#
            + #""partition":1,"zone":3,"partition_name":"Haus","zone_name":"Küche","user":40,"user_name":"Eva","#
            + #""class":"alarm","away":true,"maintenance":true,"flaps":12,"time_untrusted":true,"cmd":7,"#
            + #""u":"0badcafe-5"}"#
        #expect(EventRecord(StoredEvent(seq: SequenceNumber(42), event: event)).json.text == golden)
    }
}
