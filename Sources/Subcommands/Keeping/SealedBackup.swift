import AlarmModel
import Daemon
import EventStore
import Platform

/// The state of a box and the configuration that it used last, sealed: what `backup` writes, and the console onto a stick.
struct SealedBackup {
    var bytes: [UInt8]
    /// The newest event in it.
    var last: SequenceNumber
    private var configuration: SavedConfiguration.Taken

    /// - Parameter passphrase: asked for once the state was read
    init(of stateDirectory: String, passphrase: () throws -> Secret) throws {
        var archive = try StateArchive(of: stateDirectory)
        configuration = SavedConfiguration.taken(from: stateDirectory)
        archive.files += configuration.files
        last = try JournalReader(directory: stateDirectory).lastSequence()
        bytes = try Sealing.seal(archive.bytes, passphrase: try passphrase())
    }

    /// What is in it of the configuration, and what is not.
    var words: [String] {
        var lines: [String] = []
        if configuration.files.isEmpty, configuration.missing.isEmpty {
            lines.append(
                "The configuration file is not in it, because no daemon has run here yet: keep a copy of that, too.")
        } else if !configuration.files.isEmpty {
            lines.append(
                "The configuration is in it, with its passwords and codes, and with the key files and certificates that "
                    + "it names.")
        }
        for path in configuration.missing {
            lines.append("\(path) cannot be read and is not in it: keep a copy of that, too.")
        }
        return lines
    }
}
