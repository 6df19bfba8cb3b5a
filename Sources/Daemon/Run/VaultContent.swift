import AlarmModel
import ApplianceCore
import EventStore
import PhoneProtocol
import Platform

/// What lies in the phones' file for the vault alone.
struct VaultContent: Sendable {
    var keys: [PhoneKeys] = []
    var codes: [CodeSecret] = []
}

/// The same as bytes, on its way into that file. Secret, and never part of a batch.
struct VaultBytes: Sendable {
    private(set) var keys: [(PhoneID, [UInt8])] = []
    private(set) var codes: [(PersonID, [UInt8])] = []

    /// What goes with a batch's phone book; empty for a batch without one.
    init(_ vault: KeyVault<OpenSSLCrypto>, for batch: Batch) {
        guard let book = batch.phoneBook else { return }
        keys = vault.keys(of: book.phones.map(\.id)).compactMap { keys in
            (try? keys.bytes()).map { (keys.phone, $0) }
        }
        codes = vault.codes(of: book.codes.map(\.person)).map { ($0.person, $0.bytes) }
    }
}

extension Start {
    /// Takes over what the phones' file holds.
    ///
    /// - Returns: what is for the vault only
    mutating func take(_ phones: PhoneFileContent) -> VaultContent {
        phoneBook = phones.book
        if let problem = phones.problem { findings.append(.phoneFileDamaged(why: problem)) }
        let keys = phones.keys.compactMap { id, bytes -> PhoneKeys? in
            guard let keys = try? PhoneKeys(bytes: bytes), keys.phone == id else {
                findings.append(.phoneFileDamaged(why: "the keys of phone \(id) cannot be read; pair it again"))
                return nil
            }
            return keys
        }
        let codes = phones.codes.compactMap { person, bytes -> CodeSecret? in
            let secret = CodeSecret(person: person, bytes: bytes)
            if secret == nil {
                findings.append(
                    .phoneFileDamaged(why: "somebody's one-time codes cannot be read; set them up again"))
            }
            return secret
        }
        return VaultContent(keys: keys, codes: codes)
    }
}
