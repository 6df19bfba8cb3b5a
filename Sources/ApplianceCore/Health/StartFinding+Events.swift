import AlarmModel

extension Step {
    /// A finding of the start becomes an event.
    mutating func note(_ finding: StartFinding) {
        switch finding {
        case .storeDamaged(let file, let why):
            note(
                .fault, .storeDamaged,
                "The journal was damaged (\(why)); it is kept as \(file) and a new one was begun. Replace the card if this happens again."
            )
        case .storeUnavailable(let why):
            note(.fault, .storeFailed, "The store could not be opened: \(why). It is tried again.")
        case .snapshotUnreadable(let why):
            note(
                .fault, .storeDamaged,
                "The last known state could not be read (\(why)); it is being asked from the panel.")
        case .checkUnfinished:
            note(.info, .started, "The check of the journal was cut short; nothing wrong was found so far.")
        case .safeMode(let crashes, let setAside):
            note(
                .fault, .safeMode,
                "Safe mode after \(crashes) crashes within five minutes: the last known state was ignored, \(setAside) suspect rows were set aside and kept."
            )
        case .searchUnfinished:
            note(
                .info, .safeMode,
                "The search for suspect rows was cut short: the newest rows were looked at, the others stay as they are."
            )
        case .crashed:
            note(.fault, .started, "The last run ended by a crash; nothing that was stored is lost.")
        case .phoneFileDamaged(let why):
            note(
                .fault, .storeDamaged,
                "The file with the phones was damaged (\(why)). Look at \(Hint.phones.atBox); pair again what is missing."
            )
        // What the reset changes tells of it itself.
        case .consolePINReset: break
        case .consolePINNotReset(let why):
            note(
                .fault, .consolePIN,
                "The console's PIN was not reset, because the file reset-pin cannot be removed (\(why)). Make its directory writable for the daemon, then restart."
            )
        case .restoredFromBackup:
            note(.info, .storeRestoredFromBackup, "The journal was restored from a backup.")
        }
    }
}
