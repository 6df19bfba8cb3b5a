/// The switches that make the module misbehave (docs/envisalink.md 6); all off by default.
///
/// A count says for how many lines or commands the fault lasts; `Int.max` for as long as the switch is on.
package struct PanelFaults: Codable, Equatable, Sendable {
    package var fragment = Fragmentation.off
    /// All lines of one instant go out in one segment.
    package var coalesce = false
    /// The next lines carry a wrong checksum.
    package var badChecksum = 0
    /// Right checksum, lower-case letters.
    package var lowercase = false
    /// Before each of the next lines something that is none.
    package var garbage = 0
    package var silent = Silence.off
    package var secondClient = SecondClient.reset
    /// After an abrupt loss of the client newcomers are reset for so long.
    package var staleSession: Duration = .zero
    /// The answer takes so long, and the module takes no other command meanwhile.
    package var slowAck: Duration = .zero
    /// The next commands are carried out and not acknowledged.
    package var noAck = 0
    /// The next commands are acknowledged with the number of another command.
    package var wrongAck = 0
    /// The command is carried out at once and acknowledged so much later.
    package var lateAck: Duration = .zero
    /// What the next commands cause is told before they are acknowledged.
    package var eventBeforeAck = 0
    package var busy = Busy(code: 0, times: 0)
    /// 501 for too long a line or for letters, as real modules do, rather than 502 025 and 502 027.
    package var quirk501 = false
    /// Not zero: the next line breaks off in the middle, the connection is reset, nothing listens for so long.
    package var reboot: Duration = .zero
    package var flood = Flood.off
    /// No 005 is heard: 5052 after ten seconds.
    package var loginTimeout = false
    /// Every password is wrong.
    package var wrongPassword = false
    /// A password of more than six characters gets no answer at all.
    package var mutePassword = false
    /// SYN packets are dropped.
    package var firewall = false
    /// A code is asked for on 030, 031, 032, 020 and *1.
    package var code900 = false
    /// 35 s after the last key the keypads go dark and the module sees no partition.
    package var blanking = false
    /// When the client's bytes arrive within 1 ms of ours: deaf and mute for two minutes.
    package var tcpStall = false
    /// Added to the time of 550.
    package var clockSkew: Duration = .zero
    /// Behaves as an old proxy: no 500005, and every 20 s a 500000 that nobody asked for.
    package var proxy = false

    package init() {}

    package enum Fragmentation: String, Codable, Hashable, Sendable, CaseIterable {
        case off
        /// One or two cuts per line wherever the generator says.
        case anywhere
        /// One byte per segment.
        case bytes
        /// Between CR and LF.
        case crlf
    }

    package enum Silence: String, Codable, Hashable, Sendable, CaseIterable {
        case off
        /// Bytes are taken and nothing comes back.
        case on
        /// Nor are they read: the TCP window closes.
        case deaf
    }

    package enum SecondClient: String, Codable, Hashable, Sendable, CaseIterable { case reset, finish, silence }

    package enum Flood: String, Codable, Hashable, Sendable, CaseIterable {
        case off
        /// 64 zones toggle, a hundred changes a second.
        case zones
        /// A hundred 510 a second.
        case leds
    }

    /// 502 with this code, so many times, for every command but the poll and the login.
    package struct Busy: Codable, Equatable, Sendable {
        package var code: Int
        package var times: Int
        package init(code: Int, times: Int) {
            self.code = code
            self.times = times
        }
    }

    /// Takes one from a count; true while it was not used up.
    static func use(_ count: inout Int) -> Bool {
        guard count > 0 else { return false }
        if count != .max { count -= 1 }
        return true
    }
}

/// One switch and its new position.
package enum PanelFault: Codable, Equatable, Sendable {
    case fragment(PanelFaults.Fragmentation)
    case coalesce(Bool)
    case badChecksum(Int)
    case lowercase(Bool)
    case garbage(Int)
    case silent(PanelFaults.Silence)
    case secondClient(PanelFaults.SecondClient)
    case staleSession(Duration)
    case slowAck(Duration)
    case noAck(Int)
    case wrongAck(Int)
    case lateAck(Duration)
    case eventBeforeAck(Int)
    case busy(PanelFaults.Busy)
    case quirk501(Bool)
    case reboot(Duration)
    case flood(PanelFaults.Flood)
    case loginTimeout(Bool)
    case wrongPassword(Bool)
    case mutePassword(Bool)
    case firewall(Bool)
    case code900(Bool)
    case blanking(Bool)
    case tcpStall(Bool)
    case clockSkew(Duration)
    case proxy(Bool)
    /// Every switch back to its default.
    case none
}

extension PanelFaults {
    package mutating func apply(_ fault: PanelFault) {
        switch fault {
        case .fragment(let value): fragment = value
        case .coalesce(let value): coalesce = value
        case .badChecksum(let value): badChecksum = value
        case .lowercase(let value): lowercase = value
        case .garbage(let value): garbage = value
        case .silent(let value): silent = value
        case .secondClient(let value): secondClient = value
        case .staleSession(let value): staleSession = value
        case .slowAck(let value): slowAck = value
        case .noAck(let value): noAck = value
        case .wrongAck(let value): wrongAck = value
        case .lateAck(let value): lateAck = value
        case .eventBeforeAck(let value): eventBeforeAck = value
        case .busy(let value): busy = value
        case .quirk501(let value): quirk501 = value
        case .reboot(let value): reboot = value
        case .flood(let value): flood = value
        case .loginTimeout(let value): loginTimeout = value
        case .wrongPassword(let value): wrongPassword = value
        case .mutePassword(let value): mutePassword = value
        case .firewall(let value): firewall = value
        case .code900(let value): code900 = value
        case .blanking(let value): blanking = value
        case .tcpStall(let value): tcpStall = value
        case .clockSkew(let value): clockSkew = value
        case .proxy(let value): proxy = value
        case .none: self = PanelFaults()
        }
    }
}
