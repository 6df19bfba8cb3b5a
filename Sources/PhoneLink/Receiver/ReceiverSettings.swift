package import AlarmModel
import PhoneProtocol

/// `receiver`: an alarm receiver that speaks SIA DC-09 over TCP, and the account under which it knows this house.
package struct ReceiverSettings: Codable, Equatable, Sendable {
    package enum Security: Codable, Equatable, Sendable {
        /// TLS from the first byte; nil: the system's authorities.
        case tls(authorityFile: String?)
        case plain

        private enum CodingKeys: String, CodingKey { case tls = "tls", plain = "plain" }
    }
    package var host: String
    package var port: UInt16
    package var security: Security
    /// 3 to 16 hexadecimal digits, in capitals.
    package var account: String
    /// The receiver's and the line's number as the station names them; at most six hexadecimal digits each.
    package var receiver: UInt32 = 0
    package var line: UInt32 = 0
    /// 32, 48 or 64 hexadecimal digits: AES with 128, 192 or 256 bits; nil: messages are not encrypted.
    package var key: Secret?

    /// From one exchange to the next poll.
    package var pollInterval = Duration.seconds(30)
    /// For an answer.
    package var answerPatience = Duration.seconds(10)
    /// For an attempt to connect to be answered at all.
    package var dialPatience = Duration.seconds(30)
    package var pace: ReconnectPace

    package init(host: String, port: UInt16, security: Security = .plain, account: String, key: Secret? = nil) {
        self.host = host
        self.port = port
        self.security = security
        self.account = account.uppercased()
        self.key = key
        pace = ReconnectPace()
        // Who corrects an account at the station cannot tell the box of it.
        pace.refusedWait = .minutes(1)
        pace.refusedMaximum = .minutes(10)
    }

    package static func isAccount(_ text: String) -> Bool {
        (3...16).contains(text.utf8.count) && UInt64(text, radix: 16) != nil && text.first != "+"
    }

    /// Hexadecimal digits of a key.
    package static func isKey(_ text: String) -> Bool {
        guard let bytes = try? Hex.decode(text) else { return false }
        return [16, 24, 32].contains(bytes.count)
    }

    /// A key that is written as its characters are, as many receivers take it: 16, 24 or 32 of ASCII.
    package static func key(ofCharacters text: String) -> Secret? {
        let bytes = Array(text.utf8)
        guard [16, 24, 32].contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return Secret(Hex.encode(bytes))
    }

    /// For people.
    package var place: String {
        PeerText.printable("\(host.includes(":") ? "[\(host)]" : host):\(port)", limit: 100)
    }
}
