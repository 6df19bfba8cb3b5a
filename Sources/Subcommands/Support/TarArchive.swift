/// Files in one file: the ustar form of tar(1) (POSIX.1-1988), which everything opens. Readable by its owner only.
struct TarArchive {
    private(set) var bytes: [UInt8] = []
    /// Seconds since 1970.
    private let time: Int64

    init(time: Int64) { self.time = max(0, time) }

    /// - Parameter name: at most 99 bytes of ASCII
    mutating func add(_ name: String, _ content: [UInt8]) {
        precondition((1...99).contains(name.utf8.count), "names in the archive are ours and short")
        var header: [UInt8] = []
        func put(_ text: String, _ width: Int) {
            let field = Array(text.utf8.prefix(width))
            header += field + [UInt8](repeating: 0, count: width - field.count)
        }
        put(name, 100)
        put(Self.octal(0o600, 7), 8)
        put(Self.octal(0, 7), 8)
        put(Self.octal(0, 7), 8)
        put(Self.octal(Int64(content.count), 11), 12)
        put(Self.octal(time, 11), 12)
        // The checksum counts itself as blanks.
        put("        ", 8)
        put("0", 1)
        put("", 100)
        put("ustar", 6)
        put("00", 2)
        put("", 32)
        put("", 32)
        put(Self.octal(0, 7), 8)
        put(Self.octal(0, 7), 8)
        put("", 155 + 12)
        let sum = header.reduce(Int64(0)) { $0 + Int64($1) }
        header.replaceSubrange(148..<156, with: Array(Self.octal(sum, 6).utf8) + [0, 32])
        bytes += header + content
        bytes += [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    /// With the two empty blocks that end an archive.
    var complete: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }

    private static func octal(_ number: Int64, _ width: Int) -> String {
        let digits = String(number, radix: 8)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
