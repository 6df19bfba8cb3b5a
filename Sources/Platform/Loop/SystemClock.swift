package import AlarmModel
import CLinux
import Glibc

/// The clocks of this machine.
package enum SystemClock {
    /// CLOCK_BOOTTIME
    package static func bootTime() -> BootTime {
        let time = read(CLOCK_BOOTTIME)
        return BootTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// CLOCK_REALTIME
    package static func wallTime() -> WallTime {
        let time = read(CLOCK_REALTIME)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package static func moment(isTrusted: Bool) -> Moment {
        Moment(boot: bootTime(), wall: wallTime(), isWallTrusted: isTrusted)
    }

    /// Whether the wall clock was set by a time service in this boot: the kernel says so, or systemd-timesyncd does.
    package static var isSynchronised: Bool {
        ha_clock_is_synchronised() == 1 || access("/run/systemd/timesync/synchronized", F_OK) == 0
    }

    /// The kernel's name for this boot, a UUID; nil where /proc does not say.
    package static var bootIdentifier: String? {
        guard let bytes = try? FileReader.read("/proc/sys/kernel/random/boot_id", limit: 64) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        precondition(result == 0, "the clocks that every Linux has can be read")
        return time
    }
}
