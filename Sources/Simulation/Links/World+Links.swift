import AlarmModel
import ApplianceCore
import Uplinks

/// The links, where the house has some.
extension World {
    func carriedOutByLinks(_ effect: Effect) -> Bool {
        let here = standpoint
        return uplinks?.carriesOut(effect, at: here, &agenda) ?? false
    }

    func isHeldUp(_ happening: Happening) -> Bool {
        let now = now
        return uplinks?.holdsUp(happening, at: now) ?? false
    }

    func inject(_ fault: LinkFault) {
        let now = now
        uplinks?.inject(fault, at: now)
        lookAtLinks()
    }

    func lookAtLinks() {
        let here = standpoint
        uplinks?.look(at: here, &agenda)
    }

    func checkLinkEvents(_ batch: Batch) throws(Violation) {
        let (here, wall) = (standpoint, moment.wall)
        try uplinks?.checkEvents(of: batch, wall: wall, from: here)
    }

    func checkLateAlarms() throws(Violation) {
        let here = standpoint
        let isServed = running != nil && ownersFile.hasItsAccount
        try uplinks?.checkLateAlarms(isServed: isServed, store, from: here)
    }
}
