package import AlarmModel

/// A phone's transport keys and what it does with them. Secret: printing it shows nothing.
package struct PhoneChannel: Equatable, Sendable {
    package let phone: PhoneID
    private let up: [UInt8]
    private let down: [UInt8]
    private let bind: [UInt8]

    package init(_ keys: PairingKeys) {
        phone = keys.phone
        up = keys.up
        down = keys.down
        bind = keys.bind
    }

    /// Reads what `bytes` gave.
    package init(bytes: [UInt8]) throws(FormatError) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == Self.version else { throw .value("the version") }
        phone = PhoneID(try reader.uint64())
        up = try reader.take(32)
        down = try reader.take(32)
        bind = try reader.take(32)
        try reader.end()
    }

    /// For the phone's key chain.
    package var bytes: [UInt8] { [Self.version] + phone.bytes + up + down + bind }

    package func seal<C: Crypto>(_ request: PhoneRequest, _ crypto: inout C) throws(PhoneSealingError) -> [UInt8] {
        try seal(body: try Self.written(request.bytes), &crypto)
    }

    /// Signs with the key that the command names; `signer` must hold that one.
    package func seal<C: Crypto>(
        _ command: PhoneCommand, signer: some Signer, _ crypto: inout C
    ) throws(PhoneSealingError) -> [UInt8] {
        let unsigned = try unsigned(command)
        return try seal(unsigned, signature: signer.sign(bytesToSign(unsigned)), &crypto)
    }

    /// The body of an envelope with this command.
    package func signed(_ command: PhoneCommand, signer: some Signer) throws(PhoneSealingError) -> [UInt8] {
        let unsigned = try unsigned(command)
        return try Self.signed(unsigned, signer.sign(bytesToSign(unsigned)))
    }

    /// The first of two steps, where a key answers later: the command without its signature.
    package func unsigned(_ command: PhoneCommand) throws(PhoneSealingError) -> [UInt8] {
        try Self.written(command.unsignedBytes)
    }

    /// What the key of such a command signs.
    package func bytesToSign(_ unsigned: [UInt8]) -> [UInt8] {
        PhoneCommand.signedBytes(unsigned, bind: bind, phone: phone)
    }

    /// The second step; `signature` is nil when there is none.
    package func seal<C: Crypto>(
        _ unsigned: [UInt8], signature: [UInt8]?, _ crypto: inout C
    ) throws(PhoneSealingError) -> [UInt8] {
        try seal(body: try Self.signed(unsigned, signature), &crypto)
    }

    private static func signed(_ unsigned: [UInt8], _ signature: [UInt8]?) throws(PhoneSealingError) -> [UInt8] {
        guard let signature, (try? CommandSignature(bytes: signature)) != nil else { throw .notSigned }
        return unsigned + signature
    }

    /// An envelope of the box for this phone.
    package func open(_ envelope: [UInt8], _ crypto: some Crypto) throws(UnopenedReason) -> BoxMessage {
        let header = try Envelope.header(of: envelope)
        guard header.direction == .down else { throw .notOurs }
        guard header.phone == phone else { throw .unknownPhone }
        let body = try Envelope.open(envelope, key: down, crypto)
        guard let message = try? BoxMessage(bytes: body) else { throw .malformed }
        return message
    }

    private func seal<C: Crypto>(body: [UInt8], _ crypto: inout C) throws(PhoneSealingError) -> [UInt8] {
        let header = Envelope.Header(direction: .up, phone: phone)
        guard let envelope = Envelope.seal(body, header, key: up, &crypto) else {
            throw .unwritable(.tooLong("the message"))
        }
        return envelope
    }

    private static func written(_ write: () throws(FormatError) -> [UInt8]) throws(PhoneSealingError) -> [UInt8] {
        do throws(FormatError) {
            return try write()
        } catch {
            throw .unwritable(error)
        }
    }

    private static let version: UInt8 = 1
}

extension PhoneChannel: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the channel of phone \(phone)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a phone could not send something.
package enum PhoneSealingError: Error, Equatable, Sendable, CustomStringConvertible {
    case unwritable(FormatError)
    /// The owner did not consent, or the key is not there.
    case notSigned

    package var description: String {
        switch self {
        case .unwritable(let error): "this cannot be sent: \(error)"
        case .notSigned: "not signed; unlock the phone and try again"
        }
    }
}
