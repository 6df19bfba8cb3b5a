import AlarmModel
import ApplianceCore
package import CommandKit
import EventStore
import PhoneLink
import PhoneProtocol
import Platform
import Reports

/// `run-history`: mails the history of the house to one person, beside the daemon. The service manager starts it with a
/// connection as standard input and output.
package struct HistoryCommand: Command {
    var stateDirectory: String
    var authorityFile: String?

    package func run(on console: Console) -> Int32 {
        StandardLine.serve(
            { HistoryRequest($0) }, limit: HistoryRequest.longest,
            refusal: HistoryAnswer.failed("the request is not as it should be").json,
            complaint: "no history can be mailed", on: console
        ) { request, loop in
            HistoryWork(request, stateDirectory, authorityFile: authorityFile, on: loop) { answer in
                StandardLine.write(answer.json.utf8)
                loop.stop()
            }
        }
    }
}

/// Reads the journal, writes the mail, and gives it to the server. Confined to the loop's thread.
final class HistoryWork {
    private let request: HistoryRequest
    private let stateDirectory: String
    private let authorityFile: String?
    private let loop: EventLoop
    private let say: (HistoryAnswer) -> Void
    private var errand: MailErrand?

    /// Bytes of the mail's words: quoted, they are longer.
    static let mostWords = 28 * 1024

    /// - Parameter say: called once, later
    init(
        _ request: HistoryRequest, _ stateDirectory: String, authorityFile: String? = nil, on loop: EventLoop,
        say: @escaping (HistoryAnswer) -> Void
    ) {
        self.request = request
        self.stateDirectory = stateDirectory
        self.authorityFile = authorityFile
        self.loop = loop
        self.say = say
        loop.later { self.begin() }
    }

    private func begin() {
        let now = SystemClock.wallTime()
        let report: HistoryReport
        do throws(StoreError) {
            var reading = HistoryReading(
                stateDirectory: stateDirectory, now: now, rules: LocalTime.rules(of: request.zone))
            report = try reading.report(days: request.days)
        } catch {
            return say(.failed("the journal cannot be read: \(error)"))
        }
        let file = authorityFile
        let (pem, time) = (request.authorities, request.now)
        errand = MailErrand(
            message(report, at: now), by: request.server,
            trust: { () throws(TLSFailure) in
                guard let pem else { return try TLSTrust(caFile: file, at: time) }
                return try TLSTrust(pem: Array(pem.utf8), subject: "the file of 'alert_email.ca_file'", at: time)
            }, link: link, on: loop
        ) { result in
            switch result {
            case .success: self.say(.sent)
            case .failure(let fault): self.say(.failed("\(self.request.server.host): \(fault.words)"))
            }
        }
    }

    /// The Internet's link leads to no server in the house.
    private var link: Link {
        guard let name = request.link, !HouseName.isInHouse(request.server.host) else { return .any }
        return .interface(name)
    }

    private func message(_ report: HistoryReport, at now: WallTime) -> MailMessage {
        let page = MailMessage.Attachment(
            name: request.name + ".html", contentType: "text/html; charset=utf-8",
            bytes: request.hasPage ? Array(HistoryPage(report).text.utf8) : [])
        let text = Self.words(HistoryText(report).lines, hasPage: request.hasPage)
        return MailMessage(
            from: request.server.from, to: request.recipient, id: MessageID(request.name),
            notice: Notice(title: request.title, text: text, subject: .news, time: now), isAlarm: false,
            attachment: request.hasPage ? page : nil)
    }

    /// What it is, and as much of the history as a mail's words may be.
    static func words(_ lines: [String], hasPage: Bool) -> String {
        let page =
            hasPage
            ? "The page behind this mail shows the same in pictures: open it with a browser."
            : "The page with pictures was left out: the mail went by a metered link."
        let head = [
            "The box sends this once a month, because 'reminders.history' in its configuration names",
            "your address. " + page,
            "It tells when somebody was at home: whoever reads your mail can know it.", "",
        ]
        let end = "(The rest did not fit. A USB stick takes all of it: B, 7 at the console.)"
        var kept: [String] = []
        var size = head.reduce(end.utf8.count) { $0 + $1.utf8.count + 1 }
        for line in lines {
            size += line.utf8.count + 1
            guard size <= mostWords else {
                kept.append(end)
                break
            }
            kept.append(line)
        }
        return (head + kept).joined(separator: "\n")
    }
}

extension HistoryCommand {
    package static let entry = CommandEntry(
        "run-history", in: .acting, brief: "mail the history of the house", isListed: false,
        """
        Mails the history of the house for the daemon: reads one request from standard input, as the unit
        howalarming-history.socket hands it over, reads the journal, gives one mail to the server that the request names,
        and answers in one line of JSON whether it was taken.

        --state DIR      where the journal is
        --ca-file FILE   authorities for the server (the system's)
        """
    ) { given throws(UsageError) in
        HistoryCommand(stateDirectory: given.stateDirectory, authorityFile: given.value("--ca-file"))
    }
}
