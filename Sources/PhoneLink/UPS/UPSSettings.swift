package import AlarmModel

/// `ups`: a server of NUT (upsd) in the house, which is asked how one UPS is.
package struct UPSSettings: Codable, Equatable, Sendable {
    package static let usualPort: UInt16 = 3493

    package var host: String
    package var port: UInt16
    /// As the server calls it.
    package var name: String
    /// Only for a server that wants a login; with the password.
    package var user: String?
    package var password: Secret?
    /// From one question to the next.
    package var interval: Duration = .seconds(15)
    /// Each question is answered by then, or the connection is given up.
    package var answerPatience: Duration = .seconds(10)
    package var dialPatience: Duration = .seconds(30)
    package var pace: ReconnectPace

    package init(
        host: String, port: UInt16? = nil, name: String, user: String? = nil, password: Secret? = nil
    ) {
        self.host = host
        self.port = port ?? Self.usualPort
        self.name = name
        self.user = user
        self.password = password
        pace = ReconnectPace()
        pace.refusedWait = .minutes(1)
        pace.refusedMaximum = .minutes(10)
    }

    /// For people: the server.
    package var server: String {
        PeerText.printable("\(host.contains(":") ? "[\(host)]" : host):\(port)", limit: 100)
    }

    /// What tells this UPS from another one.
    package var place: String { "\(name) \(server)" }

    /// A name as upsd takes it: the head of a section of its file.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122: true
                default: [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "+")].contains(byte)
                }
            }
    }

    /// How long nothing may be heard of the UPS before that is told.
    package var lostPatience: Duration { max(.minutes(2), interval * 2 + answerPatience) }
}
