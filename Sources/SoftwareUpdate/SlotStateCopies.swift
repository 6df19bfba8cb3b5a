/// The two copies of the slot state on the card, and how a change of it is written so that power may go at any moment.
///
/// Guarantees: a copy that is being written is never the newer one, unless the form of before is in use. It does not know
/// whether the card keeps what is written.
package struct SlotStateCopies: Equatable, Sendable {
    /// The form that the boot program (`boot.scr` on the owner's partition) reads and writes.
    package enum Form: CaseIterable, Sendable {
        /// Both copies lie in one erase block and are written one after the other; the first whole one counts. Boot programs
        /// that say nothing of their form.
        case pair
        /// Each copy lies in an erase block of its own and has a number. The one with the higher number counts, and only the
        /// other is written. Boot programs that say `howalarming.state=2`.
        case numbered

        /// Where the copies begin on the disk, in bytes. The first place is the same in both, so that software and boot
        /// programs of before find a state.
        package var places: [Int] {
            switch self {
            case .pair: [0x6000 * 512, 0x6008 * 512]
            case .numbered: [0x6000 * 512, 0x4000 * 512]
            }
        }
    }

    /// A copy that is to be written, by its index in the form's places.
    package struct Write: Equatable, Sendable {
        package var copy: Int
        package var block: [UInt8]
    }

    package let form: Form
    package private(set) var state: SlotState
    /// The copy that counts, and its number; nil if none is whole, or if it was written in the form of before.
    private var newest: Newest?

    private struct Newest: Equatable, Sendable {
        var copy: Int
        var number: UInt32
    }

    /// - Parameter copies: in the order of the form's places; empty where nothing could be read
    package init(_ copies: [[UInt8]], form: Form) {
        self.form = form
        let states = copies.map { SlotState(block: $0) }
        let numbers = copies.map { SlotState.number(inBlock: $0) }
        let whole = states.indices.filter { states[$0] != nil }
        var chosen = whole.first
        // A whole first copy without a number was written last, by software of before.
        if form == .numbered, let first = chosen, numbers[first] != nil {
            chosen = whole.max { numbers[$0] ?? 0 < numbers[$1] ?? 0 }
        }
        state = chosen.flatMap { states[$0] } ?? .initial
        newest = chosen.flatMap { copy in numbers[copy].map { Newest(copy: copy, number: $0) } }
    }

    /// The writes that change the state on the card, each to be durable before the next.
    package mutating func change(to state: SlotState) -> [Write] {
        self.state = state
        switch form {
        case .pair: return form.places.indices.map { Write(copy: $0, block: state.block()) }
        case .numbered: break
        }
        // The first copy last: as long as it has no number it counts.
        let copies = newest.map { [1 - $0.copy] } ?? [1, 0]
        return copies.map { copy in
            let number = (newest?.number ?? 0) &+ 1
            newest = Newest(copy: copy, number: number)
            return Write(copy: copy, block: state.block(number: number))
        }
    }
}
