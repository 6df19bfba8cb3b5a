// Simulation: the world around the appliance, made of machines.
//
// For:        a simulated DSC panel with its EnvisaLink module (Panel/), the player that replays recorded sessions, one
//             service for each other protocol (Peers/: CCS, FCM, ntfy, XMPP, MQTT, mail, beanstalkd, web, programs), the
//             script languages that drive them, and the simulated world (World/) in which the appliance is tried. The
//             laboratory and the core's tests mount the same services.
// Guarantees: machines only: bytes and times in, actions out; the same seed and the same inputs give the same actions;
//             what a peer really is (its truth) can be read at any time and compared with what the appliance believes.
// Knows not:  sockets, clocks, files, threads; the real `run` reaches nothing in here.
