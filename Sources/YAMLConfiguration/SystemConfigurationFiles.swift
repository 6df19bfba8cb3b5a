import Glibc

/// Files of the operating system.
package struct SystemConfigurationFiles: ConfigurationFiles {
    package init() {}

    package func read(_ path: String, limit: Int) throws(ConfigurationFileFailure) -> ConfigurationFile {
        // Without O_NONBLOCK a pipe in the place of the file would hold us for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_size <= limit else { throw .tooLarge(limit: limit) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(errno) }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        }
        return ConfigurationFile(bytes: bytes, mode: UInt32(status.st_mode & 0o7777))
    }

    private static func failure(_ number: Int32) -> ConfigurationFileFailure {
        switch number {
        case ENOENT, ENOTDIR: .notFound
        case EACCES, EPERM: .notPermitted
        default: .failed(errno: number)
        }
    }
}
