import AlarmModel

/// The passphrase of a backup.
enum Passphrase {
    static let shortest = 8

    /// For sealing: asked twice, because nobody sees what is typed.
    static func forSealing(file: String?) throws(SecretInputError) -> Secret {
        let passphrase: Secret
        if let file {
            passphrase = try SecretInput.file(file)
        } else {
            passphrase = try SecretInput.terminal("Passphrase")
        }
        guard passphrase.revealed.count >= shortest else { throw .tooShort(shortest) }
        guard file == nil else { return passphrase }
        guard try SecretInput.terminal("The same again") == passphrase else { throw .differ }
        return passphrase
    }

    static func forOpening(file: String?) throws(SecretInputError) -> Secret {
        if let file { return try SecretInput.file(file) }
        return try SecretInput.terminal("Passphrase")
    }
}
