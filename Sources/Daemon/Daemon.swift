// Daemon: the appliance as a program.
//
// For:        mounting the core on Platform and EventStore, reading the configuration, and the subcommands.
// Guarantees: a configuration is used only if nothing in it is wrong; every problem in it is named with its place, and
//             no secret appears in a problem.
// Knows not:  what events mean, how a panel speaks, what is sent to whom: the core decides, the daemon carries out.
