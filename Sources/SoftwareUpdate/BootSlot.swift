/// One of the two places for a root file system with its kernel.
package enum BootSlot: String, Codable, Hashable, Sendable, CaseIterable {
    case a = "A"
    case b = "B"

    package var other: BootSlot {
        switch self {
        case .a: .b
        case .b: .a
        }
    }

    /// Its partition of the disk.
    package var partition: Int {
        switch self {
        case .a: 2
        case .b: 3
        }
    }
}
