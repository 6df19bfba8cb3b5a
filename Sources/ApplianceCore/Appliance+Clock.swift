import AlarmModel
import PhoneLink

extension Appliance {
    /// A server that has proved who it is told its time.
    mutating func heard(_ time: WallTime, of server: String, at now: Moment) {
        noteClockTrust(at: clock.heard(time, of: server, at: now))
    }

    /// The clock is trusted now: what failed because of it, such as the time of a certificate, is tried again at once.
    mutating func clockCame(at now: Moment, into effects: inout [Effect]) {
        guard life == .running else { return }
        for kind in hall.ways.filter({ !$0.isReady }).map(\.kind) {
            drive(kind, at: now, into: &effects) { $0.networkChanged(at: now, into: &$1) }
        }
        guard (post?.beacon.misses ?? 0) > 0 else { return }
        driveBeacon(at: now, into: &effects) { $0.networkChanged(at: now, into: &$1) }
    }
}
