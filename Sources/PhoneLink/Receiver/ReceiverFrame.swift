package import AlarmModel
import PhoneProtocol

/// The outer form of every message of SIA DC-09, in both directions: a line feed, a checksum, the length, the message, a
/// carriage return.
package enum ReceiverFrame {
    /// Bytes of a message; ours have less than 300.
    package static let sizeLimit = 1024

    /// - Parameter message: from its first quotation mark on
    package static func bytes(_ message: String) -> [UInt8] {
        let message = Array(message.utf8)
        let head = Int(checksum(message)).padded(4, radix: 16, uppercase: true)
        let length = message.count.padded(4, radix: 16, uppercase: true)
        return [0x0A] + Array((head + length).utf8) + message + [0x0D]
    }

    /// CRC-16 with the polynomial 0x8005, from its lowest bit on.
    package static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xA001 : sum >> 1 }
        }
        return sum
    }

    /// `_HH:MM:SS,MM-DD-YYYY`, in UTC.
    package static func time(_ time: WallTime) -> String {
        let civil = CivilTime(secondsSince1970: time.seconds, offset: 0)
        return "\(civil.time),\(civil.month.padded())-\(civil.day.padded())-\(civil.year.padded(4))"
    }

    /// nil: it is no time of that form.
    package static func time(_ text: String) -> WallTime? {
        let bytes = Array(text.utf8)
        guard bytes.count == 19 else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            guard bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int(String(decoding: bytes[range], as: UTF8.self))
        }
        guard Array("::,--".utf8) == [2, 5, 8, 11, 14].map({ bytes[$0] }), let hour = number(0..<2),
            let minute = number(3..<5), let second = number(6..<8), let month = number(9..<11),
            let day = number(12..<14), let year = number(15..<19), hour < 24, minute < 60, second <= 60,
            (1...12).contains(month), year >= 1970, day >= 1,
            Int64(day) <= CivilDate.length(year: Int64(year), month: month)
        else { return nil }
        let days = CivilDate.days(year: Int64(year), month: month, day: Int64(day))
        return WallTime(milliseconds: (days * 86_400 + Int64(hour * 3600 + minute * 60 + second)) * 1000)
    }
}

/// Cuts what a receiver sends into answers.
package struct ReceiverReader: Codable, Equatable, Sendable {
    package enum Failure: String, Error, Codable, Equatable, Sendable, CaseIterable, CustomStringConvertible {
        case tooLong = "an answer without end"
        case noFrame = "what it sends is not of this protocol"
        case wrongSum = "an answer that was damaged on the way"
        package var description: String { rawValue }
    }

    private var input: [UInt8] = []
    private var failure: Failure?

    package init() {}

    package var hasRest: Bool { !input.isEmpty }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if failure == nil { input += bytes }
    }

    /// The next whole answer; nil: more bytes are needed. After a failure nothing is read any more.
    package mutating func next() throws(Failure) -> ReceiverAnswer? {
        if let failure { throw failure }
        guard let end = input.firstIndex(of: 0x0D) else {
            guard input.count <= ReceiverFrame.sizeLimit else { throw fail(.tooLong) }
            guard input.isEmpty || input[0] == 0x0A else { throw fail(.noFrame) }
            return nil
        }
        guard end <= ReceiverFrame.sizeLimit else { throw fail(.tooLong) }
        let frame = Array(input[..<end])
        input.removeFirst(end + 1)
        guard frame.count > 9, frame[0] == 0x0A, let sum = hexadecimal(frame[1..<5]),
            let length = hexadecimal(frame[5..<9])
        else { throw fail(.noFrame) }
        let message = frame[9...]
        guard length == message.count, UInt64(ReceiverFrame.checksum(message)) == sum else { throw fail(.wrongSum) }
        guard let answer = ReceiverAnswer(message) else { throw fail(.noFrame) }
        return answer
    }

    private func hexadecimal(_ bytes: ArraySlice<UInt8>) -> UInt64? { ReceiverAnswer.number(bytes, radix: 16) }

    private mutating func fail(_ failure: Failure) -> Failure {
        self.failure = failure
        input = []
        return failure
    }
}

/// What a receiver answers.
package struct ReceiverAnswer: Codable, Equatable, Sendable {
    package enum Word: String, Codable, Equatable, Sendable, CaseIterable {
        /// It has the message.
        case accepted = "ACK"
        /// It takes no message of that time.
        case wrongTime = "NAK"
        /// It understood nothing.
        case notUnderstood = "DUH"
    }
    package var word: Word
    package var isEncrypted: Bool
    /// 0…9999
    package var sequence: Int
    package var receiver: UInt64
    package var line: UInt64
    /// nil: it names none.
    package var account: UInt64?
    /// Behind the bracket; hexadecimal where it is encrypted.
    package var content: String

    /// nil: it is none.
    init?(_ message: ArraySlice<UInt8>) {
        guard message.allSatisfy({ (0x20...0x7E).contains($0) }), message.first == UInt8(ascii: "\"") else {
            return nil
        }
        var rest = message.dropFirst()
        isEncrypted = rest.first == UInt8(ascii: "*")
        if isEncrypted { rest.removeFirst() }
        guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")),
            let word = Word(rawValue: String(decoding: rest[..<quote], as: UTF8.self)),
            let bracket = rest.firstIndex(of: UInt8(ascii: "[")), bracket > quote
        else { return nil }
        self.word = word
        content = String(decoding: rest[(bracket + 1)...], as: UTF8.self)
        var address = rest[(quote + 1)..<bracket]
        guard let sequence = Self.number(address.prefix(4), radix: 10), address.count >= 4 else { return nil }
        self.sequence = Int(sequence)
        address = address.dropFirst(4)
        // An answer about the time names nobody, and receivers write its zeros as they like.
        guard word != .wrongTime else {
            (receiver, line, account) = (0, 0, nil)
            return
        }
        guard let receiver = Self.take("R", from: &address), let line = Self.take("L", from: &address) else {
            return nil
        }
        (self.receiver, self.line) = (receiver ?? 0, line ?? 0)
        guard let account = Self.take("#", from: &address), address.isEmpty else { return nil }
        self.account = account
    }

    /// The time behind the last mark of a time; nil: there is none.
    package var time: WallTime? { Self.time(in: content) }

    static func time(in content: String) -> WallTime? {
        content.lastIndex(of: "_").flatMap { ReceiverFrame.time(String(content[content.index(after: $0)...])) }
    }

    /// The number behind a mark; an inner nil: the mark is not there. nil: what is behind it is no number.
    private static func take(_ mark: Unicode.Scalar, from bytes: inout ArraySlice<UInt8>) -> UInt64?? {
        guard bytes.first == UInt8(ascii: mark) else { return .some(nil) }
        let digits = bytes.dropFirst().prefix { number([$0], radix: 16) != nil }
        guard let number = number(digits, radix: 16) else { return nil }
        bytes = bytes.dropFirst(1 + digits.count)
        return .some(number)
    }

    static func number(_ bytes: ArraySlice<UInt8>, radix: Int) -> UInt64? {
        guard (1...16).contains(bytes.count), bytes.first != UInt8(ascii: "+") else { return nil }
        return UInt64(String(decoding: bytes, as: UTF8.self), radix: radix)
    }
}
