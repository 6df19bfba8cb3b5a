// Daemon: the process that watches the house.
//
// For:        mounting the core on Platform and EventStore, the control socket, the flight recorder and its replay, and the
//             small processes beside it: hooks and the modem's addresses.
// Guarantees: every input passes the recorder before the core sees it; an effect is carried out once, in order; a part
//             that only helps (recorder, socket, saved configuration) never keeps the panel from being watched.
// Knows not:  what events mean, how a panel speaks, what is sent to whom: the core decides, the daemon carries out.
