// SoftwareUpdate: what a new version is, whether it may be installed, and how it gets into the idle slot.
//
// For:        the description of a release, the bundle with its manifest and signatures, the reader that takes a bundle
//             in pieces, the slot state that the boot loader shares with us, the trailer of a slot, the rules of what may
//             be installed, and the order of writing.
// Guarantees: nothing is written before everything was checked that can be; whatever is cut at any moment, the state names
//             a slot with a whole image first; every input is a value or a typed error, within bounds, and never a trap;
//             every refusal says what to do next.
// Knows not:  where the disk is (`SlotDisk` comes in), how signatures and hashes are computed (`Crypto`, `RunningHash`
//             come in), who asked for the update.
