/// STAND-IN: `run` until RunCommand is there.
enum RunStandIn {
    static func run(_ configurationFile: String, _ stateDirectory: String, on console: Console) -> Int32 {
        console.complain("'run' is not built in")
        return HowAlarmingCommand.Status.failed
    }
}
