import AlarmModel
import Glibc
import Platform

/// Reads codes and passphrases from places that nobody else can see.
enum SecretInput {
    private static let longest = 1024

    /// The first line of a file.
    static func file(_ path: String) throws(SecretInputError) -> Secret {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileReader.read(path, limit: longest * 4)
        } catch {
            throw .notReadable(error)
        }
        return try secret(bytes.prefix { $0 != 10 && $0 != 13 })
    }

    /// The first line of standard input.
    static func standardInput() throws(SecretInputError) -> Secret {
        var line: [UInt8] = []
        while let byte = readByte(STDIN_FILENO), byte != 10 {
            guard line.count < longest else { throw .tooLong }
            if byte != 13 { line.append(byte) }
        }
        return try secret(line[...])
    }

    /// Asks on the terminal, without echo; Ctrl-C gives up.
    static func terminal(_ prompt: String) throws(SecretInputError) -> Secret {
        let device = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard device >= 0 else { throw .noTerminal }
        defer { close(device) }
        var before = termios()
        guard tcgetattr(device, &before) == 0 else { throw .noTerminal }
        var quiet = before
        // Byte by byte and without signals: an interruption must not leave the terminal without echo.
        quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(device, TCSAFLUSH, &quiet) == 0 else { throw .noTerminal }
        defer {
            tcsetattr(device, TCSAFLUSH, &before)
            say("\n", on: device)
        }
        say("\(prompt): ", on: device)
        return try secret(try typedLine(on: device)[...])
    }

    private static func typedLine(on device: Int32) throws(SecretInputError) -> [UInt8] {
        var line: [UInt8] = []
        while let byte = readByte(device) {
            switch byte {
            case 10, 13: return line
            case 3, 4, 28: throw .givenUp
            case 8, 127:
                // One character, however many bytes it takes in UTF-8.
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            case 21: line = []
            default:
                guard line.count < longest else { throw .tooLong }
                line.append(byte)
            }
        }
        throw .givenUp
    }

    private static func secret(_ line: ArraySlice<UInt8>) throws(SecretInputError) -> Secret {
        guard !line.isEmpty else { throw .empty }
        guard line.count <= longest else { throw .tooLong }
        guard let text = String(validating: line, as: UTF8.self) else { throw .notText }
        return Secret(text)
    }

    private static func readByte(_ descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count == 1 { return byte }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    private static func say(_ text: String, on descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}

/// Why there is no code or passphrase; never says what was typed.
enum SecretInputError: Error, Equatable, Sendable, CustomStringConvertible {
    case notReadable(SystemError)
    case noTerminal
    case givenUp
    case empty
    case tooLong
    case notText
    case differ
    case tooShort(Int)

    var description: String {
        switch self {
        case .notReadable(let error): "cannot read the secret: \(error)"
        case .noTerminal: "there is no terminal to ask on; give the secret in a file or on standard input"
        case .givenUp: "given up; nothing was done"
        case .empty: "nothing was given; nothing was done"
        case .tooLong: "what was given is too long; nothing was done"
        case .notText: "what was given is not UTF-8 text; nothing was done"
        case .differ: "the two passphrases differ; try again"
        case .tooShort(let least): "the passphrase needs at least \(least) characters; choose a longer one"
        }
    }
}
