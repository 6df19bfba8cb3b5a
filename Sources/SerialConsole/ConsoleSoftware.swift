import Card
import Platform
import SoftwareUpdate

/// What the console shows of versions: the slots, how far an update is, and whether a stick is plugged in.
struct ConsoleSoftware: Equatable, Sendable {
    var slots: SlotReport?
    var status: UpdateStatus?
    var isStickPlugged = false

    init(slots: SlotReport? = nil) { self.slots = slots }

    mutating func look(places: UpdatePlaces = UpdatePlaces(), sticks: StickPlaces = StickPlaces()) {
        slots = SlotCommand.written()
        status = places.status.flatMap { try? FileReader.read($0, limit: 16 * 1024) }
            .flatMap { UpdateStatus(file: $0) }
        isStickPlugged = sticks.isPlugged
    }
}
