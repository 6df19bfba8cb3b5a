/// `backup`: STAND-IN until the store can do it.
struct BackupCommand {
    var file: String
    var passphraseFile: String?
    var stateDirectory: String
    var replace: Bool

    func run(on console: Console) -> Int32 {
        console.complain("'backup' is not built in")
        return HowAlarmingCommand.Status.failed
    }
}
