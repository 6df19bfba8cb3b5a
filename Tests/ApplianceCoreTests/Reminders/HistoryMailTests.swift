import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Testing

@testable import ApplianceCore

@Suite("The history of the house by mail")
struct HistoryMailTests {
    private static let anna = "anna@mail.example"
    private static let ben = "ben@mail.example"
    /// Three hours after the bench begins.
    private static let at = MonthlyTime(day: 18, hour: 14, minute: 30)

    private static func bench(
        _ recipients: [String] = [anna, ben], _ change: (inout Configuration) -> Void = { _ in }
    ) -> Bench {
        var settings = ReminderSettings.History(at: at, recipients: recipients)
        settings.authorities = "PEM of the mail server"
        return Bench.reminding(ReminderSettings(history: settings)) {
            let mail = MailSettings(
                host: "192.0.2.25", port: 587, security: .startTLS, from: "box@mail.example", user: "box",
                password: Secret("mail password"))
            $0.phones.channels.append(.mail(mail))
            change(&$0)
        }
    }

    private static func untilNext(_ bench: Bench) -> Duration {
        at.next(after: bench.now.wall, in: bench.configuration.panel.timeZone) - bench.now.wall
    }

    /// To so long after the next time. In two parts: the bench's wall clock loses a little in each step.
    private static func advance(_ bench: inout Bench, past span: Duration) {
        bench.advance(untilNext(bench) - .hours(1))
        bench.advance(untilNext(bench) + span)
    }

    private static func told(_ bench: Bench) -> [String] { bench.events(.historyMail).map(\.message) }

    @Test("once a month each who is named gets one mail, one after the other, and nobody before")
    func onceAMonthEachGetsOneMail() throws {
        var bench = Self.bench()
        Self.advance(&bench, past: .zero - .seconds(1))
        #expect(bench.mailer.requests.isEmpty)
        bench.advance(.seconds(2))
        #expect(bench.mailer.requests.map(\.recipient) == [Self.anna, Self.ben])
        #expect(bench.mailer.mostAtOnce == 1 && bench.mailer.open.isEmpty)
        let request = try #require(bench.mailer.requests.first)
        #expect(request.days == 31 && request.hasPage && request.link == nil)
        #expect(request.title == "Mill: history of the last 31 days")
        #expect(request.name == "history-\(bench.configuration.panel.timeZone.civilTime(at: bench.now.wall).date)")
        #expect(request.zone == bench.configuration.panel.timeZone.name)
        #expect(request.server.host == "192.0.2.25" && request.server.password == Secret("mail password"))
        #expect(request.authorities == "PEM of the mail server")
        #expect(
            Self.told(bench) == [Self.anna, Self.ben].map { "The history of the last 31 days was mailed to \($0)." })
        bench.advance(.hours(2))
        #expect(bench.mailer.requests.count == 2)
        // A clock that leapt is believed after an hour.
        var next = bench.off(for: Self.untilNext(bench))
        next.advance(.hours(2))
        #expect(next.mailer.requests.map(\.recipient) == [Self.anna, Self.ben])
        #expect(next.mailer.requests.allSatisfy { $0.name != request.name })
    }

    @Test("who does not get it is tried each hour for three days and then told of; the other one is not held up")
    func whoDoesNotGetItIsTriedEachHour() throws {
        var bench = Self.bench()
        bench.mailer.answer = { $0.recipient == Self.anna ? .failed("192.0.2.25: 550 \u{7}nobody") : .sent }
        Self.advance(&bench, past: .seconds(1))
        #expect(bench.mailer.requests.map(\.recipient) == [Self.anna, Self.ben])
        bench.advance(.hours(1) - .seconds(2))
        #expect(bench.mailer.requests.count == 2)
        bench.advance(.seconds(2))
        #expect(bench.mailer.requests.map(\.recipient) == [Self.anna, Self.ben, Self.anna])
        bench.advance(.hours(69))
        #expect(bench.mailer.requests.count == 72 && Self.told(bench).count == 1)
        bench.advance(.hours(1))
        #expect(bench.mailer.requests.count == 73)
        let event = try #require(bench.events(.historyMail).last)
        #expect(event.priority == .fault)
        #expect(
            event.message.hasPrefix(
                "The month's history could not be mailed to \(Self.anna) for three days: 192.0.2.25: 550 "))
        #expect(event.message.contains("alert_email") && !event.message.contains("\u{7}"))
        bench.advance(.hours(3))
        #expect(bench.mailer.requests.count == 73)
    }

    @Test("whoever mails it and hangs, is away or talks nonsense holds up nothing, and it is tried again")
    func whoeverMailsItAndHangs() throws {
        for fault in ["hangs", "away", "nonsense", "endless"] {
            var bench = Self.bench([Self.anna])
            bench.mailer.answer = { _ in nil }
            bench.mailer.isAway = fault == "away"
            bench.mailer.nonsense =
                fault == "nonsense" ? "sent!\n" : fault == "endless" ? String(repeating: "x", count: 5000) : nil
            Self.advance(&bench, past: .seconds(1))
            let isOpen = fault == "hangs"
            #expect(bench.mailer.open.count == (isOpen ? 1 : 0), "\(fault)")
            bench.advance(.minutes(5))
            #expect(bench.mailer.open.isEmpty && Self.told(bench).isEmpty, "\(fault)")
            (bench.mailer.isAway, bench.mailer.nonsense, bench.mailer.answer) = (false, nil, { _ in .sent })
            bench.advance(.hours(1))
            #expect(Self.told(bench).count == 1, "\(fault)")
        }
    }

    @Test("a restart mails nothing twice, and goes on with what was not mailed")
    func aRestartMailsNothingTwice() {
        var bench = Self.bench([Self.anna])
        Self.advance(&bench, past: .minutes(1))
        var next = bench.off(for: .minutes(5))
        next.advance(.hours(3))
        #expect(bench.mailer.requests.count == 1 && next.mailer.requests.isEmpty)

        bench = Self.bench([Self.anna])
        bench.mailer.answer = { _ in .failed("no") }
        Self.advance(&bench, past: .hours(3))
        let date = bench.mailer.requests.last?.name
        next = bench.off(for: .hours(20))
        next.advance(.hours(2))
        #expect(next.mailer.requests.map(\.name) == [date])
    }

    @Test("a box that was off at the time mails it when it is back; after two weeks it says that it did not")
    func aBoxThatWasOffMailsItWhenItIsBack() {
        for (span, mails, words) in [(3, 1, "was mailed to"), (15, 0, "was not mailed: the box was off")] {
            var bench = Self.bench([Self.anna])
            Self.advance(&bench, past: .zero - .hours(2))
            // What is due is kept with the next event.
            bench.panel("65210")
            bench.advance(.seconds(1))
            var next = bench.off(for: .hours(24 * span))
            next.advance(.hours(2))
            #expect(next.mailer.requests.count == mails && Self.told(next).last?.contains(words) == true, "\(span)")
        }
    }

    @Test("who is taken out of the configuration gets none any more, and what is under way ends")
    func whoIsTakenOutGetsNone() {
        var bench = Self.bench()
        bench.mailer.answer = { _ in nil }
        Self.advance(&bench, past: .seconds(1))
        #expect(bench.mailer.open.count == 1)
        var configuration = bench.configuration
        configuration.reminders?.history?.recipients = [Self.ben]
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(1))
        #expect(bench.mailer.requests.map(\.recipient) == [Self.anna, Self.ben] && bench.mailer.open.count == 1)
        configuration.reminders = nil
        bench.feed(.reload(.configuration(configuration)))
        #expect(bench.mailer.open.isEmpty)
        bench.advance(.hours(3))
        #expect(bench.mailer.requests.count == 2)
    }

    @Test("without a clock that is trusted nothing is mailed; when it is there, the next one comes")
    func withoutAClockNothingIsMailed() {
        var bench = Self.bench([Self.anna])
        bench.now.isWallTrusted = false
        bench.advance(.hours(6))
        #expect(bench.mailer.requests.isEmpty)
        bench.now.isWallTrusted = true
        bench.advance(.hours(2))
        // A clock that leapt is believed after an hour.
        var next = bench.off(for: Self.untilNext(bench))
        next.advance(.hours(2))
        #expect(next.mailer.requests.count == 1)
    }

    @Test(
        "a metered link carries the words alone, and the mail goes by the link that the box uses",
        arguments: [true, false])
    func aMeteredLinkCarriesTheWordsAlone(isMetered: Bool) throws {
        let bench = Self.bench([Self.anna])
        let settings = bench.configuration.reminders?.history
        var step = Step(bench.configuration, at: bench.now)
        let trusted = bench.now.wall + .hours(24_000)
        step.timeForServers = trusted
        var around = CameraSurroundings(UpdateSurroundings(bench.core, step))
        (around.link, around.isMetered) = (isMetered ? .interface("wwan0") : .any, isMetered)
        var mail = HistoryMail()
        mail.look(settings, &step)
        let span = Self.untilNext(bench)
        (step.now.wall, step.now.boot) = (step.now.wall + span, step.now.boot + span)
        mail.look(settings, &step)
        mail.take(.connected(Bench.client(1), DialSlot(0)), around, &step)
        guard case .transport(.send(_, let bytes))? = mail.actions.last else {
            Issue.record("nothing is asked")
            return
        }
        let request = try #require(HistoryRequest(Array(bytes.dropLast())))
        #expect(request.hasPage == !isMetered && request.link == (isMetered ? "wwan0" : nil))
        // Certificates are judged at the time that the daemon trusts.
        #expect(request.now == trusted)
    }

    @Test("a request is read as it was written, and one that is changed anywhere is none or another one")
    func aRequestIsReadAsItWasWritten() throws {
        var bench = Self.bench([Self.anna])
        Self.advance(&bench, past: .seconds(1))
        let request = try #require(bench.mailer.requests.first)
        let line = request.json.utf8
        #expect(HistoryRequest(line) == request)
        for end in line.indices { #expect(HistoryRequest(Array(line[..<end])) == nil) }
        for (key, value): (String, JSON) in [
            ("days", .integer(0)), ("days", .integer(367)), ("name", .string("../x")), ("name", .string("")),
            ("mail", .string("x")), ("page", .integer(1)),
        ] {
            guard case .object(var members) = request.json else { continue }
            members.removeAll { $0.key == key }
            members.append(JSON.Member(key: key, value: value))
            #expect(HistoryRequest(JSON.object(members).utf8) == nil, "\(key) \(value)")
        }
        for answer in [HistoryAnswer.sent, .failed("why")] { #expect(HistoryAnswer(answer.json.utf8) == answer) }
        #expect(HistoryAnswer(Array("{}".utf8)) == nil && HistoryAnswer(Array("{".utf8)) == nil)
    }
}
