package import PhoneProtocol

/// What is in the slots and which of them runs, for people and for programs that may not read the disk.
package struct SlotReport: Codable, Equatable, Sendable {
    package struct Slot: Codable, Equatable, Sendable {
        package var slot: BootSlot
        package var tries: Int
        /// nil when it has no whole trailer.
        package var version: String?

        package init(slot: BootSlot, tries: Int, version: String?) {
            self.slot = slot
            self.tries = tries
            self.version = version
        }
    }

    package var running: BootSlot
    package var good: BootSlot
    package var first: BootSlot
    /// A, then B.
    package var slots: [Slot]

    package init(running: BootSlot, state: SlotState, versions: [BootSlot: String]) {
        self.running = running
        good = state.good
        first = state.first
        slots = BootSlot.allCases.map { Slot(slot: $0, tries: state.tries($0), version: versions[$0]) }
    }

    package var state: SlotState {
        var state = SlotState(first: first, triesA: 0, triesB: 0, good: good)
        for slot in slots { state.setTries(slot.slot, slot.tries) }
        return state
    }

    package func version(of slot: BootSlot) -> String? { slots.first { $0.slot == slot }?.version }

    package var json: JSON {
        .object([
            "running": .string(running.rawValue), "good": .string(good.rawValue), "first": .string(first.rawValue),
            "trial": .bool(state.isTrial(running)),
            "slots": .array(
                slots.map { slot in
                    .object([
                        "slot": .string(slot.slot.rawValue), "tries": .integer(Int64(slot.tries)),
                        "version": slot.version.map { .string($0) },
                    ])
                }),
        ])
    }

    /// nil when it is none.
    package init?(file: [UInt8]) {
        guard let json = try? JSON(parsing: file, limits: JSON.Limits(depth: 6, bytes: 16 * 1024)),
            let running = Self.slot(json["running"]), let good = Self.slot(json["good"]),
            let first = Self.slot(json["first"]), let list = json["slots"]?.arrayValue, list.count == 2
        else { return nil }
        slots = list.compactMap { item in
            guard let slot = Self.slot(item["slot"]), let tries = item["tries"]?.integerValue,
                (0...255).contains(tries)
            else { return nil }
            return Slot(slot: slot, tries: Int(tries), version: item["version"]?.stringValue)
        }
        guard slots.map(\.slot) == BootSlot.allCases else { return nil }
        self.running = running
        self.good = good
        self.first = first
    }

    private static func slot(_ json: JSON?) -> BootSlot? { json?.stringValue.flatMap { BootSlot(rawValue: $0) } }

    /// For people, a line for each slot.
    package var lines: [String] {
        slots.map { slot in
            var notes: [String] = []
            if slot.slot == running { notes.append("runs") }
            if slot.slot == good {
                notes.append("good")
            } else if slot.slot == running {
                notes.append("on trial")
            }
            notes.append(slot.tries == 1 ? "1 try left" : "\(slot.tries) tries left")
            if slot.slot == first { notes.append("started first") }
            return "\(slot.slot.rawValue)  \(slot.version ?? "empty or damaged")  (\(notes.joined(separator: ", ")))"
        }
    }
}
