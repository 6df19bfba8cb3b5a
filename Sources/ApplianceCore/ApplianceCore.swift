// ApplianceCore: what the box decides.
//
// For:        one entry, `Appliance.handle(_:at:into:)`: facts in, orders out. Owns the panel session, the journal's
//             queue of batches, the desk where commands are taken and the clients of the control socket.
// Guarantees: same inputs, same effects, byte for byte; no call blocks; nothing is sent before it is stored and nothing
//             is reported done before its result is stored, but for the exceptions that the design names.
// Knows not:  system calls, SQLite, YAML, terminals.
