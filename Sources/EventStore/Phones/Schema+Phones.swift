extension Schema {
    /// Messages on their way to phones, and the counters of signed commands.
    ///
    /// The conditions of the partial indices are repeated word for word where they are to be used.
    static let phoneTables = """
        CREATE TABLE outbox (
            message   TEXT PRIMARY KEY NOT NULL,
            address   INTEGER NOT NULL,
            is_duress INTEGER NOT NULL,          -- 1: seq is a number of table duress
            seq       INTEGER NOT NULL,          -- events.seq
            place     INTEGER NOT NULL,          -- of the event among all: twice its number, duress in between
            priority  INTEGER NOT NULL,          -- 0 alarm, 1 fault, 2 state, 3 info
            created   INTEGER NOT NULL,          -- milliseconds since 1970, UTC
            expires   INTEGER NOT NULL,
            state     TEXT NOT NULL,
            detail    TEXT,                      -- why it is dead
            changed   INTEGER NOT NULL
        );
        CREATE INDEX outbox_open ON outbox (address, priority, place) WHERE \(open);
        CREATE INDEX outbox_final ON outbox (changed) WHERE \(final);
        CREATE INDEX outbox_dead ON outbox (changed) WHERE \(dead);
        CREATE INDEX outbox_event ON outbox (is_duress, seq);
        CREATE TABLE phone_counter (
            phone INTEGER PRIMARY KEY,           -- the id's eight bytes as a signed number
            last  INTEGER NOT NULL               -- the highest counter ever spent
        );
        CREATE TABLE phone_ledger (
            phone   INTEGER NOT NULL,
            counter INTEGER NOT NULL,
            digest  BLOB NOT NULL,               -- of the signed bytes
            time    INTEGER NOT NULL,
            out     TEXT,                        -- NULL while only accepted
            why     TEXT,
            PRIMARY KEY (phone, counter)
        );
        """

    static let open = "state IN ('waiting', 'overdue')"
    static let final = "state NOT IN ('waiting', 'overdue')"
    static let dead = "state IN ('dead', 'expired')"
    /// The plus keeps the planner from the index over this column, which nearly all rows share.
    static let notDuress = "+is_duress = 0"
}
