import AlarmModel
import ApplianceCore

extension World {
    func inject(_ edit: OwnerEdit) throws(Violation) {
        if case .mistake = edit { return try feed(.reload(.refused(["simulated: line 7, column 3: unknown key"]))) }
        ownersFile.change(edit)
        if case .channel(let kind, let isThere) = edit { hosts.takeOut(kind, !isThere, at: now) }
        try feed(.reload(.configuration(ownersFile.configuration)))
    }

    /// What was wrong or taken out is mended.
    func endEdits() throws(Violation) {
        guard ownersFile.mend() else { return }
        hosts.putAllBack(at: now)
        try feed(.reload(.configuration(ownersFile.configuration)))
    }
}
