extension JSON {
    /// Bounds of what a text may cost us.
    package struct Limits: Codable, Equatable, Sendable {
        /// Arrays and objects within each other; a bare scalar has depth 0. At most 256, because parsing recurses.
        package var depth: Int
        package var bytes: Int
        package init(depth: Int, bytes: Int) {
            self.depth = min(depth, 256)
            self.bytes = bytes
        }
        package static let standard = Limits(depth: 32, bytes: 1 << 20)
    }

    /// Reads exactly one value; whitespace around it is allowed, a byte order mark is not.
    package init(parsing bytes: [UInt8], limits: Limits = .standard) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw .syntax(offset: limits.bytes, .tooLong) }
        var parser = JSONParser(bytes: bytes, depthLimit: limits.depth)
        self = try parser.document()
    }

    package init(parsing text: String, limits: Limits = .standard) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}
