import CLinux
import Glibc

/// What is behind a descriptor on which people may read.
package enum Terminal {
    package struct Size: Equatable, Sendable {
        package var columns: Int
        package var rows: Int
        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// nil when it is no terminal, or one that does not say (a serial line).
    package static func size(_ descriptor: Int32) -> Size? {
        var columns: UInt16 = 0
        var rows: UInt16 = 0
        guard ha_window_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else { return nil }
        return Size(columns: Int(columns), rows: Int(rows))
    }
}
