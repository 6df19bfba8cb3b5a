// Subcommands: the command line `howalarming …`.
//
// For:        the table of commands, what each takes and does, the self-test, the archive for support.
// Guarantees: every command has an exit status of `ExitStatus`; no code and no passphrase is taken as an argument; what
//             changes state while the daemon is stopped does so through the core, under the lock of the directory.
// Knows not:  screens of the console, how settings reach the card, what the daemon does with an answer.
