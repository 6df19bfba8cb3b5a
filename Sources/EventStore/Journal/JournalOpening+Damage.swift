/// A new journal in the place of a damaged one.
///
/// It is made beside it, under a name of its own. Not before it holds all that can be taken over and is on the card does
/// the damaged one leave its place. So whenever the power goes, the next start finds the damaged journal where it was,
/// and begins again; or none there, and the new one whole.
extension JournalOpening {
    private var newPath: String { path + ".new" }

    func startAnew(after damage: StoreError, _ loss: Loss?) throws(StoreError) -> Opened {
        let files = DamagedFiles(directory: directory)
        let kept = try files.nextName()
        do throws(StoreError) {
            try makeNew(after: damage, loss, keptAs: kept)
            try StateFile.syncDirectory(of: newPath)
        } catch {
            try? StateFile.remove(newPath)
            throw error
        }
        try files.setAside(as: kept)
        try takePlace()
        // Written a moment ago.
        return try openExisting(nil, checkWithin: .zero)
    }

    /// What an earlier start may have left: a new journal that it could not finish, or one that needs only its place.
    func finishStartingAnew() throws(StoreError) {
        guard let size = try StateFile.size(of: newPath) else { return }
        guard try StateFile.size(of: path) == nil, size > 0 else { return try StateFile.remove(newPath) }
        try DamagedFiles(directory: directory).finishSettingAside()
        try takePlace()
    }

    private func takePlace() throws(StoreError) {
        try StateFile.move(newPath, to: path)
        try StateFile.syncDirectory(of: path)
    }

    /// Nothing counts before the end: so only the last transaction is synced, and what undoes the others is in memory.
    /// That leaves no log and no other file beside the new one.
    private func makeNew(after damage: StoreError, _ loss: Loss?, keptAs kept: String) throws(StoreError) {
        let activity = "making \(newPath)"
        try StateFile.make(newPath)
        let database = try Database(
            path: newPath, access: .readWrite, busyTimeout: options.busyTimeout, vfs: options.vfs)
        try limitSize(of: database)
        try database.execute(
            "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY", doing: activity)
        _ = try options.schema.migrate(database)
        // Of a journal that is behind the log number, commits are missing; so they are after a loss.
        let known = LogNumber.stored(in: directory) ?? LogNumber(0)
        let salvage = Salvage(database: database, damagedPath: path)
        let count = try salvage.run(within: options.salvageLimit, countersSince: loss == nil ? known : nil)
        let number = loss?.log ?? nextLogNumber
        try database.execute("PRAGMA synchronous = FULL", doing: activity)
        try database.transaction(doing: activity) { () throws(StoreError) in
            try database.execute(
                """
                UPDATE meta SET last_seq = coalesce((SELECT max(seq) FROM events), 0),
                last_duress = coalesce((SELECT max(seq) FROM duress), 0), log = \(number.number)
                """, doing: activity)
            try SalvageMark.leave(
                .damagedSetAside(file: kept, why: damage.description, salvagedEvents: count), in: database)
        }
    }
}
