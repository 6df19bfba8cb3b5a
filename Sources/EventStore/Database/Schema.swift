import AlarmModel

/// The tables of the journal, as numbered steps. Steps are only ever appended, and a step only adds: so a program
/// that was rolled back can go on with a file that a newer one has written.
package struct Schema: Sendable {
    package var migrations: [String]

    package init(migrations: [String] = Schema.steps) { self.migrations = migrations }

    /// "HowA", in the file's header: how other tools tell this file from other databases.
    package static let applicationID: Int64 = 0x486F_7741

    /// Columns of an event, the same in `events` and `duress`.
    static let eventColumns = "\(firstEventColumns), about"

    /// Those that a file of an older version has.
    ///
    /// - Parameter schema: as its database is attached
    static func eventColumns(of schema: String = "main", in database: Database) -> String {
        hasAbout(schema, database) ? eventColumns : firstEventColumns
    }

    /// Since step 3.
    private static func hasAbout(_ schema: String, _ database: Database) -> Bool {
        (try? database.prepare("SELECT about FROM \(schema).events", doing: "looking at the tables")) != nil
    }

    private static let firstEventColumns =
        "seq, time, time_trusted, type, code, raw, message, \"partition\", partition_name, zone, zone_name, user, user_name, flags, flap_count, command, unstored"

    /// The same in the same order for `JournalReader.page`, brief.
    static func briefEventColumns(in database: Database) -> String {
        """
        seq, time, time_trusted, type, code, '', \(ofFew("message", "''")), "partition", \(ofFew("partition_name", "NULL")),
        zone, \(ofFew("zone_name", "NULL")), user, user_name, flags, flap_count, command, unstored,
        \(hasAbout("main", database) ? "about" : "NULL")
        """
    }

    private static func ofFew(_ column: String, _ other: String) -> String {
        "iif(type = '\(EventType.info.rawValue)' AND length(code) = 3, \(other), \(column))"
    }

    /// Brings an empty or older file to this schema; a newer one stays as it is.
    ///
    /// - Returns: the version of the file afterwards.
    func migrate(_ database: Database) throws(StoreError) -> Int {
        let activity = "bringing the journal's tables up to date"
        let found = Int(clamping: try database.integer("PRAGMA user_version", doing: activity) ?? 0)
        guard found < migrations.count else { return found }
        for version in max(0, found)..<migrations.count {
            try database.transaction(doing: "\(activity) (step \(version + 1))") { () throws(StoreError) in
                try database.execute(migrations[version], doing: "\(activity) (step \(version + 1))")
                try database.execute("PRAGMA user_version = \(version + 1)", doing: activity)
                try database.execute("PRAGMA application_id = \(Self.applicationID)", doing: activity)
            }
        }
        return migrations.count
    }

    package static let steps: [String] = [
        """
        CREATE TABLE events (
            seq            INTEGER PRIMARY KEY,  -- 1, 2, 3 ... never used twice
            time           INTEGER NOT NULL,     -- milliseconds since 1970, UTC
            time_trusted   INTEGER NOT NULL,     -- 0: the clock was not to be believed
            type           TEXT NOT NULL,
            code           TEXT NOT NULL,
            raw            TEXT NOT NULL,
            message        TEXT NOT NULL,
            "partition"    INTEGER,
            partition_name TEXT,
            zone           INTEGER,
            zone_name      TEXT,
            user           INTEGER,
            user_name      TEXT,
            flags          INTEGER NOT NULL,     -- 2 while away, 4 maintenance, 8 flapping
            flap_count     INTEGER,
            command        INTEGER,              -- ledger.command
            unstored       TEXT                  -- sent before it could be stored
        );
        CREATE TABLE duress (
            seq            INTEGER PRIMARY KEY,
            time           INTEGER NOT NULL,
            time_trusted   INTEGER NOT NULL,
            type           TEXT NOT NULL,
            code           TEXT NOT NULL,
            raw            TEXT NOT NULL,
            message        TEXT NOT NULL,
            "partition"    INTEGER,
            partition_name TEXT,
            zone           INTEGER,
            zone_name      TEXT,
            user           INTEGER,
            user_name      TEXT,
            flags          INTEGER NOT NULL,
            flap_count     INTEGER,
            command        INTEGER,
            unstored       TEXT
        );
        CREATE TABLE ledger (
            command INTEGER PRIMARY KEY,
            summary TEXT NOT NULL,
            origin  TEXT NOT NULL,
            time    INTEGER NOT NULL,
            outcome TEXT,                        -- NULL while only accepted
            detail  TEXT                         -- the outcome as JSON
        );
        CREATE TABLE snapshot (
            id      INTEGER PRIMARY KEY,         -- 0 the box, 1 the system, 100 + partition, 1000 + zone
            content TEXT NOT NULL                -- JSON
        );
        CREATE TABLE suspect (
            id      INTEGER PRIMARY KEY,
            origin  TEXT NOT NULL,               -- the table it was in
            row     INTEGER NOT NULL,
            content TEXT NOT NULL                -- its columns as SQL literals
        );
        CREATE TABLE meta (
            id          INTEGER PRIMARY KEY CHECK (id = 1),
            last_seq    INTEGER NOT NULL,
            last_duress INTEGER NOT NULL,
            log         INTEGER NOT NULL,
            run         TEXT NOT NULL,           -- the start of the daemon that wrote last
            last_batch  INTEGER NOT NULL         -- its last batch
        );
        INSERT INTO meta VALUES (1, 0, 0, 0, '', 0);
        CREATE VIEW log AS SELECT
            seq,
            datetime(time / 1000, 'unixepoch', 'localtime') || iif(time_trusted, '', ' ?') AS time,
            type, code, message,
            coalesce(partition_name, "partition") AS "partition",
            coalesce(zone_name, zone) AS zone,
            coalesce(user_name, user) AS user
            FROM events ORDER BY seq;
        """,
        phoneTables,
        // The link or channel that an event of the box is about, as "link wifi".
        """
        ALTER TABLE events ADD COLUMN about TEXT;
        ALTER TABLE duress ADD COLUMN about TEXT;
        """,
    ]
}
