import AlarmModel
import ApplianceCore
import EventStore
import Foundation
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@testable import Daemon

@Suite("the history of a house goes by mail")
struct HistoryMailWorkTests {
    /// A journal of some days, and servers. Confined to one test.
    private final class Place {
        let loop: EventLoop
        let servers: PictureServers
        let directory = NSTemporaryDirectory() + "history-mail-" + UUID().uuidString

        init() throws {
            loop = try EventLoop()
            servers = try PictureServers(on: loop)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            let journal = try Journal(directory: directory, options: Journal.Options(run: "run"))
            let now = SystemClock.wallTime()
            let events = [(-50, EventType.armed, "652"), (-40, .alarm, "601"), (-30, .disarmed, "655")].map {
                Event(
                    type: $1, code: $2, raw: "\($2)1001", message: "it happened", time: now + .hours($0),
                    isTimeTrusted: true, partition: 1, partitionName: "Ground floor",
                    zone: $1 == .alarm ? 1 : nil, zoneName: $1 == .alarm ? "Küche <1>" : nil)
            }
            _ = try journal.commit([Batch(id: BatchID(1), events: events)])
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func request(hasPage: Bool = true, isKnown: Bool = true) -> HistoryRequest {
            var request = HistoryRequest(
                days: 31, zone: "Europe/Vienna", server: servers.mail, recipient: "anna@mail.example",
                title: "Mill: history of the last 31 days", name: "history-2026-12-01", hasPage: hasPage)
            if isKnown { request.authorities = servers.authority.certificatePEM }
            return request
        }

        /// nil: no answer came within a minute.
        func work(_ request: HistoryRequest) -> HistoryAnswer? {
            var answer: HistoryAnswer?
            let work = HistoryWork(request, directory, on: loop) { [loop] in
                answer = $0
                loop.stop()
            }
            let limit = loop.setTimer(after: .seconds(60)) { [loop] in loop.stop() }
            loop.run()
            loop.cancel(limit)
            withExtendedLifetime(work) {}
            return answer
        }
    }

    @Test("one mail, encrypted before anything is said: what it is, the history as text, and the page behind it")
    func oneMailWithTextAndPage() throws {
        let place = try Place()
        #expect(place.work(place.request()) == .sent)
        let mail = try #require(place.servers.mails.first)
        #expect(place.servers.mails.count == 1)
        #expect(mail.contains("To: <anna@mail.example>\r\n") && mail.contains("Message-ID: <history-2026-12-01@"))
        #expect(mail.contains("Subject: Mill: history of the last 31 days\r\n"))
        #expect(mail.contains("names\r\nyour address.") && mail.contains("HISTORY OF THE HOUSE\r\n"))
        #expect(mail.contains("1 K=C3=BCche <1>"))
        #expect(mail.contains("filename=\"history-2026-12-01.html\""))
        let parts = mail.split(separator: "\r\n\r\n")
        let lines = parts.last.map { $0.split(separator: "\r\n").filter { !$0.hasPrefix("--") } } ?? []
        let page = Data(base64Encoded: lines.joined()).map { String(decoding: $0, as: UTF8.self) }
        #expect(page?.hasPrefix("<!DOCTYPE html>") == true && page?.contains("Küche &lt;1&gt;") == true)
        let clear = place.servers.commands.filter { !$0.isEncrypted }.map { String($0.line.prefix(8)) }
        #expect(clear == ["EHLO [12", "STARTTLS"])
    }

    @Test("the Internet's link leads to no mail server in the house: that one is reached as the routes say")
    func aMailServerInTheHouse() throws {
        let place = try Place()
        var request = place.request()
        request.link = "nowhere0"
        #expect(place.work(request) == .sent)
        request.server.host = "192.0.2.25"
        #expect(place.work(request) != .sent)
    }

    @Test("the server's certificate is judged at the time of the request, whatever the clock of the machine says")
    func theCertificateIsJudgedAtTheTimeOfTheRequest() throws {
        let place = try Place()
        var request = place.request()
        request.now = SystemClock.wallTime() + .hours(24 * 365 * 40)
        guard case .failed(let why)? = place.work(request) else {
            Issue.record("a certificate that is not valid then is believed")
            return
        }
        #expect(why.hasPrefix("127.0.0.1: the connection ended ("), "\(why)")
        request.now = SystemClock.wallTime()
        #expect(place.work(request) == .sent)
    }

    @Test("without the page the words alone go, and say so")
    func withoutThePage() throws {
        let place = try Place()
        #expect(place.work(place.request(hasPage: false)) == .sent)
        let mail = try #require(place.servers.mails.first)
        #expect(!mail.contains("filename") && mail.contains("was left out") && mail.contains("HISTORY OF THE HOUSE"))
    }

    @Test(
        "a server that refuses, one that proves nothing, one that is not there and a journal that is not: each says why"
    )
    func whatCannotBeMailedSaysWhy() throws {
        let place = try Place()
        place.servers.toRecipient = "550 5.1.1 nobody"
        #expect(place.work(place.request()) == .failed("127.0.0.1: the mail server says: 550 5.1.1 nobody"))
        let visits = place.servers.commands.count
        guard case .failed(let why)? = place.work(place.request(isKnown: false)) else {
            Issue.record("a server that nobody knows got the history")
            return
        }
        #expect(why.hasPrefix("127.0.0.1: "))
        #expect(!place.servers.commands.dropFirst(visits).contains { $0.isEncrypted } && place.servers.mails.isEmpty)
        var away = place.request()
        away.server.host = "127.0.0.2"
        away.server.port = 9
        guard case .failed(let refused)? = place.work(away) else {
            Issue.record("nobody took the mail")
            return
        }
        #expect(refused.hasPrefix("127.0.0.2: "))
        try FileManager.default.removeItem(atPath: place.directory)
        guard case .failed(let unread)? = place.work(place.request()) else {
            Issue.record("a journal that is not there was mailed")
            return
        }
        #expect(unread.hasPrefix("the journal cannot be read: "))
    }

    @Test("words that do not fit are cut at a line, and it is said where the rest is")
    func wordsThatDoNotFit() {
        let lines = (1...2000).map { "\($0) " + String(repeating: "x", count: 70) }
        let text = HistoryWork.words(lines, hasPage: true)
        #expect(text.utf8.count <= HistoryWork.mostWords && text.utf8.count > HistoryWork.mostWords - 200)
        let last = text.split(separator: "\n").suffix(2)
        #expect(last.last?.contains("USB stick") == true && last.first.map { lines.contains(String($0)) } == true)
        #expect(HistoryWork.words(["short"], hasPage: true).hasSuffix("\nshort"))
    }
}
