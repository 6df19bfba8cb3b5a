import EventStore
import Glibc
import Platform

/// Remembers in the state directory where the daemon's configuration lies, so that a backup can take it along.
enum SavedConfiguration {
    private static let fileName = "configuration.path"
    /// What the files are called in a backup, and in the state directory after a restore.
    static let main = "saved-configuration.yaml"
    static let secrets = "saved-secrets.yaml"

    /// Called by the daemon when it starts. A path that cannot be remembered costs the backup its configuration only.
    static func remember(_ file: String, in directory: String) {
        guard let resolved = realpath(file, nil) else { return }
        defer { free(resolved) }
        let (place, line) = ("\(directory)/\(fileName)", Array(String(cString: resolved).utf8) + [10])
        // It is the same at nearly every start, which need not wait for a card.
        guard (try? FileReader.read(place, limit: 4096)) != line else { return }
        try? AtomicFile.write(place, line)
    }

    /// Where the configuration lies that was used last; nil when no daemon has run on this state.
    static func path(of directory: String) -> String? {
        guard let bytes = try? FileReader.read("\(directory)/\(fileName)", limit: 4096) else { return nil }
        return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
    }

    /// The configuration that was used last and its secrets file, as they are now; empty when neither can be read.
    static func files(of directory: String) -> [StateArchive.File] {
        guard let path = path(of: directory) else { return [] }
        let limit = ConfigurationReader.sizeLimit
        guard let found = try? FileReader.read(path, limit: limit) else { return [] }
        var files = [StateArchive.File(name: main, content: found)]
        if let second = ConfigurationReader.read(file: path).secretsFile,
            let content = try? FileReader.read(second, limit: limit)
        {
            files.append(StateArchive.File(name: secrets, content: content))
        }
        return files
    }
}
