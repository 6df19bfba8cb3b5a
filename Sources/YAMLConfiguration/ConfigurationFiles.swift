/// A file as it was found: its bytes and its permission bits.
package struct ConfigurationFile: Equatable, Sendable {
    package var bytes: [UInt8]
    /// The permission bits of stat(2), for instance 0o600.
    package var mode: UInt32

    package init(bytes: [UInt8], mode: UInt32) {
        self.bytes = bytes
        self.mode = mode
    }
}

/// Why a file could not be read.
package enum ConfigurationFileFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case notFound
    case notPermitted
    /// A directory, a pipe, a device.
    case notAFile
    case tooLarge(limit: Int)
    case failed(errno: Int32)

    package var description: String {
        switch self {
        case .notFound: "there is no such file"
        case .notPermitted: "permission denied"
        case .notAFile: "it is not a regular file"
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .failed(let errno): "the system reports error \(errno)"
        }
    }
}

/// The reader's way to files: the real one, or a fake one in tests and fuzzing.
package protocol ConfigurationFiles {
    /// Reads a whole file of at most `limit` bytes.
    func read(_ path: String, limit: Int) throws(ConfigurationFileFailure) -> ConfigurationFile
}

/// For reading bytes that come without a file system: nothing else can be opened.
package struct NoConfigurationFiles: ConfigurationFiles {
    package init() {}
    package func read(_ path: String, limit: Int) throws(ConfigurationFileFailure) -> ConfigurationFile {
        throw .notFound
    }
}
