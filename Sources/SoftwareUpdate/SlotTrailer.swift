import PhoneProtocol

/// The last 4096 bytes of a slot: what is in it, and where its verification tree lies. Without a whole trailer a slot
/// is not valid.
package struct SlotTrailer: Equatable, Sendable {
    package var board: String
    package var version: String
    /// Blocks of 4096 bytes that are verified.
    package var dataBlocks: Int
    /// Where the tree begins, in bytes from the begin of the slot.
    package var hashOffset: Int
    /// Of the tree, lower-case hexadecimal.
    package var rootHash: String
    package var salt: String

    package static let byteCount = 4096
    /// The first line.
    package static let mark = "howalarming-slot 1"

    package init(
        board: String, version: String, dataBlocks: Int, hashOffset: Int, rootHash: String, salt: String
    ) {
        self.board = board
        self.version = version
        self.dataBlocks = dataBlocks
        self.hashOffset = hashOffset
        self.rootHash = rootHash
        self.salt = salt
    }

    /// Text, zeros, and the CRC32 (little-endian) of all before it.
    package var bytes: [UInt8] {
        let text =
            "\(Self.mark)\nboard=\(board)\nversion=\(version)\ndata_blocks=\(dataBlocks)\nhash_offset=\(hashOffset)\n"
            + "root_hash=\(rootHash)\nsalt=\(salt)\n"
        var bytes = Array(text.utf8.prefix(Self.byteCount - 4))
        bytes += [UInt8](repeating: 0, count: Self.byteCount - 4 - bytes.count)
        return bytes + CRC32.littleEndian(CRC32.of(bytes))
    }

    package init(_ bytes: [UInt8]) throws(BundleError) {
        guard bytes.count == Self.byteCount else { throw .trailer("it has not \(Self.byteCount) bytes") }
        let content = bytes[..<(Self.byteCount - 4)]
        guard CRC32.littleEndian(CRC32.of(content)) == Array(bytes[(Self.byteCount - 4)...]) else {
            throw .trailer("its checksum is wrong")
        }
        let text = content.prefix { $0 != 0 }
        guard content.dropFirst(text.count).allSatisfy({ $0 == 0 }) else {
            throw .trailer("something follows after its text")
        }
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst(), first.elementsEqual(Self.mark.utf8) else {
            throw .trailer("it does not begin with '\(Self.mark)'")
        }
        func field(_ name: String) throws(BundleError) -> String {
            let key = Array("\(name)=".utf8)
            let found = lines.filter { $0.starts(with: key) }
            guard found.count == 1, let line = found.first else { throw .trailer("'\(name)' is not there once") }
            let value = line.dropFirst(key.count)
            guard !value.isEmpty, value.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .trailer("'\(name)' has no value that is allowed")
            }
            return String(decoding: value, as: UTF8.self)
        }
        func number(_ name: String) throws(BundleError) -> Int {
            guard let number = Int(try field(name)), number >= 0 else { throw .trailer("'\(name)' is no number") }
            return number
        }
        func hexadecimal(_ name: String) throws(BundleError) -> String {
            let value = try field(name)
            guard (try? Hex.decode(value)) != nil else { throw .trailer("'\(name)' is not hexadecimal") }
            return value
        }
        self.init(
            board: try field("board"), version: try field("version"), dataBlocks: try number("data_blocks"),
            hashOffset: try number("hash_offset"), rootHash: try hexadecimal("root_hash"),
            salt: try hexadecimal("salt"))
    }
}
