/// `howalarming demo`
package enum DemoCommand {
    /// Reads its own arguments; gives the exit status.
    package static func run(arguments: [String]) -> Int32 {
        Console().complain("'demo' is not built in")
        return HowAlarmingCommand.Status.failed
    }
}
