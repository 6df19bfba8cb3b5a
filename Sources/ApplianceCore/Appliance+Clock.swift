import AlarmModel
import PhoneLink

extension Appliance {
    /// A server that has proved who it is told its time.
    mutating func heard(_ time: WallTime, of server: String, _ step: inout Step) {
        step.now = clock.heard(time, of: server, at: step.now)
        noteClockTrust(&step)
    }

    /// The clock is trusted now: what failed because of it, such as the time of a certificate, is tried again at once.
    mutating func clockCame(_ step: inout Step) {
        guard life == .running else { return }
        for kind in hall.ways.filter({ !$0.isReady }).map(\.kind) {
            drive(kind, &step) { $0.networkChanged(at: $1, into: &$2) }
        }
        guard (post?.beacon.misses ?? 0) > 0 else { return }
        driveBeacon(&step) { $0.networkChanged(at: $1, into: &$2) }
    }
}
