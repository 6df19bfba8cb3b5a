// PanelLink: the driver of an EnvisaLink module on a DSC PowerSeries panel.
//
// For:        bytes in, events and confirmed outcomes out: framing, the DSC dialect, login, poll, the command queue,
//             and the state of the panel.
// Guarantees: never more than one command in flight; every action is confirmed by a line of the panel or ends as not
//             confirmed, but for keys and the clock, which the panel has no line for: they end with the module's
//             acknowledgement; a line that does not parse is counted, and the panel is asked for its state; secrets are
//             redacted before a line is formatted.
// Knows not:  sockets, clocks, the journal, phones.
