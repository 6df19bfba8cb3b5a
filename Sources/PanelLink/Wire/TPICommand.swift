package import AlarmModel

/// What the driver sends to the module (docs/envisalink.md 2.1).
package enum TPICommand: Codable, Equatable, Sendable {
    /// 000
    case poll
    /// 001
    case status
    /// 005
    case login(Secret)
    /// 008
    case timers
    /// 010, in the site's local time.
    case clock(PanelClock)
    /// 020: output 1…4.
    case output(partition: Int, output: Int)
    /// 030
    case armAway(partition: Int)
    /// 031
    case armStay(partition: Int)
    /// 032
    case armZeroEntry(partition: Int)
    /// 033: as a code typed at a keypad; the panel decides on the mode, and its log names the code's user.
    case armWithCode(partition: Int, code: Secret)
    /// 040
    case disarm(partition: Int, code: Secret)
    /// 057: thermostats are told about as they change, and every some minutes.
    case temperatures
    /// 060
    case panic(PanelCommand.Panic)
    /// 071: one to six of `0-9 * #`.
    case keys(partition: Int, keys: Secret)
    /// 200: answers 900, 921, 922.
    case sendCode(Secret)

    /// As 500 names it.
    package var number: Int {
        switch self {
        case .poll: 0
        case .status: 1
        case .login: 5
        case .timers: 8
        case .clock: 10
        case .output: 20
        case .armAway: 30
        case .armStay: 31
        case .armZeroEntry: 32
        case .armWithCode: 33
        case .disarm: 40
        case .temperatures: 57
        case .panic: 60
        case .keys: 71
        case .sendCode: 200
        }
    }

    /// Three digits.
    package var code: String { number.padded(3) }

    /// The line as it goes out. Characters that are not printable ASCII are left out, so that no value can add a line;
    /// `fault` tells of them.
    package var bytes: [UInt8] {
        Frame.bytes(code: code, data: String(data.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }))
    }

    /// The line without checksum, for logs, events and the trace: never a password, user code or key.
    package var redacted: String { Redaction.payload(code: code, data: data) }

    private var data: String {
        switch self {
        case .poll, .status, .timers: ""
        case .login(let password): password.revealed
        case .clock(let clock):
            [clock.hour, clock.minute, clock.month, clock.day, clock.year].map { $0.padded() }.joined()
        case .output(let partition, let output): "\(partition)\(output)"
        case .armAway(let partition), .armStay(let partition), .armZeroEntry(let partition): "\(partition)"
        case .armWithCode(let partition, let code), .disarm(let partition, let code):
            "\(partition)\(code.revealed)"
        case .temperatures: "1"
        case .panic(let kind):
            switch kind {
            case .fire: "1"
            case .ambulance: "2"
            case .police: "3"
            }
        case .keys(let partition, let keys): "\(partition)\(keys.revealed)"
        case .sendCode(let code): code.revealed
        }
    }
}
