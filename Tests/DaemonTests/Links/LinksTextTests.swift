import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

@testable import Reports
@testable import Subcommands
@testable import Uplinks

@Suite struct LinksTextTests {
    private var ethernet: LinkReport {
        LinksSample.link("ethernet") { link in
            link.isActive = true
            link.addresses = [IPAddress("192.0.2.7")].compactMap { $0 }
            link.bytesThisMonth = 12_500_000
        }
    }

    private var modemLink: LinkReport {
        LinksSample.link("modem", interface: nil) { link in
            link.kind = .modem
            link.state = .down
            link.isMetered = true
            link.standby = .warm
            (link.score, link.latency) = (0, nil)
            link.why = "no answer from 3 of 3 targets"
            (link.bytesThisMonth, link.budget, link.standbyBytesPerMonth) = (104_000, 500_000_000, 10_800_000)
        }
    }

    private var modem: ModemReport {
        var status = ModemStatus(
            name: "ACME M1", phase: .registered, registration: .roaming, signal: 61, access: .fourth)
        status.operatorName = "Net\u{1B}[2J"
        return ModemReport(
            step: .connecting, status: status, isDataWanted: true, resets: 2, problem: .roamingNotAllowed)
    }

    @Test("each link has a row with what it is in, and below what it is made of")
    func eachLinkHasARowWithWhatItIsIn() {
        #expect(
            LinksText.lines(LinksSample.report([ethernet, modemLink])) == [
                "Link           State       For           Score  Answer    This month",
                "* ethernet     up          5 min         10/10  12.3 ms   12.5 MB",
                "    eth0, 192.0.2.7",
                "  modem        DOWN        5 min         0/10   -         104 kB of 500 MB",
                "    no interface yet, metered, warm standby, about 10.8 MB a month",
                "    no answer from 3 of 3 targets",
            ])
    }

    @Test("the modem's line says what it is doing, what is wrong and what to do, and moves no cursor")
    func theModemsLineSaysWhatItIsDoing() {
        let lines = LinksText.lines(LinksSample.report([ethernet], modem: modem, textsWaiting: 2)).dropFirst(3)
        let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        for words in ["roaming", "4G", "signal 61 %", "ACME M1", "restarted 2 times within a day"] {
            #expect(text.contains(words), "\(words)")
        }
        #expect(!text.contains("\u{1B}"))
        #expect(lines.contains { $0.contains("\(ModemProblem.roamingNotAllowed)") }, "\(lines)")
        #expect(lines.last == "Texts       2 alarms that nobody has confirmed yet")
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines)")
    }

    @Test("without links a sentence says what that means")
    func withoutLinksASentenceSaysWhatThatMeans() {
        let lines = LinksText.lines(LinksSample.report([]))
        #expect(lines.count == 1 && lines[0].contains("system's own routes") && lines[0].contains("'links'"))
    }

    @Test("times and amounts alone are not shown again; a state, a reason, an address and a choice are")
    func timesAndAmountsAloneAreNotShownAgain() {
        let before = LinksText.marks(LinksSample.report([ethernet, modemLink], modem: modem))
        func marks(_ change: (inout LinkReport) -> Void) -> [String] {
            var link = modemLink
            change(&link)
            return LinksText.marks(LinksSample.report([ethernet, link], modem: modem))
        }
        #expect(marks { $0.bytesThisMonth += 1 } == before)
        #expect(marks { $0.latency = .seconds(1) } == before)
        #expect(marks { $0.state = .up } != before)
        #expect(marks { $0.why = nil } != before)
        #expect(marks { $0.isActive = true } != before)
        #expect(marks { $0.addresses = [IPAddress("192.0.2.9")].compactMap { $0 } } != before)
    }

    @Test("a test finds a link good that is up, and a cold one that answers")
    func aTestFindsALinkGoodThatIsUp() {
        for (standby, state, answers, isGood) in [
            (.hot, .up, true, true), (.hot, .connecting, true, false), (.cold, .connecting, true, true),
            (.cold, .connecting, false, false), (.cold, .down, true, false), (.cold, .asleep, false, false),
        ] as [(StandbyPolicy, LinkState, Bool, Bool)] {
            let link = LinksSample.link("modem") { link in
                link.standby = standby
                link.state = state
                if !answers { link.latency = nil }
            }
            #expect(LinksCommand.isGood(link) == isGood, "\(standby) \(state)")
        }
    }

    @Test("for programs: every key, also where nothing is known")
    func forProgramsEveryKeyAlsoWhereNothingIsKnown() {
        let json = LinksJSON.of(LinksSample.report([ethernet, modemLink], modem: modem, textsWaiting: 0))
        let links = json["links"]?.arrayValue ?? []
        #expect(
            links.first?.text
                == #"{"name":"ethernet","kind":"ethernet","interface":"eth0","state":"up","for_s":300,"active":true,"#
                + #""metered":false,"standby":"hot","score":10,"score_limit":10,"why":null,"latency_ms":12.345,"#
                + #""addresses":["192.0.2.7"],"bytes_this_month":12500000,"budget":null,"standby_bytes_a_month":0}"#)
        #expect(links.last?["interface"] == .null && links.last?["latency_ms"] == .null)
        #expect(links.last?["budget"]?.integerValue == 500_000_000)
        #expect(json["modem"]?["resets"]?.integerValue == 2)
        #expect(json["modem"]?["remedy"]?.stringValue == ModemProblem.roamingNotAllowed.remedy)
        #expect(json["texts_waiting"]?.integerValue == 0)
        let bare = LinksJSON.of(LinksSample.report([]))
        #expect(bare.text == #"{"links":[],"modem":null,"texts_waiting":null}"#)
    }
}
