import AlarmModel
import PhoneLink

/// What a mail server says.
enum MailServer {
    static let greeting = "220 mail.test ESMTP ready\r\n"
    static let hello = "250-mail.test greets you\r\n250-SIZE 100000\r\n250-8BITMIME\r\n250 HELP\r\n"
    static let helloTLS = "250-mail.test\r\n250-STARTTLS\r\n250 SIZE 100000\r\n"
    static let helloLogin = "250-mail.test\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 100000\r\n"
    /// To MAIL, RCPT, DATA and the message.
    static let takes = ["250 2.1.0 ok\r\n", "250 2.1.5 ok\r\n", "354 go on\r\n", "250 2.0.0 queued\r\n"]
}

extension MailSettings {
    static func plain(_ change: (inout MailSettings) -> Void = { _ in }) -> MailSettings {
        var settings = MailSettings(host: "127.0.0.1", port: 25, security: .plain, from: "box@house.test")
        change(&settings)
        return settings
    }

    static func login(_ security: Security = .tls) -> MailSettings {
        MailSettings(
            host: "mail.test", port: security == .tls ? 465 : 587, security: security, from: "box@house.test",
            user: "box", password: Secret("s3cret-word"))
    }
}

extension Delivery {
    static func mail(
        _ id: String, to: String = "ann@example.test", title: String = "Alarm: Study PIR",
        text: String = "Burglary in the study.\n.hidden\nEnd", priority: PriorityClass = .alarm
    ) -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.mail), to),
            content: .words(
                Notice(title: title, text: text, subject: .otherAlarm, time: WallTime(milliseconds: 1_795_262_400_000))),
            priority: priority, timeToLive: 3600)
    }
}

extension ChannelBench where Channel == MailTransport {
    convenience init(_ settings: MailSettings, seed: UInt64 = 1) {
        self.init(MailTransport(settings: settings, seed: seed))
    }

    /// Logged in without encryption and password, and what was ordered until then forgotten.
    static func ready(_ change: (inout MailSettings) -> Void = { _ in }) -> ChannelBench {
        let bench = ChannelBench(.plain(change))
        bench.start()
        bench.connect()
        bench.say(MailServer.greeting)
        bench.say(MailServer.hello)
        _ = bench.take()
        return bench
    }

    func sayAll(_ replies: [String]) { for reply in replies { say(reply) } }
}
