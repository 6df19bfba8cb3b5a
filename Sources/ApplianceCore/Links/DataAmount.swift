/// Bytes for people: `512 kB`, `19.4 MB`.
package struct DataAmount: Equatable, Sendable, CustomStringConvertible {
    package var bytes: UInt64
    package init(_ bytes: UInt64) { self.bytes = bytes }

    package var description: String {
        let units: [(String, UInt64)] = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)]
        guard let (word, size) = units.first(where: { bytes >= $0.1 }) else { return "\(bytes) B" }
        let tenths = bytes / (size / 10)
        return tenths >= 1000 || tenths % 10 == 0 ? "\(tenths / 10) \(word)" : "\(tenths / 10).\(tenths % 10) \(word)"
    }
}
