// Platform: the shell's mechanisms on Linux.
//
// For:        the event loop with its timers, sockets bound to a link, TLS, listeners for this machine only,
//             the machine's network interfaces, names, signals, worker threads, clocks, files, child processes, sealing,
//             the log, the service manager, the system bus with the modem and the login service on it.
// Guarantees: one loop thread; a callback never runs inside a call that its owner makes; every stream reports its end
//             exactly once; work per descriptor and round is bounded; an idle loop sleeps until something happens;
//             an encrypted connection is one whose other end has proved its name, and nothing turns that off;
//             failures of the system are typed values that name the call, the reason and the thing.
// Knows not:  panels, events, commands, the core and its effects; what is to be done with bytes.
