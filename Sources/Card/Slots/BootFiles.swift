import Glibc
import Platform

/// The files that the board starts from. They lie on the owner's partition, which no update writes, so that the version that
/// runs puts those that it was made with in their place.
///
/// Guarantees: each file is whole at any moment (written beside, synced, renamed), and what the firmware starts changes last;
/// the owner's changes to a text (`config.txt`) stay; nothing is taken away. It is the caller's to ask only for a version
/// that has proved itself. Boot programs outside the partition (Pine A64) stay those of the day of flashing.
struct BootFiles {
    var card: CardDirectories
    /// Folder in the slot, with the list of what is in it.
    var source: String

    /// The list, in the form of sha256sum. On the card it is written last: where it is the same, so is the rest.
    static let list = "boot.sums"
    private static let longest = 16 * 1024 * 1024

    /// - Returns: the names of the files that were replaced
    func refresh() throws(SystemError) -> [String] {
        guard let wanted = try read("\(source)/\(Self.list)"), try read("\(card.card)/\(Self.list)") != wanted else {
            return []
        }
        let isOpened = try card.openCard()
        var replaced: [String] = []
        do throws(SystemError) {
            for name in Self.order(DirectoryList.names(in: source)) where try replace(name) { replaced.append(name) }
            try card.write(.card(Self.list), wanted)
        } catch {
            if isOpened { try? card.closeCard() }
            throw error
        }
        if isOpened { try card.closeCard() }
        return replaced
    }

    private func replace(_ name: String) throws(SystemError) -> Bool {
        let kept = try read("\(card.card)/\(name)")
        guard let wanted = try read("\(source)/\(name)"), kept != wanted, kept == nil || !name.hasSuffix(".txt") else {
            return false
        }
        try card.write(.card(name), wanted)
        return true
    }

    /// The script for slots of before goes first, because the boot script may ask for it.
    private static func order(_ names: [String]) -> [String] {
        let ends = (first: ["slot.scr", "boot.scr"], last: ["u-boot.bin"])
        let others = names.filter { !ends.first.contains($0) && !ends.last.contains($0) && $0 != list }
        return (ends.first + others.sorted() + ends.last).filter(names.contains)
    }

    /// nil: there is no such file.
    private func read(_ path: String) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try FileReader.read(path, limit: Self.longest)
        } catch {
            guard error.number == ENOENT else { throw error }
            return nil
        }
    }
}
