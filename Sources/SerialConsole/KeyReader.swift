import CommandKit

/// Bytes of a terminal become keys, however they are cut. Bytes that are no key are passed over.
///
/// An Esc is told from the beginning of a sequence by what follows, or by nothing following: then `nothingFollowed`.
package struct KeyReader: Equatable, Sendable {
    private enum State: Equatable {
        case ground
        case escape
        /// `ESC [` and what came of its parameters.
        case sequence([UInt8])
        /// `ESC O`: the next byte ends it.
        case single
        /// `ESC [ [`, a function key of Linux' own console: the next byte ends it and means nothing.
        case functionKey
        /// The first bytes of a character and how many are missing.
        case character([UInt8], missing: Int)
    }

    private var state = State.ground
    private var endsWithReturn = false
    private static let parameterLimit = 16

    package init() {}

    /// Something has begun that may have no end.
    package var isWaiting: Bool { state != .ground }

    package mutating func take(_ byte: UInt8, into keys: inout [ConsoleKey]) {
        let followsReturn = endsWithReturn
        endsWithReturn = false
        switch state {
        case .ground: begin(byte, followsReturn: followsReturn, into: &keys)
        case .escape:
            switch byte {
            case UInt8(ascii: "["): state = .sequence([])
            case UInt8(ascii: "O"): state = .single
            default:
                state = .ground
                keys.append(.escape)
                begin(byte, followsReturn: false, into: &keys)
            }
        case .single:
            state = .ground
            guard byte >= 0x20 else { return begin(byte, followsReturn: false, into: &keys) }
            if let key = Self.final(byte, []) { keys.append(key) }
        case .functionKey:
            state = .ground
            if byte < 0x20 { begin(byte, followsReturn: false, into: &keys) }
        case .sequence(let parameters): take(byte, after: parameters, into: &keys)
        case .character(let bytes, let missing):
            guard byte & 0xC0 == 0x80 else {
                state = .ground
                return begin(byte, followsReturn: false, into: &keys)
            }
            let all = bytes + [byte]
            state = missing > 1 ? .character(all, missing: missing - 1) : .ground
            guard missing == 1, let text = String(validating: all, as: UTF8.self), text.count == 1,
                let character = text.first, Text.printable(text) == text
            else { return }
            keys.append(.character(character))
        }
    }

    /// For a moment nothing came behind what has begun.
    package mutating func nothingFollowed(into keys: inout [ConsoleKey]) {
        if state == .escape { keys.append(.escape) }
        state = .ground
    }

    private mutating func begin(_ byte: UInt8, followsReturn: Bool, into keys: inout [ConsoleKey]) {
        switch byte {
        case 0x1B: state = .escape
        case 13:
            endsWithReturn = true
            keys.append(.enter)
        case 10: if !followsReturn { keys.append(.enter) }
        case 8, 127: keys.append(.backspace)
        case 3, 4: keys.append(.interrupt)
        case 12: keys.append(.redraw)
        case 0x20...0x7E: keys.append(.character(Character(Unicode.Scalar(byte))))
        case 0xC2...0xDF: state = .character([byte], missing: 1)
        case 0xE0...0xEF: state = .character([byte], missing: 2)
        case 0xF0...0xF4: state = .character([byte], missing: 3)
        default: break
        }
    }

    private mutating func take(_ byte: UInt8, after parameters: [UInt8], into keys: inout [ConsoleKey]) {
        switch byte {
        case 0x20...0x3F:
            // What is too long is read to its end and means nothing.
            state = .sequence(parameters.count <= Self.parameterLimit ? parameters + [byte] : parameters)
        case UInt8(ascii: "[") where parameters.isEmpty: state = .functionKey
        case 0x40...0x7E:
            state = .ground
            if parameters.count <= Self.parameterLimit, let key = Self.final(byte, parameters) { keys.append(key) }
        default:
            state = .ground
            begin(byte, followsReturn: false, into: &keys)
        }
    }

    private static func final(_ byte: UInt8, _ parameters: [UInt8]) -> ConsoleKey? {
        let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
            Int(String(decoding: part, as: UTF8.self))
        }
        switch byte {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "M") where parameters.isEmpty: return .enter
        case UInt8(ascii: "R"):
            guard numbers.count == 2, let row = numbers[0], let column = numbers[1], row > 0, column > 0 else {
                return nil
            }
            return .cursor(row: row, column: column)
        case UInt8(ascii: "~"):
            switch numbers.first ?? nil {
            case 1, 7: return .home
            case 4, 8: return .end
            case 5: return .pageUp
            case 6: return .pageDown
            default: return nil
            }
        default: return nil
        }
    }
}
