// AlarmModel: the words that every other module shares.
//
// For:        events, zones, partitions, troubles, the state of the panel, commands and their outcomes, batches, time.
// Guarantees: plain values; equal values encode equally; nothing here reads a clock, a file or a socket.
// Knows not:  how a panel, a phone, a disk or a network speaks.
