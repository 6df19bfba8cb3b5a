import Glibc

/// On which disk of the machine a file lies, as the kernel's file system /sys tells it.
package enum DiskLocation {
    /// The device file of the whole disk; nil when the file lies on none.
    package static func disk(of path: String, sys: String = "/sys", devices: String = "/dev") -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let device = UInt64(status.st_dev)
        let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
        let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
        return name("\(sys)/dev/block/\(major):\(minor)", depth: 0).map { "\(devices)/\($0)" }
    }

    /// A verified or otherwise mapped device stands on another, a partition in its disk.
    private static func name(_ entry: String, depth: Int) -> String? {
        guard depth < 8, let place = resolved(entry) else { return nil }
        if let lower = DirectoryList.names(in: "\(place)/slaves").first {
            return name("\(place)/slaves/\(lower)", depth: depth + 1)
        }
        var parts = place.split(separator: "/")
        if access("\(place)/partition", F_OK) == 0 { _ = parts.popLast() }
        return parts.last.map(String.init)
    }

    private static func resolved(_ path: String) -> String? {
        guard let place = realpath(path, nil) else { return nil }
        defer { free(place) }
        return String(cString: place)
    }

    /// The device file of a partition: `sda2`, `mmcblk0p2`.
    package static func partition(_ number: Int, of disk: String) -> String {
        disk.last.map { $0.isNumber } ?? false ? "\(disk)p\(number)" : "\(disk)\(number)"
    }
}

/// The names in a directory.
package enum DirectoryList {
    /// In order; empty when it cannot be read.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
