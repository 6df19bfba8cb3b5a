/// `howalarming simulate …`
package enum SimulateCommand {
    /// Reads its own arguments; gives the exit status.
    package static func run(arguments: [String]) -> Int32 {
        Console().complain("'simulate' is not built in")
        return HowAlarmingCommand.Status.failed
    }
}
