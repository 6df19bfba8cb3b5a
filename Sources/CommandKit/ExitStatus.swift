/// Exit statuses, the same for every command.
package enum ExitStatus {
    package static let done: Int32 = 0
    /// Failed or refused.
    package static let failed: Int32 = 1
    /// Sent, and nothing confirmed it.
    package static let notConfirmed: Int32 = 2
    package static let usage: Int32 = 64
    package static let noDaemon: Int32 = 69
}
