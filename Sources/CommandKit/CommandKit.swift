// CommandKit: what every program of ours has in common on a command line.
//
// For:        the syntax of a command and its arguments, help, exit statuses, printing, words in columns.
// Guarantees: a syntax is declared once and read by parser and help; an operand is never repeated in an error, because
//             somebody may have typed a code there; nothing in a text that is called printable steers a terminal.
// Knows not:  which commands there are, the daemon, sockets and files.
