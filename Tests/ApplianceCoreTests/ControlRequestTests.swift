import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

@Suite struct ControlRequestTests {
    static let commands: [PanelCommand] = [
        .arm(partition: 1, mode: .away, force: false), .arm(partition: 8, mode: .stay, force: true),
        .arm(partition: 2, mode: .zeroEntry, force: false), .disarm(partition: 3), .bypass(zone: 64, bypassed: true),
        .bypass(zone: 1, bypassed: false), .panic(.fire), .panic(.ambulance), .panic(.police),
        .output(partition: 2, output: 4), .chime(partition: 1, on: true), .chime(partition: 5, on: false),
        .silence(partition: 1), .smokeReset(partition: 6), .setClock,
        .keys(partition: 2, keys: Secret("*1#"), allowInstaller: true), .refresh, .timers,
    ]

    static let requests: [ControlRequest] =
        [
            .reboot, .update(bundle: "/a b/ü.bundle", isOlderConfirmed: true),
            .update(bundle: "/x", isOlderConfirmed: false), .status, .panel, .trace, .maintenance(on: nil),
            .maintenance(on: true), .maintenance(on: false),
            .events(EventQuery(), follow: false),
            .events(
                EventQuery(
                    after: SequenceNumber(7), since: WallTime(milliseconds: 12), types: EventType.allCases, zone: 9,
                    partition: 2, order: .newest, limit: 1_000_000), follow: true),
        ] + commands.map { .command($0, code: nil) } + commands.map { .command($0, code: Secret("902101")) }
        + people.map { .people($0) } + phones.map { .phones($0) }

    static let people: [PeopleRequest] = [
        .list, .add(name: "Anna", PersonChange()), .rename(from: "Ana", to: "Änne B."), .remove(name: "Ben"),
        .add(name: "B", PersonChange(language: "de", isDuressContact: true, receives: [.alarm, .fault])),
        .set(name: "B", PersonChange(isDuressContact: false)),
        .set(name: "B", PersonChange(language: "en", receives: PriorityClass.allCases)),
    ]

    static let phones: [PhonesRequest] = [
        .list, .pair(person: "Anna", roles: nil, noPresence: false),
        .pair(person: "Anna", roles: [.view, .arm, .disarm], noPresence: false),
        .pair(person: "Ben", roles: .view, noPresence: true), .confirm(Secret("902101")), .cancelPairing,
        .rename(phone: "01ab", name: "Kitchen"),
        .role(phone: "0123456789abcdef", [.view, .arm, .disarm, .bypass, .panic, .admin]),
        .codes(person: "Anna"), .codesOff(person: "anna@example.com"), .revoke(phone: "Pixel 8"), .lift(phone: "01"),
        .test(phone: nil), .test(phone: "01"), .testAlarm(phone: nil), .testAlarm(phone: "01"),
        .approve(token: "fV1x:APA91bF_-", LegacyPhone.allowedByDefault),
        .approve(token: "fV1x:APA91bF_-", LegacyPhone.Verb.allCases), .disapprove(token: "fV1x:APA91bF_-"),
        .dead(limit: 1), .dead(limit: 1000), .seen,
        .pairContact(
            ContactRequest(kind: .topic, person: "Anna", name: "ntfy", value: "", allowed: [], tellsArming: false)),
        .pairContact(
            ContactRequest(
                kind: .xmpp, person: "Ben", name: "XMPP", value: "ben@example.net", allowed: [.status, .arm],
                tellsArming: true)),
        .allow(contact: "ntfy", [.seen, .status], tellsArming: false), .allow(contact: "XMPP", [], tellsArming: true),
    ]

    private func error(_ line: String) -> String? {
        do {
            _ = try ControlRequest(line: Array(line.utf8))
            return nil
        } catch { return error.reason }
    }

    @Test("every request is the same when its line is read", arguments: requests)
    func everyRequestIsTheSameWhenItsLineIsRead(_ request: ControlRequest) throws {
        #expect(try ControlRequest(line: Array(request.json.text.utf8)) == request)
        #expect(!request.json.text.contains("\n"))
    }

    @Test("every member of every request, made wrong, is named in the error", arguments: requests)
    func everyMemberOfEveryRequest(_ request: ControlRequest) {
        guard case .object(let members) = request.json else { return }
        let wrong: [JSON] = [.array([.null]), .object([:]), .integer(-5), .number(1.5), .string("?"), .integer(.max)]
        for (index, member) in members.enumerated() where member.key != "request" {
            for value in wrong {
                var broken = members
                broken[index].value = value
                let isFine = member.key == "after" || member.key == "since"
                if isFine, value == .integer(.max) { continue }
                // What may stand in keys is the panel session's business.
                if member.key == "keys", value == .string("?") { continue }
                // A name may be any text.
                if ["name", "to", "person", "phone"].contains(member.key), value == .string("?") { continue }
                let reason = error(JSON.object(broken).text)
                #expect(
                    reason?.contains("'\(member.key)'") == true, "\(member.key) = \(value.text): \(reason ?? "taken")")
            }
        }
    }

    @Test("a member that the request does not know is an error: a slip must not arm another partition")
    func aMemberThatTheRequestDoesNotKnowIsAnError() {
        #expect(error(#"{"request":"arm","partiton":2}"#) == "member 'partiton' is not known in this request")
        #expect(error(#"{"request":"status","on":true}"#)?.contains("'on'") == true)
        #expect(error(#"{"request":"arm","mode":"stay","mode":"away"}"#) == "member 'mode' stands there twice")
        #expect(error(#"{"request":"dance","partition":1}"#) == "unknown request 'dance'")
    }

    @Test(
        "what is missing is named",
        arguments: [
            ("chime", "on"), ("bypass", "zone"), ("panic", "kind"), ("output", "output"), ("keys", "keys"),
        ])
    func whatIsMissingIsNamed(_ verb: String, _ member: String) {
        #expect(error(#"{"request":"\#(verb)"}"#)?.contains("'\(member)' is missing") == true)
    }

    @Test("a hundred thousand damaged lines are read or refused with a reason, and never show the code")
    func aHundredThousandDamagedLinesAreReadOrRefusedWithAReason() {
        var generator = Generator(state: 20_261_121)
        let seeds = Self.requests.map { Array($0.json.text.utf8) }
        var taken = 0
        var shown: [String] = []
        for _ in 0..<100_000 {
            var line = seeds[generator.below(seeds.count)]
            for _ in 0...generator.below(3) { generator.damage(&line, with: seeds) }
            do {
                let request = try ControlRequest(line: line)
                taken += 1
                if (try? ControlRequest(line: Array(request.json.text.utf8))) != request { shown.append("\(request)") }
            } catch {
                if error.reason.isEmpty || error.reason.contains("902101") || error.reason.contains("\n") {
                    shown.append(error.reason)
                }
            }
        }
        #expect(shown.isEmpty)
        #expect((1_000...60_000).contains(taken))
    }

    private struct Generator {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(max(bound, 1)))
        }

        mutating func damage(_ line: inout [UInt8], with seeds: [[UInt8]]) {
            let place = below(line.count + 1)
            switch below(7) {
            case 0: if place < line.count { line[place] = UInt8(below(256)) }
            case 1: if place < line.count { line[place] ^= 1 << UInt8(below(8)) }
            case 2: if place < line.count { line.remove(at: place) }
            case 3: line.insert(UInt8(below(256)), at: place)
            case 4: line.removeSubrange(place...)
            case 5: line.insert(contentsOf: Array("-9223372036854775809".utf8), at: place)
            default:
                let other = seeds[below(seeds.count)]
                line.replaceSubrange(place..., with: other[below(other.count)...])
            }
        }
    }
}
