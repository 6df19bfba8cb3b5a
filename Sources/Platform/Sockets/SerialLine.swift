import CLinux
import Glibc

/// A terminal's device, opened and set for keys one by one: a serial line, or the terminal that a program runs in.
package final class SerialLine {
    package let descriptor: Descriptor
    private let before: termios
    private let restores: Bool

    /// A serial line at 115 200 baud, 8 data bits, no parity, 1 stop bit, whatever the modem lines say; it never becomes
    /// our controlling terminal, and there is nothing to give back.
    package convenience init(device: String) throws(SystemError) {
        try self.init(path: device, isSerial: true)
    }

    /// The terminal behind one of our descriptors, opened anew so that its other users keep their own modes of reading.
    package convenience init(behind number: Int32) throws(SystemError) {
        try self.init(path: "/proc/self/fd/\(number)", isSerial: false)
    }

    private init(path: String, isSerial: Bool) throws(SystemError) {
        let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        let opened = Descriptor(owning: try checked("open", path) { ha_open(path, flags, 0) })
        var settings = termios()
        _ = try checked("tcgetattr", path) { tcgetattr(opened.number, &settings) }
        descriptor = opened
        before = settings
        restores = !isSerial
        // Without signals from keys: an interruption must not leave a code on the screen.
        cfmakeraw(&settings)
        if isSerial {
            settings.c_iflag |= tcflag_t(IGNBRK | IGNPAR)
            settings.c_cflag &= ~tcflag_t(CSTOPB)
            settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
            cfsetspeed(&settings, speed_t(B115200))
        }
        _ = try checked("tcsetattr", path) { tcsetattr(opened.number, TCSANOW, &settings) }
    }

    /// Gives a terminal back as it was.
    package func restore() {
        guard restores else { return }
        var settings = before
        _ = tcsetattr(descriptor.number, TCSANOW, &settings)
    }

    /// nil: it has ended or was unplugged. Empty: nothing is there now.
    package func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = uninterrupted { Glibc.read(descriptor.number, &buffer, buffer.count) }
        if count > 0 { return Array(buffer.prefix(count)) }
        return count < 0 && errno == EAGAIN ? [] : nil
    }

    /// How many bytes it took; nil: it was unplugged.
    package func write(_ bytes: [UInt8]) -> Int? {
        let count = uninterrupted { Glibc.write(descriptor.number, bytes, bytes.count) }
        if count >= 0 { return count }
        return errno == EAGAIN ? 0 : nil
    }
}
