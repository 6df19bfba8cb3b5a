/// What the boot loader goes by: in which order it tries the slots, and how often each.
///
/// The boot loader takes the first slot of the order with tries left, counts it down, stores that and boots it; when none
/// is left it gives each `fullTries` again and boots the good one at once, because a card that can no longer be written
/// would not keep them.
package struct SlotState: Codable, Equatable, Sendable {
    /// Tried first.
    package var first: BootSlot
    package var triesA: Int
    package var triesB: Int
    /// Marked good last: its software has proved itself.
    package var good: BootSlot

    /// Of software that has still to prove itself.
    package static let fullTries = 3
    /// Of software that has: power that comes and goes, again and again within minutes, is no reason to fall back.
    package static let goodTries = 9

    /// What holds where both copies are damaged, and on a fresh card: what is in A is what its builder calls good.
    package static let initial = SlotState(first: .a, triesA: goodTries, triesB: fullTries, good: .a)

    package init(first: BootSlot, triesA: Int, triesB: Int, good: BootSlot) {
        self.first = first
        self.triesA = triesA
        self.triesB = triesB
        self.good = good
    }

    package var order: [BootSlot] { [first, first.other] }

    package func tries(_ slot: BootSlot) -> Int {
        switch slot {
        case .a: triesA
        case .b: triesB
        }
    }

    package mutating func setTries(_ slot: BootSlot, _ count: Int) {
        switch slot {
        case .a: triesA = count
        case .b: triesB = count
        }
    }

    /// The software in this slot has still to prove itself.
    package func isTrial(_ running: BootSlot) -> Bool { good != running }

    /// Another slot was to be started first, and it has used up its tries.
    package func hasFallenBack(to running: BootSlot) -> Bool {
        first != running && good == running && tries(first) == 0
    }

    /// The good software is to be started first and something else runs: it had used up its tries. What runs in its place
    /// is older, or unproved.
    package func isStandIn(_ running: BootSlot) -> Bool { first != running && good == first }

    // MARK: Changes

    /// Before the idle slot is written, or when the card has damaged it: it is not started until it is written again.
    package mutating func retire(_ idle: BootSlot) {
        first = idle.other
        setTries(idle, 0)
        setTries(idle.other, Self.goodTries)
        good = idle.other
    }

    /// The idle slot is whole: it is tried first, and the one that runs stays what it falls back to.
    package mutating func activate(_ idle: BootSlot) {
        first = idle
        setTries(idle, Self.fullTries)
        setTries(idle.other, Self.goodTries)
        good = idle.other
    }

    /// The software in this slot has proved itself.
    package mutating func markGood(_ slot: BootSlot) {
        first = slot
        setTries(slot, Self.goodTries)
        good = slot
    }

    /// The good software, which power that came and went has used up, is started again at the next start.
    package mutating func restoreGood() { setTries(good, Self.goodTries) }

    /// What the boot loader does at a start: the slot that it boots, counted down here. For tests and explanations.
    package mutating func boot() -> BootSlot {
        var slot = tries(first) > 0 ? first : first.other
        if tries(.a) <= 0, tries(.b) <= 0 {
            triesA = Self.fullTries
            triesB = Self.fullTries
            slot = good
        }
        setTries(slot, tries(slot) - 1)
        return slot
    }
}
