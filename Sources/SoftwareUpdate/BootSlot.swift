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

    /// Words of the boot loader on the kernel's command line: `howalarming.slot=A`, the slot that it started, and
    /// `howalarming.good=A`, the one whose software has proved itself.
    package enum Word: String { case slot, good }

    package init?(commandLine: String, _ word: Word = .slot) {
        let key = "howalarming.\(word.rawValue)="
        let words = commandLine.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == "\t" })
        guard let word = words.last(where: { $0.hasPrefix(key) }) else { return nil }
        self.init(rawValue: String(word.dropFirst(key.count)))
    }
}
