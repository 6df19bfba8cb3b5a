import Daemon
import Glibc

exit(HowAlarmingCommand.main(Array(CommandLine.arguments.dropFirst())))
