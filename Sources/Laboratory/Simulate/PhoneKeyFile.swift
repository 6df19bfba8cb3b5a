import Companion
import Glibc
import PhoneProtocol
import Platform

/// What a virtual phone keeps over a restart: keys, log and token, in one file for its owner alone. A real phone has a
/// key chain for the keys.
struct PhoneKeyFile {
    let path: String?
    private(set) var token: String
    private let seed1: [UInt8]
    private let seed2: [UInt8]
    private(set) var stored: (secrets: PhoneSecrets, memory: PhoneMemory)?

    private static let limit = 64 * 1024 * 1024

    enum Problem: Error, CustomStringConvertible {
        case unreadable(String)
        case noKeys

        var description: String {
            switch self {
            case .unreadable(let path): "\(path) is not what a virtual phone keeps; take another --state file"
            case .noKeys: "OpenSSL gives no keys"
            }
        }
    }

    /// New keys where there is no file.
    init(_ path: String?) throws {
        self.path = path
        var text: String?
        if let path {
            do throws(SystemError) {
                text = String(decoding: try FileReader.read(path, limit: Self.limit), as: UTF8.self)
            } catch {
                guard error.number == ENOENT else { throw error }
            }
        }
        guard let text else {
            seed1 = Random.bytes(32)
            seed2 = Random.bytes(32)
            token = "phone-" + PhoneWire.text(Random.bytes(12))
            return
        }
        guard let json = try? JSON(parsing: text, limits: Self.limits), let token = json["token"]?.stringValue,
            let seed1 = Self.bytes(json["key1"]), let seed2 = Self.bytes(json["key2"])
        else { throw Problem.unreadable(path ?? "") }
        self.token = token
        self.seed1 = seed1
        self.seed2 = seed2
        if let storage = Self.bytes(json["keys"]), let secrets = PhoneSecrets(storage: storage),
            let memory = try json["memory"]?.decoding(PhoneMemory.self)
        {
            stored = (secrets, memory)
        }
    }

    func signers() throws -> PhoneSigners {
        guard let key1 = OpenSSLSigner(ed25519Seed: seed1), let key2 = OpenSSLSigner(ed25519Seed: seed2) else {
            throw Problem.noKeys
        }
        return PhoneSigners(key1: key1, key2: key2)
    }

    /// Durable when it returns.
    mutating func store(token: String, _ secrets: PhoneSecrets?, _ memory: PhoneMemory?) throws {
        self.token = token
        guard let path else { return }
        let json = JSON.object([
            "token": .string(token), "key1": .string(PhoneWire.text(seed1)), "key2": .string(PhoneWire.text(seed2)),
            "keys": secrets.map { .string(PhoneWire.text($0.storage)) },
            "memory": try memory.map { try JSON.encoding($0) },
        ])
        try AtomicFile.write(path, Array(json.text.utf8), mode: 0o600)
    }

    private static let limits = JSON.Limits(depth: 32, bytes: limit)

    private static func bytes(_ json: JSON?) -> [UInt8]? { json?.stringValue.flatMap { PhoneWire.bytes($0) } }
}
