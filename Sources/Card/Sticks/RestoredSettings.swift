import Glibc
package import Platform
import YAMLConfiguration

/// The configuration of a backup or of the set-up, put where the next start of the appliance takes it.
///
/// What stands on the owner's card goes before it: it holds only where the card has nothing but the example.
package enum RestoredSettings {
    /// - Parameters:
    ///   - main: the configuration
    ///   - secrets: its secrets, where they are a file of their own
    ///   - others: the files that it names, by name
    ///   - directory: where the appliance keeps its configuration, such as `/var/lib/howalarming/card`; it is made where
    ///     it is missing
    package static func keep(
        main: [UInt8], secrets: [UInt8], others: [(name: String, bytes: [UInt8])], in directory: String
    ) throws(SystemError) {
        try CardDirectories(card: directory, data: directory, network: directory, remounts: false).prepare()
        for file in others { try AtomicFile.write("\(directory)/\(file.name)", file.bytes) }
        try AtomicFile.write(
            "\(directory)/\(CardImport.pendingName)", PendingImport(working: main, secrets: secrets).bytes)
    }

    /// A whole configuration with its secrets, as an owner would write it on the card.
    ///
    /// - Throws: `YAMLProblem` if its secrets cannot be taken out of it
    package static func keep(text: [UInt8], in directory: String) throws {
        let card = try CardText(text)
        var secrets = KeptSecrets()
        for secret in card.written { secrets.keep(secret.text, at: secret.place.kept) }
        let working = try CardText.working(card.blanked(), secrets: CardFiles.secretsName)
        try keep(main: working, secrets: secrets.bytes, others: [], in: directory)
    }

    /// The next start goes on with the configuration that is there.
    package static func giveUp(in directory: String) { _ = unlink("\(directory)/\(CardImport.pendingName)") }
}
