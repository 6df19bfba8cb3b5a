// EventStore: the journal on disk, and what else lies in the state directory.
//
// For:        writing what the core orders (one batch, one transaction), reading pages of events and of messages that
//             wait, the phones' file, setting damage aside, backup and restore, the lock on the state directory.
// Guarantees: a commit that returned survives a power cut; each transaction is wholly there or wholly gone; sequence
//             numbers grow by one and are never used twice within one log; a bad row or a damaged file is kept and
//             reported, never a trap. Calls block: one thread owns a `Journal` or a `JournalReader`.
//             A phone's counter is either surely known or not known at all.
// Knows not:  what an event means, who is told of it, how a message travels, what a key is, when to check-point or to
//             retry, how a backup is sealed.
