import Glibc
import Subcommands

exit(HowAlarmingCommand.main(Array(CommandLine.arguments.dropFirst())))
