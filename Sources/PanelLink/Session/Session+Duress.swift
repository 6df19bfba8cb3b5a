import AlarmModel

/// A disarm or arm with a duress code (docs/ARCHITECTURE.md 1.6): journalled as what it is for duress contacts, and
/// shown to everybody else as an ordinary line that names no user.
extension Session {
    /// On many panels users 33 and 34 hold the duress codes (docs/envisalink.md 2.2); one with a name in the
    /// configuration is an ordinary person.
    private static let duressUsers = [33, 34]

    /// The line as everybody may see it; what it really says is appended as a duress event.
    func disguised(_ line: DSCLine, at now: Moment, into actions: inout [PanelAction]) -> DSCLine {
        let harmless: (code: String, message: DSCMessage)
        let partition: Int
        if case .userOpening(let number, let user) = line.message, isDuress(user) {
            partition = number
            harmless = ("751", .specialOpening(partition: number))
        } else if case .userClosing(let number, let user) = line.message, isDuress(user) {
            partition = number
            harmless = ("701", .specialClosing(partition: number))
        } else {
            return line
        }
        var event = writer(at: now).event(line)
        event.type = .alarm
        event.flags.insert(.duress)
        event.message = "Duress code used, partition \(partition)"
        actions.append(.event(event))
        return DSCLine(code: harmless.code, data: "\(partition)", stamp: line.stamp, message: harmless.message)
    }

    private func isDuress(_ user: Int) -> Bool {
        Self.duressUsers.contains(user) && settings.names.user(user) == nil
    }
}
