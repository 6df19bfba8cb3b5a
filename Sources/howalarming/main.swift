import Commands
import Glibc

exit(HowAlarmingCommand.main(Array(CommandLine.arguments.dropFirst())))
