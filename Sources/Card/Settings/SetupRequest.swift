package import Platform

/// Where the console of a box without a configuration asks for the questions of the set-up: howalarming-setup@.path waits
/// there, stops the console on that line and gives it back when the questions are over.
package enum SetupRequest {
    package static let directory = "/run/howalarming-setup"

    /// - Parameter line: the terminal, as systemd names it: ttyS0
    package static func write(for line: String) throws(SystemError) {
        try AtomicFile.write("\(directory)/\(line)", [])
    }

    /// The questions are answered: howalarming-reboot.path waits for this.
    package static func restart() throws(SystemError) { try AtomicFile.write("\(directory)/reboot", []) }
}
