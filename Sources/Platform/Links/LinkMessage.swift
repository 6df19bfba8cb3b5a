package import AlarmModel

/// One message of the kernel's routing socket (rtnetlink(7)), as far as interfaces and their addresses need it.
package struct LinkMessage: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// RTM_NEWLINK. `flags` are those of netdevice(7); `traffic` is bytes received and sent.
        case interface(index: Int32, name: String, flags: UInt32, traffic: UInt64)
        /// RTM_NEWADDR. `flags` are IFA_F_…, `scope` is of rtnetlink(7): 0 everywhere, 253 this network, 254 this host.
        case address(index: Int32, address: IPAddress, scope: UInt8, flags: UInt32)
        /// The dump is complete.
        case end
        /// The request failed, with the error number.
        case failure(Int32)
        /// Anything else.
        case other
    }

    /// Of the request that it answers; 0 for what nobody asked for.
    package var sequence: UInt32
    /// The tables changed while they were dumped: what came may not fit together.
    package var isInterrupted: Bool
    package var content: Content

    package init(sequence: UInt32, isInterrupted: Bool, content: Content) {
        self.sequence = sequence
        self.isInterrupted = isInterrupted
        self.content = content
    }

    /// The messages of one datagram; nil when it is cut off or contradicts itself.
    package static func parse(_ datagram: [UInt8]) -> [LinkMessage]? {
        var messages: [LinkMessage] = []
        var rest = Fields(datagram[...])
        while !rest.bytes.isEmpty {
            guard let length = rest.word(at: 0), let kind = rest.half(at: 4), let flags = rest.half(at: 6),
                let sequence = rest.word(at: 8), length >= headerSize, length <= rest.bytes.count,
                let content = content(kind: kind, rest.part(from: headerSize, to: Int(length)))
            else { return nil }
            messages.append(
                LinkMessage(sequence: sequence, isInterrupted: flags & dumpInterrupted != 0, content: content))
            rest = rest.part(from: aligned(Int(length)), to: rest.bytes.count)
        }
        return messages
    }

    // MARK: What is in a message

    private static let headerSize = 16
    private static let dumpInterrupted: UInt16 = 0x10

    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

    private static func content(kind: UInt16, _ body: Fields) -> Content? {
        switch kind {
        case 2: body.word(at: 0).map { $0 == 0 ? .other : .failure(Int32(truncatingIfNeeded: 0 &- $0)) }
        case 3: .some(ending(body))
        case 16: interface(body)
        case 20: address(body)
        default: .other
        }
    }

    /// The end of a dump carries an error number when the dump broke off.
    private static func ending(_ body: Fields) -> Content {
        guard let status = body.word(at: 0), status >> 31 == 1 else { return .end }
        return .failure(Int32(truncatingIfNeeded: 0 &- status))
    }

    private static func interface(_ body: Fields) -> Content? {
        guard let family = body.byte(at: 0), let index = body.word(at: 4), let flags = body.word(at: 8),
            let attributes = body.attributes(from: 16)
        else { return nil }
        // A bridge tells of its ports under a family of its own; those are not the interfaces.
        guard family == 0, let name = attributes.first(where: { $0.kind == 3 })?.body.text else { return .other }
        var traffic: UInt64 = 0
        if let statistics = attributes.first(where: { $0.kind == 23 })?.body {
            traffic = (statistics.long(at: 16) ?? 0) &+ (statistics.long(at: 24) ?? 0)
        }
        return .interface(index: Int32(truncatingIfNeeded: index), name: name, flags: flags, traffic: traffic)
    }

    private static func address(_ body: Fields) -> Content? {
        guard let shortFlags = body.byte(at: 2), let scope = body.byte(at: 3), let index = body.word(at: 4),
            let attributes = body.attributes(from: 8)
        else { return nil }
        // Where there is a peer, IFA_ADDRESS (1) is the peer's and IFA_LOCAL (2) ours.
        let found = attributes.first { $0.kind == 2 } ?? attributes.first { $0.kind == 1 }
        guard let found, let address = IPAddress(bytes: Array(found.body.bytes)) else { return .other }
        let longFlags = attributes.first { $0.kind == 8 }.flatMap { $0.body.word(at: 0) }
        return .address(
            index: Int32(truncatingIfNeeded: index), address: address, scope: scope,
            flags: longFlags ?? UInt32(shortFlags))
    }

    /// Bytes with numbers in the machine's own order; what lies outside reads as nil.
    private struct Fields {
        var bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

        func byte(at offset: Int) -> UInt8? { number(at: offset) }
        func half(at offset: Int) -> UInt16? { number(at: offset) }
        func word(at offset: Int) -> UInt32? { number(at: offset) }
        func long(at offset: Int) -> UInt64? { number(at: offset) }

        /// What there is of the part.
        func part(from start: Int, to end: Int) -> Fields { Fields(bytes.prefix(end).dropFirst(start)) }

        /// Up to the first zero byte.
        var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

        /// nil when an attribute is cut off.
        func attributes(from start: Int) -> [(kind: UInt16, body: Fields)]? {
            var found: [(kind: UInt16, body: Fields)] = []
            var rest = part(from: start, to: bytes.count)
            while !rest.bytes.isEmpty {
                guard let length = rest.half(at: 0), let kind = rest.half(at: 2), length >= 4,
                    length <= rest.bytes.count
                else { return nil }
                // The upper two bits are flags of nested and foreign-ordered attributes.
                found.append((kind & 0x3FFF, rest.part(from: 4, to: Int(length))))
                rest = rest.part(from: aligned(Int(length)), to: rest.bytes.count)
            }
            return found
        }

        private func number<Number: FixedWidthInteger>(at offset: Int) -> Number? {
            let size = MemoryLayout<Number>.size
            guard offset >= 0, bytes.count >= size, offset <= bytes.count - size else { return nil }
            return bytes.dropFirst(offset).withUnsafeBytes { $0.loadUnaligned(as: Number.self) }
        }
    }
}
