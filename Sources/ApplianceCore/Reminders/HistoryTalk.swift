package import AlarmModel
package import PhoneLink
package import PhoneProtocol

/// What the core asks of the process that mails the history (`run-history`): one line of JSON.
package struct HistoryRequest: Equatable, Sendable {
    /// Up to now.
    package var days: Int
    /// Of the house's clock, such as `Europe/Vienna`.
    package var zone: String
    package var server: MailSettings
    package var recipient: String
    package var title: String
    /// Of the file and of the mail: the same for the same month, so that a mail that comes twice can be told.
    package var name: String
    /// With the page of pictures behind the words.
    package var hasPage: Bool
    /// Trusted instead of the system's authorities, in PEM.
    package var authorities: String?
    /// The network interface to send it by; nil: as the routes say.
    package var link: String?
    /// Time at which the server's certificate is judged; nil: by the clock of the process.
    package var now: WallTime?

    /// Bytes of a line.
    package static let longest = 16 * 1024 + 2 * FetchRequest.longestAuthorities

    package init(
        days: Int, zone: String, server: MailSettings, recipient: String, title: String, name: String, hasPage: Bool
    ) {
        self.days = days
        self.zone = zone
        self.server = server
        self.recipient = recipient
        self.title = title
        self.name = name
        self.hasPage = hasPage
    }

    package var json: JSON {
        .object([
            "days": .integer(Int64(days)), "zone": .string(zone), "name": .string(name), "page": .bool(hasPage),
            "mail": PictureUpload.mail(server, to: recipient, title: title).json,
            "authorities": authorities.map { .string($0) }, "link": link.map { .string($0) },
            "now": now.map { .integer($0.milliseconds) },
        ])
    }

    /// nil: it is none.
    package init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 4, bytes: Self.longest)),
            let days = json["days"]?.integerValue, (1...366).contains(days), let zone = json["zone"]?.stringValue,
            let name = json["name"]?.stringValue, Self.isName(name), let hasPage = json["page"]?.boolValue,
            case .mail(let server, let recipient, let title)? = json["mail"].flatMap({ PictureUpload($0) })
        else { return nil }
        self.init(
            days: Int(days), zone: zone, server: server, recipient: recipient, title: title, name: name,
            hasPage: hasPage)
        authorities = json["authorities"]?.stringValue
        link = json["link"]?.stringValue
        now = json["now"]?.integerValue.map { WallTime(milliseconds: $0) }
    }

    /// It names a file.
    private static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
    }
}

/// What that process says: one line of JSON.
package enum HistoryAnswer: Equatable, Sendable {
    /// The server has taken the mail.
    case sent
    case failed(String)

    /// Bytes of a line.
    package static let longest = 4096

    package var json: JSON {
        switch self {
        case .sent: .object(["sent": .bool(true)])
        case .failed(let why): .object(["failed": .string(why)])
        }
    }

    /// nil: it is none of them.
    package init?(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: JSON.Limits(depth: 2, bytes: Self.longest)) else {
            return nil
        }
        if json["sent"] == .bool(true) {
            self = .sent
        } else if let why = json["failed"]?.stringValue {
            self = .failed(why)
        } else {
            return nil
        }
    }
}
