import AlarmModel

/// What servers that have proved who they are said about the time, the newest of each operator.
///
/// What was said ages with the boot clock, so a wall clock that is set wrong later contradicts it without a new word,
/// and one that is set right agrees with it.
struct ServerTimes: Codable, Equatable, Sendable {
    private struct Witness: Codable, Equatable, Sendable {
        var operatorName: String
        /// For words.
        var server: String
        var time: WallTime
        var at: BootTime
    }
    /// Ascending by operator.
    private var witnesses: [Witness] = []

    /// Difference up to which a server agrees (docs/ARCHITECTURE.md 6); answers may take a while.
    static let tolerance: Duration = .minutes(5)
    /// After this nothing is concluded from it any more.
    static let life: Duration = .hours(24)
    private static let limit = 16

    mutating func heard(_ time: WallTime, of server: String, at now: BootTime) {
        let name = Self.operatorName(of: server)
        witnesses.removeAll { $0.operatorName == name || now - $0.at > Self.life }
        if witnesses.count >= Self.limit, let oldest = witnesses.map(\.at).min() {
            witnesses.removeAll { $0.at == oldest }
        }
        let index = witnesses.firstIndex { $0.operatorName > name } ?? witnesses.count
        witnesses.insert(Witness(operatorName: name, server: server, time: time, at: now), at: index)
    }

    func hasVoice(at raw: Moment) -> Bool { witnesses.contains { raw.boot - $0.at <= Self.life } }

    /// More operators contradict than agree.
    func contradict(_ raw: Moment) -> Bool {
        let ahead = aheads(raw).map(\.ahead)
        let against = ahead.count { !Self.agrees($0) }
        return against > ahead.count - against
    }

    /// More operators agree than contradict.
    func confirm(_ raw: Moment) -> Bool {
        let ahead = aheads(raw).map(\.ahead)
        let agreeing = ahead.count { Self.agrees($0) }
        return agreeing > ahead.count - agreeing
    }

    /// What they say, the middle of it; nil while none has spoken within a day.
    func time(at now: BootTime) -> WallTime? {
        let times = witnesses.filter { now - $0.at <= Self.life }.map { $0.time + (now - $0.at) }.sorted { $0 < $1 }
        return times.isEmpty ? nil : times[times.count / 2]
    }

    /// `it is 10 min behind what ntfy.example.org says; check the time server`
    func words(_ raw: Moment) -> String? {
        guard let first = aheads(raw).first(where: { !Self.agrees($0.ahead) }) else { return nil }
        // To the nearest minute: a `Date` has whole seconds.
        let minutes = ((first.ahead < .zero ? .zero - first.ahead : first.ahead).milliseconds + 30_000) / 60_000
        let span =
            minutes < 120 ? "\(minutes) min" : minutes < 2880 ? "\(minutes / 60) h" : "\(minutes / 1440) days"
        let side = first.ahead < .zero ? "behind" : "ahead of"
        return "it is \(span) \(side) what \(first.server) says, which has proved who it is; "
            + "check the time server (NTP)"
    }

    /// How far our clock is ahead of each.
    private func aheads(_ raw: Moment) -> [(server: String, ahead: Duration)] {
        witnesses.compactMap { witness in
            let age = raw.boot - witness.at
            guard age <= Self.life else { return nil }
            return (witness.server, raw.wall - (witness.time + age))
        }
    }

    static func agrees(_ ahead: Duration) -> Bool { ahead <= tolerance && ahead >= .zero - tolerance }

    /// The last two labels of a name: hosts of one operator have one voice. An address speaks for itself.
    private static func operatorName(of server: String) -> String {
        let name = server.lowercased()
        guard IPAddress(name) == nil else { return name }
        return name.split(separator: ".").suffix(2).joined(separator: ".")
    }
}
