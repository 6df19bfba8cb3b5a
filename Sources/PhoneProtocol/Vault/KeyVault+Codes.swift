package import AlarmModel

/// The secret of a person's one-time codes as it lies in the key file. Never in a log, an event or a recording.
package struct CodeSecret: Equatable, Sendable {
    package var person: PersonID
    /// `OneTimeCode.secretCount` of them.
    package var bytes: [UInt8]

    /// nil when there are not as many bytes as a secret has.
    package init?(person: PersonID, bytes: [UInt8]) {
        guard bytes.count == OneTimeCode.secretCount else { return nil }
        self.person = person
        self.bytes = bytes
    }
}

extension CodeSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the one-time codes of person \(person.number)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension KeyVault {
    /// A secret on the screen.
    struct NewCodes: Sendable {
        var secret: CodeSecret
        var uri: Secret
    }

    /// The URI for the QR picture, for the screen only; nil when none is to be shown.
    package var codesText: Secret? { newCodes?.uri }

    /// For the key file; ascending, without those that the vault does not have.
    package func codes(of people: [PersonID]) -> [CodeSecret] { codes.filter { people.contains($0.person) } }

    mutating func beginCodes(_ person: PersonID, issuer: String, account: String) -> VaultAnswer {
        newCodes = CodeSecret(person: person, bytes: crypto.random(OneTimeCode.secretCount)).map { secret in
            NewCodes(secret: secret, uri: OneTimeCode.uri(secret.bytes, issuer: issuer, account: account))
        }
        return .codesReady
    }

    mutating func confirmCodes(_ code: Secret, at time: WallTime) -> VaultAnswer {
        guard let new = newCodes,
            let step = OneTimeCode.check(code.revealed, secret: new.secret.bytes, at: time, lastUsed: nil, crypto)
        else { return .codeStep(nil) }
        keep(new.secret)
        newCodes = nil
        return .codeStep(step)
    }

    func checkCode(_ code: Secret, of person: PersonID, at time: WallTime, lastUsed: UInt64) -> VaultAnswer {
        guard let secret = codes.first(where: { $0.person == person }) else { return .codeStep(nil) }
        return .codeStep(
            OneTimeCode.check(code.revealed, secret: secret.bytes, at: time, lastUsed: lastUsed, crypto))
    }
}
