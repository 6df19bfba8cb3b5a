import AlarmModel

/// One step of the core: the moment it is taken at, what it wants stored, what it orders.
struct Step {
    /// Changes within a step only when a server tells its time and the clock is doubted or trusted for it.
    var now: Moment
    /// Becomes one batch when the step ends.
    var writes = StepWrites()
    var effects: [Effect] = []

    init(at now: Moment) { self.now = now }
}
