// Card: what the appliance keeps on its SD card beside the state.
//
// For:        Settings: the owner's file on the boot partition, its secrets, the network's files. Slots: bundles, the two
//             slots for software, and the commands about them.
// Guarantees: a power cut at any moment leaves the last good settings and a slot that starts; nothing is installed that is
//             not signed for this board; a secret that was taken from the card is blanked there.
// Knows not:  the panel, phones, the core's state.
