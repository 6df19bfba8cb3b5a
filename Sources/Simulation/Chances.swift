import AlarmModel

/// Where chance comes from while the world runs: apart for the panel and the daemon, phones, and channels, so that what
/// happens to one of them does not change what happens to the others.
final class Chances {
    var world: Jitter
    var phones: Jitter
    var channels: Jitter

    init(_ draws: HousePlan.Draws) {
        world = Jitter(seed: draws.world)
        phones = Jitter(seed: draws.phones)
        channels = Jitter(seed: draws.channels)
    }
}
