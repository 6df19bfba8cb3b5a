package import EventStore
import Glibc
import Platform
import YAMLConfiguration

/// Remembers in the state directory where the daemon's configuration lies, so that a backup can take it along.
package enum SavedConfiguration {
    private static let fileName = "configuration.path"
    /// What the files are called in a backup, and in the state directory after a restore.
    package static let prefix = "saved-"
    package static let main = "saved-configuration.yaml"
    package static let secrets = "saved-secrets.yaml"

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
    package static func path(of directory: String) -> String? {
        guard let bytes = try? FileReader.read("\(directory)/\(fileName)", limit: 4096) else { return nil }
        return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
    }

    /// What a backup takes along of the configuration.
    package struct Taken {
        /// The configuration that was used last, its secrets file, and the files that they name; as they are now.
        package var files: [StateArchive.File] = []
        /// Paths that could not be read.
        package var missing: [String] = []
    }

    package static func taken(from directory: String) -> Taken {
        guard let path = path(of: directory) else { return Taken() }
        let reading = FilesRead()
        let result = ConfigurationReader.read(file: path, files: reading)
        var taken = Taken(missing: reading.missing)
        for file in reading.found where !file.path.hasPrefix(TimeZoneFiles.directory) {
            var known: String?
            if file.path == path { known = main } else if file.path == result.secretsFile { known = secrets }
            let called = known ?? name(for: file.path, besides: taken.files.map(\.name))
            taken.files.append(StateArchive.File(name: called, content: file.bytes))
        }
        return taken
    }

    /// Its own name behind `saved-`; a number where that is none for a backup, or is there already.
    private static func name(for path: String, besides taken: [String]) -> String {
        let taken = taken + [main, secrets]
        let plain = "\(prefix)\(path.split(separator: "/").last ?? "")"
        if StateArchive.isAllowed(plain), !taken.contains(plain) { return plain }
        var number = 1
        while taken.contains("\(prefix)file-\(number)") { number += 1 }
        return "\(prefix)file-\(number)"
    }
}

/// Files of the operating system; remembers what was read.
private final class FilesRead: ConfigurationFiles {
    private(set) var found: [(path: String, bytes: [UInt8])] = []
    private(set) var missing: [String] = []

    func read(_ path: String, limit: Int) throws(ConfigurationFileFailure) -> ConfigurationFile {
        do throws(ConfigurationFileFailure) {
            let file = try SystemConfigurationFiles().read(path, limit: limit)
            if !found.contains(where: { $0.path == path }) { found.append((path, file.bytes)) }
            return file
        } catch {
            if !missing.contains(path) { missing.append(path) }
            throw error
        }
    }
}
