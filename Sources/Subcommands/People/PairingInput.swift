import AlarmModel
import Reports

/// Keys, or bytes from a pipe, become the six digits.
struct PairingInput {
    enum Event: Equatable {
        case digits(Secret)
        /// Enter without six digits.
        case incomplete
        case givenUp
    }

    private(set) var typed = ""

    mutating func take(_ byte: UInt8) -> Event? {
        switch byte {
        case 3, 4, 28: return .givenUp
        case 8, 127: if !typed.isEmpty { typed.removeLast() }
        case 21: typed = ""
        case 10, 13: return enter()
        case 48...57: if typed.utf8.count < 6 { typed.unicodeScalars.append(Unicode.Scalar(byte)) }
        default: break
        }
        return nil
    }

    /// Enter, or the end of the input. Nothing typed is nothing.
    mutating func enter() -> Event? {
        defer { typed = "" }
        guard !typed.isEmpty else { return nil }
        return PairingDigits(typed).map { .digits($0.code) } ?? .incomplete
    }
}
