import AlarmModel
import ApplianceCore
import Foundation
import PhoneLink
import Platform
import Testing

@testable import Daemon

@Suite("Pictures go by mail and to a broker")
struct PictureErrandTests {
    private func work(
        _ bench: CameraBench, _ servers: PictureServers, _ uploads: [PictureUpload], isKnown: Bool = true,
        link: String? = nil, at now: WallTime? = nil
    ) throws -> [PictureAnswer] {
        var shot = PictureRequest.Shot(
            camera: Camera(name: "Garage", url: try bench.url()), time: WallTime(milliseconds: 1_795_000_000_000),
            uploads: uploads, link: link)
        if isKnown { shot.authorities = servers.authorities }
        return bench.work(.take(shot), at: now)
    }

    @Test("each person gets a mail of his own, encrypted before anything is said, with the picture behind the words")
    func eachPersonGetsAMail() throws {
        let bench = try CameraBench()
        let servers = try PictureServers(on: bench.loop)
        let people = ["anna@mail.example", "ben@mail.example"]
        let answers = try work(bench, servers, people.map { .mail(servers.mail, to: $0, title: "Bild: Garage") })
        #expect(answers.last == .done(sent: 2))
        #expect(servers.mails.count == 2)
        for (mail, person) in zip(servers.mails, people) {
            #expect(mail.contains("To: <\(person)>\r\n") && mail.contains("Subject: Bild: Garage\r\n"))
            #expect(mail.contains("filename=\"2026-11-18 11.06.40 Garage.jpg\""))
            let parts = mail.split(separator: "\r\n\r\n")
            let lines = parts.last.map { $0.split(separator: "\r\n").filter { !$0.hasPrefix("--") } } ?? []
            #expect(Data(base64Encoded: lines.joined()).map(Array.init) == CameraBench.picture)
        }
        let clear = servers.commands.filter { !$0.isEncrypted }.map { String($0.line.prefix(8)) }
        #expect(clear == ["EHLO [12", "STARTTLS", "EHLO [12", "STARTTLS"])
    }

    @Test("a recipient who is refused keeps no other one back; a server that proves nothing is asked once")
    func aRecipientWhoIsRefused() throws {
        let bench = try CameraBench()
        let servers = try PictureServers(on: bench.loop)
        let mails = ["anna", "ben"].map { PictureUpload.mail(servers.mail, to: "\($0)@mail.example", title: "T") }
        let broker = PictureUpload.broker(servers.broker, topic: "howalarming/home/camera/garage")
        servers.toRecipient = "550 5.1.1 nobody"
        #expect(
            try work(bench, servers, mails + [broker]).last
                == .unsent("127.0.0.1: the mail server says: 550 5.1.1 nobody"))
        #expect(servers.visits == 2 && servers.postings.count == 1)
        guard case .unsent(let why)? = try work(bench, servers, mails, isKnown: false).last else {
            Issue.record("a server that nobody knows takes mail")
            return
        }
        #expect(why.hasPrefix("127.0.0.1: the connection ended (") && servers.visits == 3)
    }

    @Test("a server's certificate is judged at the time of the request, whatever the clock of the machine says")
    func aCertificateIsJudgedAtTheTimeOfTheRequest() throws {
        let bench = try CameraBench()
        let servers = try PictureServers(on: bench.loop)
        let mail = PictureUpload.mail(servers.mail, to: "anna@mail.example", title: "T")
        let now = SystemClock.wallTime()
        #expect(try work(bench, servers, [mail], at: now).last == .done(sent: 1))
        for other in [now + .hours(-24 * 365 * 20), now + .hours(24 * 365 * 40)] {
            guard case .unsent(let why)? = try work(bench, servers, [mail], at: other).last else {
                Issue.record("a certificate that is not valid at \(other) is believed")
                continue
            }
            #expect(why.hasPrefix("127.0.0.1: the connection ended ("), "\(why)")
        }
        #expect(servers.mails.count == 1)
    }

    @Test("a broker hands the picture on and keeps none; the link to the Internet does not lead there")
    func aBrokerHandsItOn() throws {
        let bench = try CameraBench()
        let servers = try PictureServers(on: bench.loop)
        let upload = PictureUpload.broker(servers.broker, topic: "howalarming/home/camera/garage")
        #expect(try work(bench, servers, [upload], link: "nowhere0").last == .done(sent: 1))
        let posting = try #require(servers.postings.first)
        #expect(posting.payload == CameraBench.picture && !posting.isRetained)
        #expect(posting.topic == "howalarming/home/camera/garage")
    }
}
