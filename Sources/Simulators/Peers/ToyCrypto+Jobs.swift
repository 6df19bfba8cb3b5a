package import AlarmModel
import ApplianceCore
import PhoneLink
package import PhoneProtocol

/// What the shell computes for the core.
extension ToyCrypto {
    /// As much of the cryptography as a channel needs to be simulated.
    package static func answer(_ job: TransportJob, _ chance: inout Jitter) -> TransportAnswer {
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
        case .pushKey: .bytes(pushKey)
        case .signPush(let input): .bytes(signature(of: input, publicKey: pushKey))
        case .sealPush(let content, let point, let secret, let size):
            sealPush(content, point, secret, size).map { .bytes($0) } ?? .failed("too long")
        case .sealReport(_, let text):
            .bytes(([UInt8](repeating: 0x41, count: 31 - (text.utf8.count + 15) % 16) + text.utf8).map { $0 ^ 0x5A })
        case .openReport(_, let bytes): .bytes(bytes.map { $0 ^ 0x5A })
        }
    }

    // MARK: Browsers' pushes

    /// Of the box, with which it signs for push services.
    private static let pushKey = [4] + [UInt8](repeating: 7, count: 64)

    package static func verifiesPush(_ input: [UInt8], _ signature: [UInt8], _ key: [UInt8]) -> Bool {
        signature == self.signature(of: input, publicKey: key)
    }

    /// In the outer form of RFC 8188 and RFC 8291, and readable: the content, the mark of the last record, zeros up to
    /// the size, and a tag that only whoever knows the subscription can make.
    static func sealPush(_ content: [UInt8], _ point: [UInt8], _ secret: String, _ size: Int) -> [UInt8]? {
        let salt = stretch(digest(content, 8), 16)
        let head = salt + [0, 0, 16, 0, 65, 4] + stretch(digest(salt, 9), 64)
        let room = size - head.count - 16 - content.count - 1
        guard room >= 0 else { return nil }
        let record = head + content + [2] + [UInt8](repeating: 0, count: room)
        return record + pushTag(record, point, secret)
    }

    /// nil: it was made for another subscription, or is none.
    package static func openPush(_ body: [UInt8], _ point: [UInt8], _ secret: String) -> [UInt8]? {
        let record = body.dropLast(16)
        guard body.count > 86 + 16, Array(body.suffix(16)) == pushTag(Array(record), point, secret),
            let end = record.lastIndex(where: { $0 != 0 }), end >= 86, record[end] == 2
        else { return nil }
        return Array(record[86..<end])
    }

    private static func pushTag(_ record: [UInt8], _ point: [UInt8], _ secret: String) -> [UInt8] {
        stretch(digest(record, digest(point + Array(secret.utf8), 7)), 16)
    }

    /// A PIN that is kept as it is.
    package static func answer(_ job: PINJob) -> PINAnswer {
        switch job {
        case .make(let pin):
            .made(ConsolePIN(logN: 1, blockSize: 1, parallel: 1, salt: [], hash: Array(pin.revealed.utf8)))
        case .check(let pin, let kept): .matches(Array(pin.revealed.utf8) == kept.hash)
        }
    }
}
