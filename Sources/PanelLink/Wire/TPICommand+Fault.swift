import AlarmModel

extension TPICommand {
    /// Why a command cannot be sent as it is; the sentence never shows the value.
    package enum Fault: Codable, Equatable, Sendable, CustomStringConvertible {
        case partition(Int)
        case output(Int)
        case userCode
        case keys
        case password
        case clock

        package var description: String {
            switch self {
            case .partition(let number): "there is no partition \(number); DSC panels have partitions 1 to 8"
            case .output(let number): "there is no output \(number); a partition has outputs 1 to 4"
            case .userCode: "a user code has 4 to 6 digits; nothing was sent"
            case .keys: "a key string has 1 to 6 of the keys 0-9 * #; nothing was sent"
            case .password: "the module's password must have 1 or more printable ASCII characters; correct it"
            case .clock: "this is not a time of day and date that the panel can be set to; nothing was sent"
            }
        }
    }

    /// nil when the module can take it (docs/envisalink.md 2.1).
    package var fault: Fault? {
        switch self {
        case .poll, .status, .timers, .temperatures, .panic: nil
        case .login(let password):
            !password.revealed.isEmpty && password.revealed.utf8.allSatisfy { (0x20...0x7E).contains($0) }
                ? nil : .password
        case .clock(let clock):
            (0...23).contains(clock.hour) && (0...59).contains(clock.minute) && (1...12).contains(clock.month)
                && (1...31).contains(clock.day) && (0...99).contains(clock.year) ? nil : .clock
        case .output(let partition, let output):
            Self.fault(partition) ?? ((1...4).contains(output) ? nil : .output(output))
        case .armAway(let partition), .armStay(let partition), .armZeroEntry(let partition): Self.fault(partition)
        case .armWithCode(let partition, let code), .disarm(let partition, let code):
            Self.fault(partition) ?? Self.fault(code)
        case .keys(let partition, let keys):
            Self.fault(partition) ?? (Self.isKeys(keys.revealed) ? nil : .keys)
        case .sendCode(let code): Self.fault(code)
        }
    }

    private static func fault(_ partition: Int) -> Fault? { (1...8).contains(partition) ? nil : .partition(partition) }

    private static func fault(_ code: Secret) -> Fault? {
        let digits = code.revealed.utf8
        return (4...6).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) } ? nil : .userCode
    }

    private static func isKeys(_ keys: String) -> Bool {
        (1...6).contains(keys.utf8.count)
            && keys.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2A || $0 == 0x23 }
    }
}
