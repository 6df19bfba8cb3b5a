import PhoneProtocol

/// Takes a bundle in pieces, cut anywhere.
///
/// Guarantees: keeps no more than the head, which is bounded; the chunks of a part are exactly its bytes in their order.
package struct BundleReader: Equatable, Sendable {
    package enum Item: Equatable, Sendable {
        /// Nothing of it is checked but its form.
        case header(BundleHeader)
        /// Bytes of the part with this index of the manifest.
        case chunk(part: Int, ArraySlice<UInt8>)
        case partEnded(Int)
        /// The last part has ended.
        case ended
    }

    private enum Place: Equatable, Sendable {
        case mark
        case manifestCount
        case manifest(count: Int)
        /// The line end after the manifest.
        case manifestEnd
        case signatureCount
        case signatures(left: Int)
        case part(Int, left: Int)
        case end
    }

    private var place = Place.mark
    /// The part of a line or of the manifest that has come.
    private var partial: [UInt8] = []
    private var manifestBytes: [UInt8] = []
    private var manifest: BundleManifest?
    private var signatures: [BundleHeader.Signature] = []
    private var failure: BundleError?

    private static let longestLine = 256

    package init() {}

    /// Nothing but the end may come.
    package var isOver: Bool { place == .end }

    /// After an error every further piece gives the same error.
    package mutating func take(_ bytes: ArraySlice<UInt8>, into items: inout [Item]) throws(BundleError) {
        if let failure { throw failure }
        do throws(BundleError) {
            var rest = bytes
            while !rest.isEmpty { try step(&rest, into: &items) }
        } catch {
            failure = error
            throw error
        }
    }

    /// No more bytes come.
    package func finish() throws(BundleError) {
        if let failure { throw failure }
        switch place {
        case .end: return
        case .mark: throw .notABundle
        case .part(let index, let left):
            let later = (manifest?.parts ?? []).dropFirst(index + 1).reduce(0) { $0 + $1.bytes }
            throw .cut(missing: left + later)
        case .manifestCount, .manifest, .manifestEnd, .signatureCount, .signatures: throw .cut(missing: nil)
        }
    }

    private mutating func step(_ rest: inout ArraySlice<UInt8>, into items: inout [Item]) throws(BundleError) {
        switch place {
        case .mark:
            guard let line = try takeLine(&rest, or: .notABundle) else { return }
            guard line.elementsEqual(BundleHeader.mark.utf8) else { throw .notABundle }
            place = .manifestCount
        case .manifestCount:
            guard let line = try takeLine(&rest, or: .head("the size of the manifest")) else { return }
            guard let count = Self.number(line), (2...BundleManifest.longest).contains(count) else {
                throw .head("the size of the manifest")
            }
            place = .manifest(count: count)
        case .manifest(let count):
            let piece = rest.prefix(count - partial.count)
            partial += piece
            rest = rest.dropFirst(piece.count)
            guard partial.count == count else { return }
            manifestBytes = partial
            partial = []
            manifest = try BundleManifest(manifestBytes)
            place = .manifestEnd
        case .manifestEnd:
            guard rest.popFirst() == 10 else { throw .head("the end of the manifest") }
            place = .signatureCount
        case .signatureCount:
            guard let line = try takeLine(&rest, or: .head("the number of signatures")) else { return }
            guard let count = Self.number(line), (0...BundleHeader.mostSignatures).contains(count) else {
                throw .head("the number of signatures")
            }
            try signaturesLeft(count, into: &items)
        case .signatures(let left):
            guard let line = try takeLine(&rest, or: .head("a signature")) else { return }
            signatures.append(try BundleHeader.Signature(line: line))
            try signaturesLeft(left - 1, into: &items)
        case .part(let index, let left):
            let piece = rest.prefix(left)
            rest = rest.dropFirst(piece.count)
            items.append(.chunk(part: index, piece))
            place = .part(index, left: left - piece.count)
            if left == piece.count {
                items.append(.partEnded(index))
                begin(part: index + 1, into: &items)
            }
        case .end: throw .trailing
        }
    }

    private mutating func signaturesLeft(_ count: Int, into items: inout [Item]) throws(BundleError) {
        place = .signatures(left: count)
        guard count == 0, let manifest else { return }
        items.append(
            .header(BundleHeader(manifest: manifest, manifestBytes: manifestBytes, signatures: signatures)))
        begin(part: 0, into: &items)
    }

    private mutating func begin(part index: Int, into items: inout [Item]) {
        let parts = manifest?.parts ?? []
        if parts.indices.contains(index) {
            place = .part(index, left: parts[index].bytes)
        } else {
            place = .end
            items.append(.ended)
        }
    }

    /// A line without its end; nil while it has not ended.
    private mutating func takeLine(
        _ rest: inout ArraySlice<UInt8>, or error: BundleError
    ) throws(BundleError) -> [UInt8]? {
        while let byte = rest.popFirst() {
            guard byte != 10 else {
                defer { partial = [] }
                return partial
            }
            partial.append(byte)
            guard partial.count <= Self.longestLine else { throw error }
        }
        return nil
    }

    /// Digits without a leading zero.
    private static func number(_ line: [UInt8]) -> Int? {
        guard (1...9).contains(line.count), line.allSatisfy({ (48...57).contains($0) }),
            line.count == 1 || line.first != 48
        else { return nil }
        return Int(String(decoding: line, as: UTF8.self))
    }
}
