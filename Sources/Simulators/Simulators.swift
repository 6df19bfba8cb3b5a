// Simulators: the panel, the services and the phone that the appliance speaks to, as machines.
//
// For:        a simulated DSC panel with its EnvisaLink module (Panel/), the player that replays recorded sessions, a simulated
//             service for each channel (Peers/: CCS, FCM, ntfy, XMPP, MQTT, mail, beanstalkd, web, programs), a phone (Phone/),
//             and the script languages that drive them. The laboratory mounts them on sockets, the simulated world and the
//             core's tests call them directly.
// Guarantees: machines only: bytes and times in, actions out; the same seed and the same inputs give the same actions. The true
//             state of a simulator can be read at any time and compared with what the appliance believes.
// Does not know: sockets, clocks, files, threads. The `howalarming` program contains nothing of this module.
