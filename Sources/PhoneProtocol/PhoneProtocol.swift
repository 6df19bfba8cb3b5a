// PhoneProtocol: what the box and those who read it say to each other.
//
// For:        the ordered JSON value (RFC 8259) with its parser, writer and Codable bridge; the HowAlarming messages;
//             the record that `events --json` prints; pairing, sealed envelopes and signed commands (docs/pairing.md)
//             with the vault that keeps the keys.
// Guarantees: keys keep their order; the same value gives the same text; any input is a value or a typed error with
//             the place, within bounds of size and depth, and never a trap; bytes of the relay
//             are taken exactly or not at all; secrets do not print themselves.
// Knows not:  how a message travels, who may read it, the panel's codes (types come in as arguments); any library
//             for cryptography (`Crypto` comes in).
