// PanelLink: the driver of an EnvisaLink module on a DSC PowerSeries panel.
//
// For:        bytes in, events and confirmed outcomes out: framing, the DSC dialect, login, poll, the command queue,
//             and the state of the panel.
// Guarantees: never more than one command in flight; every action is confirmed by a state line or ends as not
//             confirmed; a line that does not parse is counted and costs nothing else; secrets are redacted before a
//             line is formatted.
// Knows not:  sockets, clocks, the journal, phones.
