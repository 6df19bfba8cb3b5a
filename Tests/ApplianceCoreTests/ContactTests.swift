import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

@Suite("Store apps on a topic server")
struct ContactTests {
    @Test("a store app is paired with the code that arrives in its topic, and hears of an alarm with buttons")
    func aStoreAppIsPairedWithTheCodeThatArrivesInItsTopic() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        let contact = try #require(paired)
        #expect(contact.allowed == [.seen, .status])
        #expect(contact.value.hasPrefix("192.0.2.9/"))
        #expect(contact.value != contact.commandsFrom)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let alarm = try #require(bench.topics.published.last)
        #expect(bench.topics.machine.truth.messages.last?.priority == 5)
        #expect(alarm.title.contains("ALARM"))
        #expect(alarm.buttons.map(\.label) == ["Seen", "Status"])
    }

    @Test("the list of people names the store app by which somebody is reached")
    func theListOfPeopleNamesTheStoreApp() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        _ = try #require(paired)
        bench.ask(.people(.list), as: 72)
        guard case .people(let people)? = bench.answers(72).last else {
            Issue.record("there is no list")
            return
        }
        #expect(people.first { $0.person.name == "Anna" }?.phones == ["Annas iPhone"])
    }

    @Test("a test goes to whose name begins so, where that is one only; a name that is meant for more is none here")
    func aTestGoesToWhoseNameBeginsSo() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        _ = try #require(paired)
        let second = bench.pairStoreApp("Bens Pixel", person: "Ben")
        _ = try #require(second)
        func answer(_ request: PhonesRequest, _ client: UInt64) -> String {
            bench.ask(.phones(request), as: client)
            bench.advance(.seconds(1))
            return "\(bench.answers(client))"
        }
        #expect(answer(.test(phone: "annas"), 81).contains("on its way"))
        #expect(bench.topics.published.last?.title.contains("Test") == true)
        #expect(answer(.testAlarm(phone: "bens p"), 82).contains("on its way"))
        for (number, name) in ["", "x", "annas iphone 2"].enumerated() {
            #expect(answer(.test(phone: name), UInt64(83 + number)).contains("there is no phone"))
        }
        // What changes something wants the whole name.
        #expect(answer(.revoke(phone: "annas"), 90).contains("there is no phone"))
        let third = bench.pairStoreApp("Annas Tablet")
        _ = try #require(third)
        #expect(answer(.test(phone: "annas"), 91).contains("there is no phone"))
    }

    @Test("one alarm is one notice, although the panel tells of the zone and of the partition")
    func oneAlarmIsOneNotice() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        _ = try #require(paired)
        let before = bench.topics.published.count
        bench.panel("6011003", "6541")
        bench.advance(.seconds(10))
        #expect(bench.topics.published.count == before + 1)
        bench.panel("6542")
        bench.advance(.seconds(1))
        #expect(bench.topics.published.count == before + 2)
    }

    @Test("what ends is told as restored, and never as if all were well while a partition is in alarm")
    func whatEndsIsToldAsRestored() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        _ = try #require(paired)
        func newest(_ line: String) -> TopicServer.Published? {
            bench.panel(line)
            bench.advance(.seconds(1))
            return bench.topics.published.last
        }
        let quiet = try #require(newest("803"))
        #expect(quiet.title.hasSuffix(": Power is back") && quiet.message == "The panel has mains power again.")
        bench.panel("6541", "6011003")
        let closed = try #require(newest("6021003"))
        #expect(closed.title.contains(": ALARM STILL ON, "))
        #expect(closed.message.hasPrefix("zone 3 is quiet again.") || closed.message.hasPrefix("Kitchen"))
        #expect(closed.message.contains(" is still in alarm since "))
        let power = try #require(newest("803"))
        #expect(power.title.hasSuffix(": Power is back") && power.message.contains(" is still in alarm since "))
        bench.panel("6551", "75010040")
        _ = try #require(newest("6021003"))
        let told = bench.topics.published.suffix(2)
        #expect(told.contains { $0.title.contains(": Restored, ") })
        let end = try #require(told.first { $0.title.contains(": Alarm ended, ") })
        #expect(end.message.contains(" was disarmed at ") && end.message.contains(" by user 40."))
        #expect(end.message.contains(" The alarm lasted 2 s. It began with Kitchen window."))
    }

    @Test("a fault that the box announces itself reaches a store app and mail, not paired phones only")
    func aFaultThatTheBoxAnnouncesItselfReachesAStoreAppAndMail() throws {
        var bench = Bench.withTopics { phones in
            phones.channels.append(
                .mail(MailSettings(host: "192.0.2.12", port: MailServer.port, security: .plain, from: "box@mail.test")))
            phones.house = [.init(kind: .mail, value: "anna@mail.test", triggers: [.fault])]
        }
        let paired = bench.pairStoreApp()
        _ = try #require(paired)
        let mails = bench.mail.taken.count
        _ = bench.console(.begin)
        _ = bench.console(.setPIN(old: nil, new: Bench.pin))
        bench.advance(.seconds(1))
        #expect(bench.mail.taken.count == mails, "that a PIN was set is no fault")
        for _ in 0..<5 { _ = bench.unlock(Bench.otherPIN) }
        bench.advance(.seconds(1))
        #expect(bench.topics.published.last?.message.hasPrefix("5 wrong PINs in a row") == true)
        #expect(bench.mail.taken.count == mails + 1)
    }

    @Test("a wrong code pairs nothing, the third ends the pairing")
    func aWrongCodePairsNothing() {
        var bench = Bench.withTopics()
        bench.ask(
            .phones(
                .pairContact(
                    ContactRequest(
                        kind: .topic, person: "Anna", name: "iPhone", value: "", allowed: [], tellsArming: false))),
            as: 70)
        bench.advance(.seconds(1))
        for client in 71...73 { bench.ask(.phones(.confirm(Secret("000000"))), as: UInt64(client)) }
        bench.advance(.seconds(1))
        #expect(bench.push.book?.contacts.isEmpty ?? true)
        #expect(
            bench.replies.last { $0.client == Bench.client(70) }?.reply
                == .pairing(.ended(why: "the code was wrong three times; begin again with 'howalarming phones pair'")))
    }

    @Test("a button works once, for ten minutes, and only from its own topic")
    func aButtonWorksOnce() throws {
        var bench = Bench.withTopics { $0.isTopicServerTrusted = true }
        let paired = bench.pairStoreApp(allow: [.disarm], tellsArming: true)
        let contact = try #require(paired)
        bench.panel("6521", "6011003")
        bench.advance(.seconds(1))
        let button = try #require(bench.topics.published.last?.buttons.first { $0.label == "Disarm" })
        let before = bench.disarmLines
        bench.post(button.body, to: contact)
        bench.settle()
        #expect(bench.disarmLines == before + 1)
        bench.post(button.body, to: contact)
        bench.settle()
        #expect(bench.disarmLines == before + 1)
    }

    @Test("a button of an alarm is void after ten minutes")
    func aButtonOfAnAlarmIsVoidAfterTenMinutes() throws {
        var bench = Bench.withTopics { $0.isTopicServerTrusted = true }
        let paired = bench.pairStoreApp(allow: [.disarm])
        let contact = try #require(paired)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let button = try #require(bench.topics.published.last?.buttons.first { $0.label == "Disarm" })
        bench.advance(.minutes(10))
        let before = bench.disarmLines
        bench.post(button.body, to: contact)
        bench.settle()
        #expect(bench.disarmLines == before)
    }

    @Test("a disarm button of a server that is not trusted any more does nothing, and none is sent")
    func aDisarmButtonOfAServerThatIsNotTrustedAnyMoreDoesNothing() throws {
        var bench = Bench.withTopics { $0.isTopicServerTrusted = true }
        let paired = bench.pairStoreApp(allow: [.disarm])
        let contact = try #require(paired)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let button = try #require(bench.topics.published.last?.buttons.first { $0.label == "Disarm" })
        var configuration = bench.configuration
        configuration.phones.isTopicServerTrusted = false
        bench.feed(.reload(.configuration(configuration)))
        let before = bench.disarmLines
        bench.post(button.body, to: contact)
        bench.settle()
        #expect(bench.disarmLines == before)
        bench.panel("6011004")
        bench.advance(.seconds(1))
        #expect(bench.topics.published.last?.buttons.map(\.label) == ["Seen", "Status"])
    }

    @Test("the button of an alarm tells who has seen it, and ends the repeats to nobody else")
    func theButtonOfAnAlarmTellsWhoHasSeenIt() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        let contact = try #require(paired)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let button = try #require(bench.topics.published.last?.buttons.first { $0.label == "Seen" })
        bench.panel("6011004")
        bench.advance(.seconds(1))
        bench.post(button.body, to: contact)
        bench.advance(.seconds(5))
        #expect(bench.stored.contains { $0.event.message.hasSuffix("has seen the alarm.") })
        // A relay could press it, too: nobody else is kept from the repeats.
        #expect(bench.snapshot?.seenUpTo == nil)
    }

    @Test("a contact cannot be revoked while the storage fails, and goes on hearing of alarms")
    func aContactCannotBeRevokedWhileTheStorageFails() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        let contact = try #require(paired)
        bench.disk = .fails(Bench.broken)
        bench.panel("609003")
        bench.ask(.phones(.revoke(phone: contact.name)), as: 81)
        guard case .error(let why)? = bench.answers(81).last else {
            Issue.record("it was revoked")
            return
        }
        #expect(why.contains("nothing was changed"))
        bench.disk = .answers
        bench.advance(.minutes(1))
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.topics.published.last?.title.contains("ALARM") == true)
    }

    @Test("disarming by a topic needs a server that is marked as trusted")
    func disarmingByATopicNeedsAServerThatIsMarkedAsTrusted() {
        var bench = Bench.withTopics()
        let contact3 = bench.pairStoreApp(allow: [.disarm])
        #expect(contact3 == nil)
        #expect(bench.push.book?.contacts.isEmpty ?? true)
    }

    @Test("what was posted before the start, long ago, or twice is no command")
    func whatWasPostedBeforeTheStart() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp()
        let contact = try #require(paired)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let status = try #require(bench.topics.published.last?.buttons.first { $0.label == "Status" })
        let count = bench.topics.published.count
        var past = bench
        past.now.wall = bench.now.wall + .seconds(-90)
        let topic = contact.commandsFrom.split(separator: "/").last.map(String.init) ?? ""
        for input in bench.topics.post(status.body, to: topic, at: past.now) { bench.feed(input) }
        bench.advance(.seconds(1))
        #expect(bench.topics.published.count == count)
        bench.post(status.body, to: contact)
        bench.advance(.seconds(1))
        #expect(bench.topics.published.count == count + 1)
        #expect(bench.topics.published.last?.title.hasSuffix("status") == true)
    }

    @Test("arming is not told in clear unless the owner chose so")
    func armingIsNotToldInClearUnlessTheOwnerChoseSo() throws {
        var bench = Bench.withTopics()
        let contact46 = bench.pairStoreApp()
        #expect(contact46 != nil)
        let count = bench.topics.published.count
        bench.panel("65210", "6551")
        bench.advance(.minutes(1))
        #expect(bench.topics.published.count == count)
        var other = Bench.withTopics()
        let contact15 = other.pairStoreApp(tellsArming: true)
        #expect(contact15 != nil)
        let before = other.topics.published.count
        other.panel("65210")
        other.advance(.minutes(1))
        #expect(other.topics.published.count == before + 1)
    }

    @Test("who has seen the alarm is told to the others, in words")
    func whoHasSeenTheAlarmIsToldToTheOthers() throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp("Annas iPhone", person: "Anna")
        let anna = try #require(paired)
        let other = bench.pairStoreApp("Bens Pixel", person: "Ben")
        let ben = try #require(other)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let topic = anna.value.split(separator: "/").last.map(String.init)
        let alarm = try #require(bench.topics.published.last { $0.topic == topic && !$0.buttons.isEmpty })
        let button = try #require(alarm.buttons.first { $0.label == "Seen" })
        bench.post(button.body, to: anna)
        bench.advance(.seconds(1))
        let theirs = ben.value.split(separator: "/").last.map(String.init)
        #expect(bench.topics.published.last { $0.topic == theirs }?.message == "Anna has seen the alarm.")
    }

    @Test("duress is told to its contacts alone, as an ordinary notice without buttons")
    func duressIsToldToItsContactsAlone() throws {
        var bench = Bench.withTopics()
        let contact25 = bench.pairStoreApp()
        #expect(contact25 != nil)
        let count = bench.topics.published.count
        bench.panel("6200000")
        bench.advance(.minutes(1))
        #expect(bench.topics.published.count == count)
        bench.ask(.people(.set(name: "Anna", PersonChange(isDuressContact: true))), as: 80)
        bench.advance(.seconds(1))
        bench.panel("6200000")
        bench.advance(.minutes(1))
        let notice = try #require(bench.topics.published.last)
        #expect(bench.topics.published.count == count + 1)
        #expect(!notice.title.lowercased().contains("duress") && !notice.message.lowercased().contains("duress"))
        #expect(!notice.title.contains("ALARM") && notice.buttons.isEmpty)
    }

    @Test("a flood at the topic server does not keep a paired phone's signed command out")
    func aFloodAtTheTopicServerDoesNotKeepAPairedPhonesSigned() throws {
        var configuration = Bench.phoneConfiguration()
        configuration.phones.channels = [.ntfy(NtfySettings(host: "192.0.2.9"))]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        var phone = try bench.pair("Pixel", person: "Ben")
        let paired = bench.pairStoreApp(person: "Anna")
        let anna = try #require(paired)
        bench.advance(.minutes(2))
        for _ in 0..<200 { bench.post("rubbish", to: anna) }
        try bench.command(&phone, "arm", ["p": "1"])
        bench.settle()
        #expect(bench.sent.contains { $0.hasPrefix("030") })
    }

    @Test("buttons act at most at the pace of commands")
    func buttonsActAtMostAtThePaceOfCommands() throws {
        var bench = Bench.withTopics { $0.isTopicServerTrusted = true }
        let paired = bench.pairStoreApp(allow: [.disarm])
        let contact = try #require(paired)
        for _ in 0..<15 {
            bench.panel("6011003")
            bench.advance(.milliseconds(100))
        }
        let buttons = bench.topics.published.compactMap { $0.buttons.first { $0.label == "Disarm" }?.body }
        #expect(Set(buttons).count >= 11)
        for button in buttons { bench.post(button, to: contact) }
        bench.advance(.milliseconds(500))
        #expect(bench.events(.command).count { $0.type == .command } == 10)
    }

    @Test("the loss of the last channel to a person is told, and its end")
    func theLossOfTheLastChannelToAPersonIsTold() throws {
        var configuration = Bench.phoneConfiguration()
        configuration.phones.channels = [.ntfy(NtfySettings(host: "192.0.2.9"))]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        _ = try bench.pair("Pixel", person: "Ben")
        let paired = bench.pairStoreApp(person: "Anna")
        _ = try #require(paired)
        bench.advance(.minutes(2))
        bench.topics.isDead = true
        bench.advance(.minutes(4))
        let told = bench.events(.pushOffline).map(\.message)
        #expect(told.contains { $0.hasPrefix("Anna cannot be reached by any channel (ntfy).") })
        #expect(!told.contains { $0.hasPrefix("Ben cannot") })
        bench.topics.isDead = false
        bench.advance(.minutes(3))
        #expect(bench.events(.pushOnline).contains { $0.message == "Anna can be reached again." })
    }

    @Test("an alarm goes out by every channel at once; anything else by one, and by the others if unconfirmed")
    func anAlarmGoesOutByEveryChannelAtOnce() throws {
        var configuration = Bench.phoneConfiguration()
        configuration.phones.channels = [.ntfy(NtfySettings(host: "192.0.2.9"))]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        let phone = try bench.pair()
        let contact78 = bench.pairStoreApp(person: "Anna")
        #expect(contact78 != nil)
        bench.advance(.minutes(2))
        let told = bench.topics.published.count
        let pushed = bench.push.server.pushes.count
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.topics.published.count == told + 1)
        #expect(bench.push.server.pushes.count == pushed + 1)
        // A fault: the app has it, so the store app is spared.
        bench.panel("801")
        bench.advance(.minutes(2))
        #expect(bench.topics.published.count == told + 1)
        #expect(bench.push.server.pushes.count > pushed + 1)
        _ = phone
    }
}

extension Bench {
    /// Disarm commands that the panel got.
    var disarmLines: Int { sent.count { $0.hasPrefix("040") } }
}
