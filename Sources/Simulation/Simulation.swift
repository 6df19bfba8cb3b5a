// Simulation: the world around the appliance, made of machines.
//
// For:        a simulated DSC panel with its EnvisaLink module (Panel/), the player that replays recorded sessions, Google's
//             push service with its phones (Push/), the script languages that drive them, and the simulated world (World/)
//             in which the appliance is tried.
// Guarantees: machines only: bytes and times in, actions out; the same seed and the same inputs give the same actions;
//             what a peer really is (its truth) can be read at any time and compared with what the appliance believes.
// Knows not:  sockets, clocks, files, threads; the real `run` reaches nothing in here.
