package import AlarmModel

/// What lies between box and phone on every channel: sealed, of three sizes only (docs/pairing.md 5).
///
///     02 ‖ type ‖ id (8) ‖ salt (16) ‖ ChaCha20-Poly1305( lp16(body) ‖ zeros )
package enum Envelope {
    package enum Direction: UInt8, Hashable, Sendable, CaseIterable {
        case up = 0x10
        case down = 0x20
    }

    package struct Header: Equatable, Sendable {
        package var direction: Direction
        package var phone: PhoneID

        package init(direction: Direction, phone: PhoneID) {
            self.direction = direction
            self.phone = phone
        }
    }

    /// Bytes of an envelope.
    package static let sizes = [256, 512, 1024]
    /// Bytes of the biggest body.
    package static let bodyLimit = 980

    /// What can be read without a key. Other lengths than the three are refused unread.
    package static func header(of envelope: [UInt8]) throws(UnopenedReason) -> Header {
        guard sizes.contains(envelope.count) else { throw .notOurs }
        guard envelope[0] <= version else { throw .newerVersion }
        guard envelope[0] == version, let direction = Direction(rawValue: envelope[1]),
            let phone = PhoneID(bytes: envelope[2..<10])
        else { throw .notOurs }
        return Header(direction: direction, phone: phone)
    }

    /// With a fresh random salt; the key is that of the direction. nil when the body is too long.
    package static func seal<C: Crypto>(_ body: [UInt8], _ header: Header, key: [UInt8], _ crypto: inout C) -> [UInt8]?
    {
        seal(body, header, key: key, salt: crypto.random(saltCount), crypto)
    }

    /// Never twice the same salt for different bodies.
    package static func seal(
        _ body: [UInt8], _ header: Header, key: [UInt8], salt: [UInt8], _ crypto: some Crypto
    ) -> [UInt8]? {
        guard body.count <= bodyLimit, salt.count == saltCount,
            let size = sizes.first(where: { body.count <= $0 - overhead })
        else { return nil }
        var plain = ByteWriter()
        plain.uint16(UInt16(body.count))
        plain.raw(body)
        plain.raw([UInt8](repeating: 0, count: size - overhead - body.count))
        let head = [version, header.direction.rawValue] + header.phone.bytes + salt
        let (cipherKey, nonce) = keys(key, salt: salt, crypto)
        guard let sealed = crypto.sealChaCha20Poly1305(plain.bytes, key: cipherKey, nonce: nonce, additional: head)
        else { return nil }
        return head + sealed
    }

    /// The body. `newerVersion`, `notOurs`, `sealBroken`, or `malformed` when the padding is not of zeros.
    package static func open(_ envelope: [UInt8], key: [UInt8], _ crypto: some Crypto) throws(UnopenedReason) -> [UInt8]
    {
        _ = try header(of: envelope)
        let head = Array(envelope[..<headCount])
        let (cipherKey, nonce) = keys(key, salt: Array(envelope[10..<headCount]), crypto)
        guard
            let plain = crypto.openChaCha20Poly1305(
                Array(envelope[headCount...]), key: cipherKey, nonce: nonce, additional: head)
        else { throw .sealBroken }
        do throws(FormatError) {
            var reader = ByteReader(plain)
            let body = try reader.lp16()
            guard reader.rest().allSatisfy({ $0 == 0 }) else { throw .value("the padding") }
            return body
        } catch {
            throw .malformed
        }
    }

    private static func keys(
        _ key: [UInt8], salt: [UInt8], _ crypto: some Crypto
    ) -> (key: [UInt8], nonce: [UInt8]) {
        let all = HKDF.derive(key, salt: salt, info: Array("HA2 msg 1".utf8), count: 44, crypto)
        return (Array(all[..<32]), Array(all[32...]))
    }

    private static let version: UInt8 = 2
    private static let saltCount = 16
    private static let headCount = 26
    /// Head, length and tag.
    private static let overhead = 44
}
