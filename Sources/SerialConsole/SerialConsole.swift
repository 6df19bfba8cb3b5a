// SerialConsole: the box on a terminal or a serial line.
//
// For:        screens, keys, dialogs, and lines for terminals that only print.
// Guarantees: looking needs nothing, changing needs the PIN; a line of 115200 baud is never flooded; nothing on a screen
//             steers the terminal; it goes on while the daemon is away, and says so.
// Knows not:  the core's inside: it asks the daemon as any program on this machine does.
