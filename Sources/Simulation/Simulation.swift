// Simulation: the seeded world in which the appliance is tried.
//
// For:        houses, faults, links, a disk, a modem, people and services, drawn from a seed; the promises that each run is
//             checked against; kept scripts, and the shrinking of a run that broke a promise.
// Guarantees: the same seed gives the same run, effect by effect (EffectHash.swift).
// Does not know: sockets, clocks, files, threads. The services are those of the module Simulators.
