package import AlarmModel
import CLinux
import Glibc

/// A call to the operating system that failed.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call: "open", "bind".
    package var call: String
    /// The error number, for instance ENOENT.
    package var number: Int32
    /// The path, address or name that it was about; empty when there is none.
    package var subject: String

    package init(call: String, number: Int32, subject: String = "") {
        self.call = call
        self.number = number
        self.subject = subject
    }

    /// From `errno`; to be made right after the call.
    package static func last(_ call: String, _ subject: String = "") -> SystemError {
        SystemError(call: call, number: errno, subject: subject)
    }

    package var description: String {
        let reason = String(cString: ha_error_text(number))
        return subject.isEmpty ? "\(call) failed: \(reason)" : "\(subject): \(reason) (\(call))"
    }
}

/// Repeats a call that a signal interrupted: the one place where EINTR is known.
/// The result is negative when the call failed, and `errno` then says why.
func uninterrupted<Value: SignedInteger>(_ body: () -> Value) -> Value {
    while true {
        let value = body()
        if value >= 0 || errno != EINTR { return value }
    }
}

/// The result of a call, or its error.
func checked<Value: SignedInteger>(
    _ call: String, _ subject: String = "", _ body: () -> Value
) throws(SystemError) -> Value {
    let value = uninterrupted(body)
    guard value >= 0 else { throw .last(call, subject) }
    return value
}

extension ConnectionEnd {
    /// What an error number of connect, send or receive says about the connection.
    package init(systemErrorNumber number: Int32) {
        switch number {
        case ECONNREFUSED: self = .refused
        case ECONNRESET, EPIPE, ECONNABORTED: self = .reset
        case ETIMEDOUT: self = .timedOut
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ENODEV, EADDRNOTAVAIL: self = .unreachable
        default: self = .failed(errno: number)
        }
    }
}
