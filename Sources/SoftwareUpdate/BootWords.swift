/// Words of the boot program (`image/boot.cmd`) on the kernel's command line.
package struct BootWords: Equatable, Sendable {
    /// The slot that was started; nil on a machine without slots.
    package var slot: BootSlot?
    /// The slot whose software has proved itself.
    package var good: BootSlot?
    /// The form in which that boot program keeps the slot state.
    package var stateForm: SlotStateCopies.Form

    package init(commandLine: String) {
        var told: [Substring: Substring] = [:]
        for word in commandLine.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == "\t" }) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { told[parts[0]] = parts[1] }
        }
        slot = told["howalarming.slot"].flatMap { BootSlot(rawValue: String($0)) }
        good = told["howalarming.good"].flatMap { BootSlot(rawValue: String($0)) }
        stateForm = told["howalarming.state"] == "2" ? .numbered : .pair
    }

    /// True if the software that runs is the one that has proved itself.
    package var isProved: Bool { slot != nil && slot == good }
}
