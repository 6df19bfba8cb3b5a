// Companion: the phone's half of HowAlarming, for apps to import.
//
// For:        pairing, sealing and opening, the phone's log with its gaps, the state of the house, signing commands.
// Guarantees: no I/O, no clock, no Linux calls; the same inputs give the same results; the log equals the journal once
//             every gap is filled.
// Knows not:  screens, push services, where keys are kept.
