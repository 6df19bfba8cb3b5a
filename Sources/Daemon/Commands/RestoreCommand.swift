/// `restore`: STAND-IN until the store can do it.
struct RestoreCommand {
    var file: String
    var passphraseFile: String?
    var stateDirectory: String
    var replace: Bool

    func run(on console: Console) -> Int32 {
        console.complain("'restore' is not built in")
        return HowAlarmingCommand.Status.failed
    }
}
