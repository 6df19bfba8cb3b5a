import AlarmModel
import ApplianceCore

extension World {
    /// In every second house.
    mutating func drawEdits(for span: Duration) {
        var chance = Jitter(seed: seed ^ 0x6F_77_6E_65_72)
        guard chance.next() % 2 == 0 else { return }
        for (time, edit) in OwnerEdit.draw(for: span, from: &chance, channels: hosts.kinds) {
            agenda.add(.fault(.edit(edit)), at: time)
        }
    }

    mutating func inject(_ edit: OwnerEdit) throws(Violation) {
        if case .mistake = edit { return try feed(.reload(.refused(["simulated: line 7, column 3: unknown key"]))) }
        edit.change(&configuration, whole: wholeConfiguration)
        if case .channel(let kind, let isThere) = edit { hosts.takeOut(kind, !isThere, at: now) }
        try feed(.reload(.configuration(configuration)))
    }

    /// What was wrong or taken out is mended.
    mutating func endEdits() throws(Violation) {
        guard configuration != wholeConfiguration else { return }
        configuration = wholeConfiguration
        hosts.putAllBack(at: now)
        try feed(.reload(.configuration(configuration)))
    }
}
