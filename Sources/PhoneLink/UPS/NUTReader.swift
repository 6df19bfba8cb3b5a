package import AlarmModel

/// What upsd answers to one line (RFC 9271, 4).
package enum NUTAnswer: Codable, Equatable, Sendable {
    case ok
    /// `VAR UPS NAME "VALUE"`
    case variable(ups: String, name: String, value: String)
    case refused(NUTRefusal)
}

/// What stands behind `ERR`.
package enum NUTRefusal: Codable, Equatable, Sendable {
    case accessDenied
    case unknownUPS
    /// This UPS does not have that variable.
    case notSupported
    /// The server has not heard of the UPS for a while.
    case stale
    /// The program that speaks to the UPS does not run.
    case driverGone
    /// In words of the server, which are not kept: it knows a password.
    case other

    fileprivate init(_ word: String) {
        switch word {
        case "ACCESS-DENIED": self = .accessDenied
        case "UNKNOWN-UPS": self = .unknownUPS
        case "VAR-NOT-SUPPORTED": self = .notSupported
        case "DATA-STALE": self = .stale
        case "DRIVER-NOT-CONNECTED": self = .driverGone
        default: self = .other
        }
    }
}

/// Cuts what upsd sends into answers: lines of words, which may stand in quotes with `\` before what is meant as it is.
package struct NUTReader: Codable, Equatable, Sendable {
    package enum Failure: String, Error, Codable, Equatable, Sendable, CaseIterable, CustomStringConvertible {
        case lineTooLong = "a line without end"
        case unknown = "an answer that upsd does not give"
        package var description: String { rawValue }
    }

    /// Without its end. NUT's own buffers hold 512 bytes of a value.
    package static let lineLimit = 1024
    /// More than any answer has that is asked for.
    private static let wordLimit = 16
    private var input: [UInt8] = []
    private var failure: Failure?

    package init() {}

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if failure == nil { input += bytes }
    }

    /// More has come than the answers that were read.
    package var hasRest: Bool { !input.isEmpty }

    /// The next whole answer; nil: more bytes are needed. After a failure nothing is read any more.
    package mutating func next() throws(Failure) -> NUTAnswer? {
        if let failure { throw failure }
        guard let end = input.firstIndex(of: 0x0A) else {
            if input.count > Self.lineLimit { throw fail(.lineTooLong) }
            return nil
        }
        guard end <= Self.lineLimit else { throw fail(.lineTooLong) }
        var line = Array(input[..<end])
        if line.last == 0x0D { line.removeLast() }
        input.removeFirst(end + 1)
        guard let words = Self.words(line), let answer = Self.answer(words) else { throw fail(.unknown) }
        return answer
    }

    private static func answer(_ words: [String]) -> NUTAnswer? {
        switch (words.first, words.count) {
        case ("OK", _): .ok
        case ("VAR", 4): .variable(ups: words[1], name: words[2], value: words[3])
        case ("ERR", 2...): .refused(NUTRefusal(words[1]))
        default: nil
        }
    }

    /// nil: a quote has no end, or there are too many words.
    private static func words(_ line: [UInt8]) -> [String]? {
        var words: [String] = []
        var word: [UInt8]?
        var (isQuoted, isEscaped) = (false, false)
        for byte in line {
            switch byte {
            case _ where isEscaped:
                word = (word ?? []) + [byte]
                isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                word = word ?? []
            case UInt8(ascii: " ") where !isQuoted:
                if let word { words.append(String(decoding: word, as: UTF8.self)) }
                word = nil
            default: word = (word ?? []) + [byte]
            }
        }
        guard !isQuoted, !isEscaped else { return nil }
        if let word { words.append(String(decoding: word, as: UTF8.self)) }
        return words.count <= wordLimit ? words : nil
    }

    private mutating func fail(_ failure: Failure) -> Failure {
        self.failure = failure
        input = []
        return failure
    }

    /// A word as it has to stand in a line to upsd.
    package static func quoted(_ word: String) -> String {
        let special: [Unicode.Scalar] = ["\"", "\\", " ", "#", "=", "'"]
        guard word.isEmpty || word.unicodeScalars.contains(where: special.contains) else { return word }
        return "\""
            + word.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}

extension UPSReading {
    /// Longer than any battery lasts that stands in a house.
    private static let longestRuntime = 7 * 24 * 3600

    /// - Parameters:
    ///   - status: `ups.status`: words such as `OL CHRG`
    ///   - charge: `battery.charge`, in percent; what makes no sense is left out
    ///   - runtime: `battery.runtime`, in seconds
    /// - Returns: nil: the status does not say what feeds it
    package init?(status: String, charge: String?, runtime: String?) {
        let flags = status.split(separator: " ").prefix(32)
        let supply: Supply
        if flags.contains("FSD") {
            supply = .low
        } else if flags.contains("OB"), !flags.contains("LB"), flags.contains("CAL") {
            // The UPS tests its battery (RFC 9271, 5.1): mains is there.
            supply = .mains
        } else if flags.contains("OB") {
            supply = flags.contains("LB") ? .low : .battery
        } else if flags.contains("OL") {
            supply = .mains
        } else {
            return nil
        }
        let percent = charge.flatMap { Self.whole($0) }
        self.init(
            supply, isEnding: flags.contains("FSD"), charge: percent.flatMap { (0...100).contains($0) ? $0 : nil },
            runtime: runtime.flatMap { Self.whole($0) }.map { .seconds(min($0, Self.longestRuntime)) })
    }

    /// `2520` and `2520.00`.
    private static func whole(_ text: String) -> Int? {
        let digits = text.prefix { $0 != "." }
        guard (1...9).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }
}
