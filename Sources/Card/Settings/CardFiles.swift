import Glibc
import Platform
import YAMLConfiguration

/// What a configuration on the card may refer to: files beside it, those that were taken from there before, and the
/// system's own. It remembers what it read from the card.
final class CardFiles: ConfigurationFiles {
    private let storage: any CardStorage
    /// The secrets file, which is not on the card.
    private let secrets: [UInt8]
    /// Without it, only what was taken from there before.
    private let usesCard: Bool
    private(set) var found: [(name: String, bytes: [UInt8])] = []

    /// The name under which the secrets are asked for.
    static let secretsName = "howalarming.secrets.yaml"
    private static let ours = [
        CardImport.fileName, secretsName, CardImport.errorsName, CardImport.pendingName, CardReport.fileName,
        PINResetFile.name,
    ]

    init(_ storage: any CardStorage, secrets: [UInt8], usesCard: Bool = true) {
        self.storage = storage
        self.usesCard = usesCard
        self.secrets = secrets
    }

    func read(_ path: String, limit: Int) throws(ConfigurationFileFailure) -> ConfigurationFile {
        if path == Self.secretsName { return ConfigurationFile(bytes: secrets, mode: 0o600) }
        if path.hasPrefix("/") { return try SystemConfigurationFiles().read(path, limit: limit) }
        guard !path.contains("/"), !path.hasPrefix("."), !Self.ours.contains(path) else { throw .notFound }
        if usesCard, let bytes = try content(of: .card(path)) {
            if !found.contains(where: { $0.name == path }) { found.append((path, bytes)) }
            return ConfigurationFile(bytes: bytes, mode: 0o600)
        }
        guard let bytes = try content(of: .data(path)) else { throw .notFound }
        return ConfigurationFile(bytes: bytes, mode: 0o600)
    }

    /// nil if there is no such file. One that cannot be read is none that is missing: an older one must not take its place.
    private func content(of place: CardPlace) throws(ConfigurationFileFailure) -> [UInt8]? {
        do throws(SystemError) {
            return try storage.read(place)
        } catch {
            switch error.number {
            case EFBIG: throw .tooLarge(limit: ConfigurationReader.sizeLimit)
            case EACCES, EPERM: throw .notPermitted
            case EINVAL, EISDIR, ENOTDIR: throw .notAFile
            default: throw .failed(errno: error.number)
            }
        }
    }
}
