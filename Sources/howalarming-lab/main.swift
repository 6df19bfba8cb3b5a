import Glibc
import Laboratory

exit(LaboratoryCommand.main(Array(CommandLine.arguments.dropFirst())))
