import AlarmModel

/// The runner of programs, which is a unit of its own without the daemon's rights.
package struct ProgramSettings: Codable, Equatable, Sendable {
    /// Its socket in the file system.
    package var socket: String
    /// For a program; it is killed then. 1 to 300 s.
    package var timeLimit = Duration.seconds(10)
    package var pace = ReconnectPace()
    /// For the runner to answer at all, and to say that it has killed a program.
    package var patience = Duration.seconds(10)
    /// Programs that run at a time, so that one that hangs does not hold up the others.
    package var parallel = 4
    /// Messages that are kept here at a time.
    package var window = 50
    /// Of these, kept for alarms.
    package var reservedForAlarms = 10

    package init(socket: String = "/run/howalarming-hook/socket") { self.socket = socket }
}
