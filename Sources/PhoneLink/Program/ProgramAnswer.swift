import AlarmModel
package import PhoneProtocol

/// What the runner says about a program, as one line of JSON. The request is one line too:
/// `{"program":NAME,"message":ID,"limit":SECONDS,"event":{…}}`.
package enum ProgramAnswer: Equatable, Sendable {
    case exited(Int)
    case killed(signal: Int)
    /// Its time was over, and it and its children were killed.
    case overtime
    /// There is no such program, or it may not be run; in words.
    case refused(String)
    /// Too many run already, or the program's file is being written: to be tried again.
    case busy

    package var json: JSON {
        switch self {
        case .exited(let status): .object(["exit": .integer(Int64(status))])
        case .killed(let signal): .object(["signal": .integer(Int64(signal))])
        case .overtime: .object(["overtime": .bool(true)])
        case .refused(let why): .object(["refused": .string(why)])
        case .busy: .object(["busy": .bool(true)])
        }
    }

    /// nil: it is none of them.
    package init?(_ json: JSON) {
        if let status = json["exit"]?.integerValue, (0...255).contains(status) {
            self = .exited(Int(status))
        } else if let signal = json["signal"]?.integerValue, (1...64).contains(signal) {
            self = .killed(signal: Int(signal))
        } else if json["overtime"] == .bool(true) {
            self = .overtime
        } else if let why = json["refused"]?.stringValue {
            self = .refused(PeerText.printable(why))
        } else if json["busy"] == .bool(true) {
            self = .busy
        } else {
            return nil
        }
    }

    /// The name of a file in the directory of programs: letters, digits, `.`, `-` and `_`, not beginning with a dot.
    package static func isProgramName(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count), !name.hasPrefix("."), !name.hasPrefix("-") else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
