import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// One-time codes (RFC 6238) of the one person of the house who has them: how somebody at the box sets them up, and what
/// is said with them by chat.
///
/// Guarantees: a code is the one that an authenticator app shows whose clock is right, made of the key that is in the key
/// file.
struct CodeHolder: Sendable {
    /// The setting up of codes as somebody at the box goes through it.
    struct Affair: Sendable {
        var client: ConnectionID
        var since: BootTime
        var isShown = false
        var confirmedAt: BootTime?
    }

    /// What is said, and from which accounts.
    struct Said: Sendable {
        var text: String
        var from: [String]
        /// It is right: of which step.
        var step: UInt64?
    }

    private static let verbs: [ContactVerb] = [.status, .log, .arm, .disarm]
    private static let lull = Duration.seconds(20)

    private(set) var affair: Affair?
    /// The key file's.
    private(set) var kept: [CodeSecret] = []
    /// As it was said last.
    private var lastSaid: String?
    /// When somebody tried last to set codes up, or to allow what wants them.
    private var triedAt = BootTime.zero

    mutating func keeps(_ codes: [CodeSecret]) { kept = codes }

    /// The daemon is gone, and nothing of it goes on.
    mutating func restarted() { affair = nil }

    // MARK: At the box

    /// After phones and store apps have been looked after.
    /// - Parameters:
    ///   - app: of the person, and the contact that it is
    ///   - text: what the box shows for an authenticator app
    mutating func wish(
        _ app: StoreApp, _ contact: Contact, _ book: PhoneBook, text: Secret?, wall: WallTime, at now: BootTime
    ) -> OwnersWish? {
        guard let person = book.person(named: app.person) else { return nil }
        if let affair { return goOn(with: affair, text: text, wall: wall, at: now) }
        guard now - triedAt > Self.lull else { return nil }
        triedAt = now
        if book.codes(of: person.id) == nil {
            return OwnersWish(request: .codes(person: person.name), begins: 0)
        }
        guard !contact.allowed.contains(.disarm) else { return nil }
        return OwnersWish(request: .allow(contact: app.name, Self.verbs, tellsArming: app.tellsArming))
    }

    private mutating func goOn(
        with affair: Affair, text: Secret?, wall: WallTime, at now: BootTime
    ) -> OwnersWish? {
        if now - affair.since > .seconds(150) {
            self.affair = nil
            return OwnersWish(request: .cancelPairing)
        }
        guard affair.isShown, affair.confirmedAt.map({ now - $0 > Self.lull }) ?? true,
            let secret = Self.secret(in: text), let code = Self.code(of: secret, wall)
        else { return nil }
        self.affair?.confirmedAt = now
        return OwnersWish(request: .confirm(Secret(code)))
    }

    mutating func begins(_ client: ConnectionID, at now: BootTime) { affair = Affair(client: client, since: now) }

    mutating func goesOn(_ progress: PairingProgress, on client: ConnectionID) {
        guard affair?.client == client else { return }
        switch progress {
        case .codesReady: affair?.isShown = true
        case .codesOn, .ended: affair = nil
        case .ready, .subscribe, .codeSent, .heard, .wrongCode, .paired: break
        }
    }

    /// What the picture shows to an authenticator app.
    private static func secret(in uri: Secret?) -> [UInt8]? {
        let query = uri?.revealed.split(separator: "?").last ?? ""
        guard let field = query.split(separator: "&").first(where: { $0.hasPrefix("secret=") }) else { return nil }
        return try? Base32.decode(String(field.dropFirst("secret=".count)))
    }

    /// As the authenticator app shows it.
    private static func code(of secret: [UInt8], _ wall: WallTime, stepsAgo: UInt64 = 0) -> String? {
        OneTimeCode.step(at: wall).map { OneTimeCode.code(secret, step: $0 - stepsAgo, ToyCrypto(seed: 0)) }
    }

    // MARK: By chat

    /// - Parameter others: accounts of others
    mutating func says(
        _ use: CodeUse, _ app: StoreApp, _ book: PhoneBook, others: [String], wall: WallTime
    ) -> Said? {
        guard let person = book.person(named: app.person), book.codes(of: person.id) != nil,
            let secret = kept.first(where: { $0.person == person.id })?.bytes
        else { return nil }
        func words(stepsAgo: UInt64 = 0) -> String? {
            Self.code(of: secret, wall, stepsAgo: stepsAgo).map { "disarm \($0)" }
        }
        let me = [app.address]
        switch use {
        case .right(let copies):
            guard let text = words() else { return nil }
            lastSaid = text
            let from = [String](repeating: app.address, count: copies)
            return Said(text: text, from: from, step: OneTimeCode.step(at: wall) ?? 0)
        case .again: return lastSaid.map { Said(text: $0, from: me) }
        case .wrong: return words(stepsAgo: 2880).map { Said(text: $0, from: me) }
        case .late: return words(stepsAgo: 4).map { Said(text: $0, from: me) }
        case .byAnother: return words().map { Said(text: $0, from: others) }
        }
    }
}
