import AlarmModel
import ApplianceCore
import Foundation
import Testing
import Uplinks

@testable import YAMLConfiguration

@Suite struct ConfigurationLinksTests {
    private func read(_ text: String) throws -> Configuration {
        let result = ChannelSample.read(text)
        #expect(result.problems == [])
        return try #require(result.configuration)
    }

    @Test("a link needs nothing but its name; the order of the file is the order of preference")
    func aLinkNeedsNothingButItsName() throws {
        let uplinks = try #require(try read("links: {wifi: {}, ethernet: {}}").uplinks)
        #expect(
            uplinks.links == [
                LinkSettings(name: "wifi", kind: .wifi, interface: "wlan0"),
                LinkSettings(name: "ethernet", kind: .ethernet, interface: "eth0"),
            ])
        #expect(uplinks.timings == FailoverTimings() && !uplinks.isLossAlarmWhileArmed)
        #expect(uplinks.targets.count == 3 && !uplinks.probeName.isEmpty)
        #expect(try read("").uplinks == nil)
    }

    @Test("everything of a link, the probes and the modem is taken as it is written")
    func everythingOfALink() throws {
        let configuration = try read(
            """
            links:
              ethernet: {interface: end0, metered: true, standby: cold, budget: 500 MB, name_servers: [9.9.9.9, '[::1]:54']}
              modem: {apn: internet, pin: '1234', user: me, password: word, roaming: true, ip: ipv6}
              loss_is_alarm: true
              probe: {targets: ['192.0.2.1:80', 192.0.2.2], name: probe.example, timing: {hold: 3s, active_every: 500 ms}}
            sms: {numbers: ['+431234567', '+44123456789'], after: 90s, unless: taken}
            """)
        let uplinks = try #require(configuration.uplinks)
        var link = LinkSettings(
            name: "ethernet", kind: .ethernet, interface: "end0", isMetered: true, standby: .cold, budget: 500_000_000)
        link.nameServers = [("9.9.9.9", 53), ("::1", 54)].compactMap { text, port in
            IPAddress(text).map { Endpoint(address: $0, port: port) }
        }
        #expect(uplinks.links == [link, LinkSettings(name: "modem", kind: .modem, isMetered: true)])
        #expect(uplinks.isLossAlarmWhileArmed && uplinks.probeName == "probe.example")
        #expect(uplinks.targets.map(\.port) == [80, 443])
        #expect(uplinks.timings.hold == .seconds(3) && uplinks.timings.active == .milliseconds(500))
        let modem = try #require(configuration.modem)
        #expect(modem.pin?.revealed == "1234")
        #expect(
            modem.subscription
                == ModemSubscription(
                    apn: "internet", user: "me", password: Secret("word"), ipType: .ipv6, allowsRoaming: true))
        #expect(configuration.texts?.numbers == ["+431234567", "+44123456789"])
        #expect(configuration.texts?.patience == .seconds(90) && configuration.texts?.unless == .taken)
        #expect(!"\(configuration)".contains("1234\""))
    }

    @Test("a modem that dials by itself is a network card")
    func aModemThatDialsByItselfIsANetworkCard() throws {
        let configuration = try read("links: {modem: {interface: eth1}}")
        #expect(configuration.modem == nil)
        #expect(
            configuration.uplinks?.links == [
                LinkSettings(name: "modem", kind: .modem, interface: "eth1", isMetered: true)
            ])
        ChannelSample.check(
            "links: {modem: {interface: eth1, apn: internet}}", "3:34: warning: 'links.modem.apn' is not used")
    }

    @Test(
        "what is wrong is named at its place",
        arguments: [
            ("links: {}", "3:1: error: 'links' names no link; expected at least one of ethernet, wifi, modem"),
            (
                "links: {ethrnet: {}, wifi: {}}",
                "3:9: error: unknown key 'ethrnet' in 'links'; did you mean 'ethernet'?"
            ),
            (
                "links: {wifi: {apn: a}}",
                "3:16: error: unknown key 'apn' in 'links.wifi'; did you mean 'links.modem.apn'?"
            ),
            ("links: {modem: {}}", "3:9: error: 'links.modem' has no access point"),
            (
                "links: {ethernet: {}, modem: {interface: eth0}}",
                "3:31: error: the interface eth0 is set twice: here and at"
            ),
            (
                "links: {modem: {interface: wlan0}, wifi: {}}",
                "3:36: error: the interface wlan0 is set twice: here and at"
            ),
            ("links: {wifi: {interface: a/b}}", "3:27: error: 'links.wifi.interface' is no interface"),
            ("links: {wifi: {interface: abcdefghijklmnop}}", "3:27: error: 'links.wifi.interface' is no interface"),
            ("links: {wifi: {metered: maybe}}", "3:25: error: 'links.wifi.metered' is neither true nor false"),
            ("links: {wifi: {standby: hott}}", "3:25: error: 'links.wifi.standby' holds a word"),
            ("links: {wifi: {budget: 500}}", "3:24: error: 'links.wifi.budget' is no amount of data"),
            ("links: {wifi: {budget: 0MB}}", "3:24: error: 'links.wifi.budget' is no amount of data"),
            ("links: {wifi: {name_servers: [dns.example]}}", "3:31: error: 'links.wifi.name_servers' holds something"),
            ("links: {modem: {apn: a, pin: '12345678x'}}", "3:30: error: 'links.modem.pin' holds 9 characters"),
            ("links: {modem: {apn: a, ip: ipv5}}", "3:29: error: 'links.modem.ip' holds a word"),
            ("links: {wifi: {}, probe: {targets: [192.0.2.1]}}", "3:27: warning: with fewer than two targets"),
            (
                "links: {wifi: {}, probe: {timing: {hold: 2h}}}",
                "3:42: error: 'links.probe.timing.hold' is 2h; expected"
            ),
        ])
    func whatIsWrongIsNamedAtItsPlace(text: String, begins: String) {
        ChannelSample.check(text, begins)
    }

    @Test("a wrong interface hides nothing else of its link")
    func aWrongInterfaceHidesNothingElseOfItsLink() {
        let found = ChannelSample.problems(
            "links: {wifi: {interface: 'a b', budget: 5, standby: hott, metered: maybe}}")
        #expect(found.count == 4, "\(found)")
        let twice = ChannelSample.problems(
            "links: {ethernet: {}, wifi: {interface: eth1}, modem: {interface: eth1, budget: 5}}")
        #expect(twice.count == 2, "\(twice)")
        #expect(twice.contains { $0.contains("the interface eth1 is set twice") })
        #expect(twice.contains { $0.contains("'links.modem.budget' is no amount of data") })
    }

    @Test(
        "text messages that nobody would get are told, with what to do",
        arguments: [
            "sms: {numbers: {Anna: '+431234567'}}", "links: {wifi: {}}\nsms: {numbers: {Anna: '+431234567'}}",
            "links: {modem: {interface: eth1}}\nsms: {numbers: {Anna: '+431234567'}}",
            "sms: {numbers: {Anna: '+431234567'}}\nlinks: {modem: {interface: eth1}}",
        ])
    func textMessagesThatNobodyWouldGetAreTold(text: String) throws {
        let line = text.hasPrefix("sms") ? 3 : 4
        #expect(
            ChannelSample.problems(text) == [
                "\(line):1: warning: no text message can leave: 'sms' needs a modem that this box dials by itself; "
                    + "expected 'modem' in 'links', with 'apn' and without 'interface'"
            ])
    }

    @Test(
        "numbers are international, and there is one",
        arguments: [
            ("sms: {}", "4:1: error: 'sms' has no numbers"),
            ("sms: {numbers: []}", "4:16: error: 'sms.numbers' is an empty list, so nobody would get a text; expected"),
            ("sms: {numbers: }", "4:7: error: 'sms.numbers' is empty"),
            ("sms: {numbers: ['0660123456']}", "4:17: error: that is no telephone number; expected"),
            ("sms: {numbers: ['+43 660 123']}", "4:17: error: that is no telephone number; expected"),
            ("sms: {numbers: {}}", "4:16: error: 'sms.numbers' is empty, so nobody would get a text; expected names"),
            ("sms: {numbers: {Anna: '0660123456'}}", "4:23: error: that is no telephone number; expected"),
            (
                "sms: {numbers: {Anna: '+431234567', Bert: '+431234567'}}",
                "4:43: error: 'sms.numbers.Bert' is the same number as 'sms.numbers.Anna': nobody knows who answered"
            ),
            (
                "sms: {numbers: {" + (1...9).map { "P\($0): '+43123456\($0)'" }.joined(separator: ", ") + "}}",
                "4:16: error: there are more than 8 numbers"
            ),
            ("sms: {numbers: ['+431234567'], after: 0}", "4:39: error: 'sms.after' is 0; expected"),
        ])
    func numbersAreInternational(text: String, begins: String) {
        ChannelSample.check("links: {modem: {apn: internet}}\n" + text, begins)
    }

    @Test("a text is needless when somebody has confirmed the alarm, unless the owner is content with less")
    func aTextIsNeedlessWhenSomebodyHasConfirmedTheAlarm() throws {
        let plain = try read("sms: {numbers: ['+431234567']}\nlinks: {modem: {apn: a}}")
        #expect(plain.texts?.unless == .confirmed)
        // As yesterday's recordings have it.
        let stored = Data(#"{"numbers":["+431234567"],"patience":[3,0],"title":""}"#.utf8)
        #expect(try JSONDecoder().decode(TextAlarmSettings.self, from: stored).unless == .taken)
    }

    @Test("whoever asks what to think of the file is warned once of numbers without names")
    func numbersWithoutNamesAreWarnedOf() {
        for (numbers, count) in [("['+431234567', '+44123456789']", 1), ("{Anna: '+431234567'}", 0)] {
            var result = ChannelSample.read("sms: {numbers: \(numbers)}\nlinks: {modem: {apn: a}}", [:])
            result.warnOfNamelessNumbers(by: "c.yaml")
            #expect(result.problems.count { $0.what.contains("a number without a name") } == count)
            #expect(result.problems.count == count)
        }
    }

    @Test("a text wants a person's word where its owner says so, a call unless its owner is content with less")
    func aCallWantsAPersonsWord() throws {
        let modem = "\nlinks: {modem: {apn: a}}"
        #expect(try read("sms: {numbers: {Anna: '+431234567'}, unless: seen}" + modem).texts?.unless == .seen)
        #expect(try read("calls: {by: modem, numbers: {Anna: '+431234567'}}" + modem).calls?.unless == .seen)
        for (word, unless) in [("confirmed", TextAlarmSettings.Unless.confirmed), ("taken", .taken)] {
            let text = "calls: {by: modem, numbers: {Anna: '+431234567'}, unless: \(word)}"
            #expect(try read(text + modem).calls?.unless == unless)
        }
    }

    @Test("numbers may have names, as those of calls have")
    func numbersMayHaveNames() throws {
        let named = try read("sms: {numbers: {Anna: '+431234567', Bert: '+123456'}}\nlinks: {modem: {apn: a}}")
        #expect(named.texts?.numbers == ["+431234567", "+123456"])
        #expect(
            named.texts?.people
                == [PersonNumber(name: "Anna", number: "+431234567"), PersonNumber(name: "Bert", number: "+123456")])
        #expect(try read("sms: {numbers: ['+431234567']}\nlinks: {modem: {apn: a}}").texts?.people == nil)
    }

    @Test("in whichever order the sections stand, a modem is found")
    func inWhicheverOrderTheSectionsStand() throws {
        #expect(try read("sms: {numbers: ['+431234567']}\nlinks: {modem: {apn: a}}").texts != nil)
    }
}
