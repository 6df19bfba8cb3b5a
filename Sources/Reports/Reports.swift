// Reports: the daemon's answers for people and for programs.
//
// For:        asking a running daemon over its control socket; status, events, phones, links and pairings in words and as
//             JSON, for commands and for the console.
// Guarantees: what is not known is shown as unknown; duress is shown to nobody; the same value gives the same text.
// Knows not:  arguments, keys of a terminal, how the daemon works; it changes nothing by itself.
