import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators
import Testing
import Uplinks

@testable import YAMLConfiguration

@Suite("calls: a provider that the owner describes")
struct ConfigurationCallsTests {
    /// As the manual has them, at the simulated provider.
    private static let flow = """
        calls:
          numbers: {Anna: '+431234567'}
          url: https://calls.example/flows/alarm/executions
          user: AC12
          password: the-token
          form: {To: '{number}', From: '+43720000000', Parameters: {words: '{words}'}}
          call_id: sid
          status_url: https://calls.example/flows/alarm/executions/{call}/context
          key: context.widgets.ask.Digits
        """
    private static let voice = """
        calls:
          numbers: {Anna: '+431234567'}
          url: https://calls.example/v3/voice/send
          user: AC12
          password: the-token
          json:
            messages:
              - {to: '{number}', body: '{words}', lang: de-de, voice: female, require_input: 1}
          call_id: data.messages.message_id
          status_url: https://calls.example/v3/voice/receipts?q={call}
          key: data.data.digits
        """

    @Test(
        "two providers as the manual describes them: the call, its words, and the pressed key",
        arguments: [flow, voice])
    func twoProvidersAsTheManualDescribesThem(text: String) throws {
        let read = ChannelSample.read(text)
        #expect(read.problems == [])
        let calls = try #require(read.configuration?.calls)
        #expect(calls.people == [.init(name: "Anna", number: "+431234567")])
        #expect("\(calls)".contains("the-token") == false)
        var call = ProviderCall(try #require(calls.provider))
        call.peer.login = "AC12:the-token"
        call.peer.pressAfter = ["+431234567": .seconds(12)]
        call.begin("+431234567", "Küche: Alarm.")
        #expect(call.peer.takeArrivals().map(\.text) == ["Küche: Alarm."])
        call.wait(.seconds(14))
        #expect(call.end == nil && call.peer.questions == 2)
        call.wait(.seconds(1))
        #expect(call.end == .pressed)
    }

    @Test("{language} in the request has each person called in the own language")
    func languageInTheRequest() {
        let text = Self.flow.replacing("{words: '{words}'}", with: "{words: '{words}', language: '{language}'}")
        let read = ChannelSample.read(text)
        #expect(read.problems == [] && read.configuration?.calls?.provider?.namesLanguage == true)
        #expect(ChannelSample.read(Self.flow).configuration?.calls?.provider?.namesLanguage == false)
    }

    @Test("the login may stand in the secrets file")
    func theLoginMayStandInTheSecretsFile() throws {
        let text = Self.flow.replacing("\n  user: AC12\n  password: the-token", with: "")
        let parted = ChannelSample.read(
            "secrets: s.yaml\n" + text, ["/etc/ha/s.yaml": "calls: {user: AC12, password: the-token}\n"])
        #expect(parted.problems == [])
        #expect(parted.configuration?.calls == ChannelSample.read(Self.flow).configuration?.calls)
    }

    @Test(
        "what cannot be is named with its place and what to write",
        arguments: [
            ("numbers: {Anna: '112'}", "a short number, such as those of police and ambulance"),
            ("numbers: {Anna: '+49110'}", "a short number"),
            ("numbers: {Anna: '0664123456'}", "is no telephone number"),
            ("numbers: {Anna: '+431234567', Berta: '+431234567'}", "the same number as 'calls.numbers.Anna'"),
            ("numbers: {}", "is empty, so nobody would be called"),
            ("url: http://calls.example/c", "everybody on the way can read whom you call"),
            ("form: {To: 'Anna', Text: '{words}'}", "does not say whom to call"),
            ("json: [1]", "both 'form' and 'json'"),
            ("status_url: https://calls.example/c", "does not say which call is meant"),
            ("status_url: https://other.example/{call}", "names another server than 'url'"),
            ("key: null", "is empty"),
            ("call_id: 'a..b'", "'calls.call_id' holds"),
        ])
    func whatCannotBeIsNamed(line: String, words: String) {
        let key = line.prefix { $0 != ":" }
        let lines = Self.flow.split(separator: "\n").map(String.init)
        var text = lines.filter { !$0.hasPrefix("  \(key):") }
        text.append("  \(line)")
        let problems = ChannelSample.problems(text.joined(separator: "\n"))
        #expect(problems.contains { $0.contains(words) && !$0.contains("warning") }, "\(problems)")
    }

    @Test("numbers without names are one error, not two")
    func numbersWithoutNamesAreOneError() {
        let text = Self.flow.replacing("{Anna: '+431234567'}", with: "['+431234567']")
        #expect(ChannelSample.problems(text).map { $0.contains("holds a list") } == [true])
    }

    @Test("a part of what hears the key is an error, none of it a warning")
    func aPartOfWhatHearsTheKeyIsAnError() {
        let lines = Self.flow.split(separator: "\n").map(String.init)
        let without = lines.filter { !$0.hasPrefix("  key") }.joined(separator: "\n")
        #expect(ChannelSample.problems(without).map { $0.contains("'key' is missing") } == [true])
        let none = lines.filter { line in !["  key", "  call_id", "  status_url"].contains { line.hasPrefix($0) } }
        let read = ChannelSample.read(none.joined(separator: "\n"))
        #expect(read.problems.map { "\($0)".contains("cannot hear a pressed key") } == [true])
        #expect(read.configuration?.calls?.provider?.status == nil)
    }
}

@Suite("calls by the box's own modem")
struct ConfigurationModemCallsTests {
    private static let link = """
        links:
          modem: {apn: internet}
        """
    private static let calls = """
        calls:
          by: modem
          numbers: {Anna: '+431234567'}
        """

    @Test("it needs numbers and a modem, and nothing of a provider")
    func itNeedsNumbersAndAModem() {
        let read = ChannelSample.read(Self.link + "\n" + Self.calls)
        #expect(read.problems == [])
        #expect(read.configuration?.calls?.people.map(\.name) == ["Anna"])
        #expect(read.configuration?.calls?.provider == nil && read.configuration?.modem != nil)
        let alone = ChannelSample.read(Self.calls)
        #expect(alone.problems.map { "\($0)".contains("nobody can be called: 'by: modem'") } == [true])
        #expect(alone.configuration?.calls != nil, "a warning, no error")
    }

    @Test("what only a provider needs is refused beside it", arguments: ["url: https://a.example/", "key: digits"])
    func whatOnlyAProviderNeedsIsRefused(line: String) {
        let problems = ChannelSample.problems(Self.link + "\n" + Self.calls + "\n  " + line)
        #expect(problems.map { $0.contains("is for a provider, and 'calls' says 'by: modem'") } == [true])
    }

    @Test("without an address and without 'by: modem' both ways are named")
    func withoutAnAddressBothWaysAreNamed() {
        let problems = ChannelSample.problems("calls: {numbers: {Anna: '+431234567'}}")
        #expect(problems.map { $0.contains("'calls' has no url") && $0.contains("'by: modem'") } == [true])
    }
}

/// One call at the simulated provider.
private struct ProviderCall {
    var peer = CallPeer()
    var end: CallEnd?
    private var provider: CallProvider
    private var now = Moment(boot: .zero, wall: WallTime(milliseconds: 1_795_000_000_000), isWallTrusted: true)

    init(_ settings: CallSettings) { provider = CallProvider(settings: settings) }

    mutating func begin(_ number: String, _ words: String) {
        drive { $0.call(CallID(1), number, words, in: .german, at: $1, into: &$2) }
    }

    mutating func wait(_ span: Duration) {
        let end = now.boot + span
        while let due = provider.nextDeadline, due <= end {
            now.boot = max(due, now.boot)
            drive { $0.timerFired(at: $1, into: &$2) }
        }
        now.boot = end
    }

    private mutating func drive(_ act: (inout CallProvider, Moment, inout [CallAction]) -> Void) {
        var actions: [CallAction] = []
        act(&provider, now, &actions)
        for action in actions {
            switch action {
            case .ended(_, let end): self.end = end
            case .transport(.connect(let slot, _)):
                var said: [HTTPServiceAction] = []
                peer.accepted(ConnectionID(1), at: now, into: &said)
                drive { $0.connected(ConnectionID(1), slot: slot, at: $1, into: &$2) }
            case .transport(.send(let connection, let bytes)):
                var said: [HTTPServiceAction] = []
                peer.received(connection, bytes, at: now, into: &said)
                for case .send(_, let answer) in said {
                    drive { $0.received(connection, answer, at: $1, into: &$2) }
                }
            case .transport: break
            }
        }
    }
}
