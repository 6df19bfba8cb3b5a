import AlarmModel

extension Appliance {
    /// A server that has proved who it is told its time.
    mutating func heard(_ time: WallTime, of server: String, at now: Moment) {
        noteClockTrust(at: clock.heard(time, of: server, at: now))
    }
}
