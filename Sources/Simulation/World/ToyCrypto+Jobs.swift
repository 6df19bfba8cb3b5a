import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// What the shell computes for the core.
extension ToyCrypto {
    /// As much of the cryptography as a channel needs to be simulated.
    static func answer(_ job: TransportJob, _ chance: inout Jitter) -> TransportAnswer {
        switch job {
        case .random(let count): .bytes((0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) })
        case .signRS256(_, let message), .hmacSHA256(_, let message): .bytes(Array(message.prefix(32)))
        case .capabilities(let count):
            .capabilities(
                (0..<count).map { _ in
                    let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
                    return MadeCapability(bytes: bytes, stored: bytes.reversed())
                })
        case .capability(let bytes): .bytes(bytes.reversed())
        case .scram(_, let password, let salt, _, _):
            .scram(
                proof: ToyCrypto.scram(password, salt).proof,
                serverSignature: ToyCrypto.scram(password, salt).serverSignature)
        case .channelBinding: .failed("not simulated")
        case .pushKey: .bytes([4] + [UInt8](repeating: 7, count: 64))
        case .signPush(let input): .bytes(Array((input + [UInt8](repeating: 0, count: 64)).prefix(64)))
        // Readable, as all of this: the message, and zeros up to the size.
        case .sealPush(let content, _, _, let size):
            content.count <= size
                ? .bytes(content + [UInt8](repeating: 0, count: size - content.count)) : .failed("too long")
        }
    }

    /// A PIN that is kept as it is.
    static func answer(_ job: PINJob) -> PINAnswer {
        switch job {
        case .make(let pin):
            .made(ConsolePIN(logN: 1, blockSize: 1, parallel: 1, salt: [], hash: Array(pin.revealed.utf8)))
        case .check(let pin, let kept): .matches(Array(pin.revealed.utf8) == kept.hash)
        }
    }
}
