import ApplianceCore
import Platform
import YAMLConfiguration

/// Turns the owner's card into the configuration in force.
///
/// Guarantees: a secret is on data for good before its line on the card is blanked; after a failure or a power cut at
/// any step the next start ends as this one would have; a card with errors changes nothing but the file that tells them.
struct CardImport {
    static let fileName = "howalarming.yaml"
    static let errorsName = "howalarming-errors.txt"
    /// What is to become the configuration: both of its files at once.
    static let pendingName = "card-import"
    private static let secretsName = CardFiles.secretsName

    var storage: any CardStorage
    /// What a card without a configuration gets; nil where there is no such file.
    var template: [UInt8]?

    /// A configuration of the card that is good.
    struct Good {
        var blanked: [UInt8]
        var working: [UInt8]
        var secrets: [UInt8]
        var network: NetworkSettings
        var hooks: [HookFile]
        /// Files beside it that it refers to.
        var files: [(name: String, bytes: [UInt8])]
        var warnings: [CardReport.Problem]
    }

    enum Reading {
        case good(Good)
        case bad([CardReport.Problem])
    }

    /// Changes that wait for the moment in which the card may be written.
    private struct CardChanges {
        var writes: [(name: String, bytes: [UInt8])] = []
        var removals: [String] = []
        var resetsPIN = false
        var isEmpty: Bool { writes.isEmpty && removals.isEmpty }
    }

    /// - Throws: what kept data from being written: nothing on the card has changed then
    func run() throws(SystemError) -> CardReport {
        var changes = CardChanges()
        var remarks: [CardReport.Problem] = []
        do throws(SystemError) {
            try finishPending()
        } catch {
            // Without a network nobody could be told.
            writeNetwork(earlier()?.network ?? NetworkSettings(), &remarks)
            throw error
        }
        var report: CardReport
        var network: NetworkSettings?
        let hooks: [HookFile]
        switch read(&changes, &remarks) {
        case .good(let good):
            network = good.network
            hooks = good.hooks
            do throws(SystemError) {
                try keep(good)
            } catch {
                // What the card says of the network helps whoever comes to look.
                writeNetwork(good.network, &remarks)
                throw error
            }
            change(CardImport.fileName, to: good.blanked, &changes)
            for file in good.files where Self.holdsKey(file.bytes) { changes.removals.append(file.name) }
            report = CardReport(inForce: .card, problems: good.warnings)
            if hasOnCard(CardImport.errorsName) { changes.removals.append(CardImport.errorsName) }
        case .bad(let problems):
            let earlier = earlier()
            network = earlier?.network
            hooks = earlier?.hooks ?? []
            report = CardReport(inForce: network == nil ? .none : .earlier, problems: problems)
            change(CardImport.errorsName, to: Array(report.text.utf8), &changes)
        }
        if hasOnCard(PINResetFile.name) {
            changes.removals.append(PINResetFile.name)
            changes.resetsPIN = true
        }
        writeNetwork(network ?? NetworkSettings(), &remarks)
        remarks += HookPrograms(storage: storage).install(hooks)
        apply(changes, &remarks)
        report.add(remarks)
        if (try? storage.read(.data(CardReport.fileName))) != Array(report.json.utf8) {
            try storage.write(.data(CardReport.fileName), Array(report.json.utf8))
        }
        return report
    }

    // MARK: The card

    private func read(_ changes: inout CardChanges, _ remarks: inout [CardReport.Problem]) -> Reading {
        let found: [UInt8]?
        do throws(SystemError) {
            found = try storage.read(.card(Self.fileName))
        } catch {
            return .bad([
                CardReport.Problem(
                    what: "the card cannot be read: \(error)",
                    expected: "a card with \(Self.fileName) of at most \(ConfigurationReader.sizeLimit) bytes")
            ])
        }
        if let found {
            guard found == template else { return evaluate(found) }
            // A new card after a backup was brought back.
            if let text = keptText() {
                remarks.append(
                    CardReport.Problem(
                        isError: false,
                        what: "\(Self.fileName) on the card was the example; the one that holds was put there"))
                return evaluate(text)
            }
            return .bad([
                CardReport.Problem(
                    line: 1, column: 1, what: "this is the example as it came, so nothing of it is used",
                    expected: "your house: at least the address and the password in 'panel'")
            ])
        }
        let wrongName = "\(Self.fileName).txt"
        guard !hasOnCard(wrongName) else {
            return .bad([
                CardReport.Problem(
                    what: "there is no \(Self.fileName) on the card, but \(wrongName)",
                    expected: "the name without .txt")
            ])
        }
        if let text = keptText() {
            remarks.append(
                CardReport.Problem(
                    isError: false, what: "\(Self.fileName) was missing on the card; the one that holds was put back"))
            return evaluate(text)
        }
        if let template { changes.writes.append((Self.fileName, template)) }
        return .bad([
            CardReport.Problem(
                what: "there was no \(Self.fileName) on the card"
                    + (template == nil ? "" : "; an example was put there"),
                expected: "your house in it: at least the address and the password in 'panel'")
        ])
    }

    /// The configuration in force, as it would stand on the card.
    private func keptText() -> [UInt8]? {
        ((try? storage.read(.data(Self.fileName))) ?? nil).flatMap { CardText.owners($0, secrets: Self.secretsName) }
    }

    /// Reads the card's text as the daemon would, and makes of it what the daemon is to read.
    func evaluate(_ bytes: [UInt8]) -> Reading {
        let card: CardText
        do throws(YAMLProblem) {
            card = try CardText(bytes)
        } catch {
            return .bad([CardReport.Problem(error)])
        }
        let before = KeptSecrets(((try? storage.read(.data(Self.secretsName))) ?? nil) ?? [])
        // For the reading, what stands on the card stays there: problems have their place.
        var taken = KeptSecrets()
        for place in card.blank { if let text = before[place.kept] { taken.keep(text, at: place.kept) } }
        let files = CardFiles(storage, secrets: taken.bytes)
        let result = ConfigurationReader.read(
            bytes: bytes, name: Self.fileName, files: files, secrets: Self.secretsName)
        var problems = result.problems.map { CardReport.Problem($0) }
        problems += remarks(on: card)
        guard let network = result.network, !problems.contains(where: \.isError) else { return .bad(problems) }
        for secret in card.written { taken.keep(secret.text, at: secret.place.kept) }
        do throws(YAMLProblem) {
            let blanked = try card.blanked()
            let working = try CardText.working(blanked, secrets: Self.secretsName)
            // The proof: what the daemon will read means what the owner wrote.
            let again = ConfigurationReader.read(
                bytes: working, name: Self.fileName, files: CardFiles(storage, secrets: taken.bytes))
            guard again.configuration == result.configuration, again.network == network else {
                let sample = again.problems.first { $0.severity == .error }?.what ?? "it means something else"
                problems.append(CardReport.Problem(what: "the secrets cannot be taken from the file: \(sample)"))
                return .bad(problems)
            }
            // Of the text as it is on the card from now on: what is behind a secret on its line has moved.
            let warnings =
                (again.problems + Self.examples(in: taken.bytes, of: CardFiles.secretsName))
                .map { CardReport.Problem($0) } + remarks(on: try CardText(blanked))
            return .good(
                Good(
                    blanked: blanked, working: working, secrets: taken.bytes, network: network, hooks: result.hooks,
                    files: files.found, warnings: warnings))
        } catch {
            return .bad(problems + [CardReport.Problem(error)])
        }
    }

    private static func examples(in bytes: [UInt8], of file: String) -> [ConfigurationProblem] {
        (try? YAMLDocument.parse(bytes).root).map { ExampleValues.warnings(in: $0, of: file) } ?? []
    }

    /// What is only said of a file on the card.
    private func remarks(on card: CardText) -> [CardReport.Problem] {
        var problems = Self.examples(in: card.bytes, of: Self.fileName).map { CardReport.Problem($0) }
        if case .mapping(let entries) = card.root.content, let entry = entries.first(where: { $0.key == "secrets" }) {
            problems.append(
                CardReport.Problem(
                    line: entry.keyMark.line, column: entry.keyMark.column,
                    what: "'secrets' is not for the card: secrets that are written in this file are kept on the box",
                    expected: "no 'secrets', and each secret in its own section"))
        }
        if case .sequence(let urls)? = card.root[["alert_url", "urls"]]?.content {
            for url in urls {
                guard let secret = url[["secret"]], !secret.isBlank else { continue }
                problems.append(
                    CardReport.Problem(
                        isError: false, line: secret.mark.line, column: secret.mark.column,
                        what: "the secret of a single address stays on the card, where everybody can read it",
                        expected: "'secret' in 'alert_url', for all of them"))
            }
        }
        return problems
    }

    private func hasOnCard(_ name: String) -> Bool { ((try? storage.read(.card(name))) ?? nil) != nil }

    private func change(_ name: String, to bytes: [UInt8], _ changes: inout CardChanges) {
        if ((try? storage.read(.card(name))) ?? nil) != bytes { changes.writes.append((name, bytes)) }
    }

    static func holdsKey(_ bytes: [UInt8]) -> Bool {
        let words = Array("PRIVATE KEY-----".utf8)
        guard bytes.count >= words.count else { return false }
        return (0...(bytes.count - words.count)).contains { bytes[$0...].starts(with: words) }
    }

    // MARK: Data, then the card

    /// Puts the configuration in force: first beside the old one, as a whole, then in its place.
    private func keep(_ good: Good) throws(SystemError) {
        for file in good.files {
            let before = try storage.read(.data(file.name))
            if before != file.bytes { try storage.write(.data(file.name), file.bytes) }
        }
        let secrets = try storage.read(.data(Self.secretsName))
        let working = try storage.read(.data(Self.fileName))
        guard secrets != good.secrets || working != good.working else { return }
        let pending = PendingImport(working: good.working, secrets: good.secrets)
        try storage.write(.data(Self.pendingName), pending.bytes)
        try carryOut(pending)
    }

    /// What a power cut interrupted.
    private func finishPending() throws(SystemError) {
        guard let bytes = try storage.read(.data(Self.pendingName)) else { return }
        guard let pending = PendingImport(bytes) else { return try storage.remove(.data(Self.pendingName)) }
        try carryOut(pending)
    }

    private func carryOut(_ pending: PendingImport) throws(SystemError) {
        try storage.write(.data(Self.secretsName), pending.secrets)
        try storage.write(.data(Self.fileName), pending.working)
        try storage.remove(.data(Self.pendingName))
    }

    private func apply(_ changes: CardChanges, _ remarks: inout [CardReport.Problem]) {
        guard !changes.isEmpty else { return }
        var hasToClose = false
        do throws(SystemError) {
            hasToClose = try storage.openCard()
            for file in changes.writes { try storage.write(.card(file.name), file.bytes) }
            for name in changes.removals { try storage.remove(.card(name)) }
            // Gone from the card before it takes effect: else every start would reset it.
            if changes.resetsPIN { try storage.write(.data(PINResetFile.name), []) }
        } catch {
            let isUntouched = changes.writes.contains { $0.name == Self.fileName }
            remarks.append(
                CardReport.Problem(
                    what: "the card cannot be written: \(error)" + (isUntouched ? "; secrets may still be on it" : ""),
                    expected: "a card that is not locked and has free space; a new one, if this one is worn out"))
        }
        guard hasToClose else { return }
        do throws(SystemError) {
            try storage.closeCard()
        } catch {
            remarks.append(CardReport.Problem(isError: false, what: "the card stays writable: \(error)"))
        }
    }

    // MARK: The network

    /// What the configuration that was good last says beside the daemon's own; nil if there is none.
    private func earlier() -> ConfigurationResult? {
        guard let bytes = (try? storage.read(.data(Self.fileName))) ?? nil else { return nil }
        let secrets = ((try? storage.read(.data(Self.secretsName))) ?? nil) ?? []
        return ConfigurationReader.read(
            bytes: bytes, name: Self.fileName, files: CardFiles(storage, secrets: secrets, usesCard: false))
    }

    private func writeNetwork(_ settings: NetworkSettings, _ remarks: inout [CardReport.Problem]) {
        let files = NetworkFiles(settings).files
        do throws(SystemError) {
            for file in files { try storage.write(.run(file.path, mode: file.mode), Array(file.text.utf8)) }
            for path in NetworkFiles.allPaths where !files.contains(where: { $0.path == path }) {
                try storage.remove(.run(path, mode: 0))
            }
        } catch {
            remarks.append(
                CardReport.Problem(
                    what: "the network cannot be set up: \(error)", expected: "a restart; a new card, if that helps not"
                ))
        }
    }
}
