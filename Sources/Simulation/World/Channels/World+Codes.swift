import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// One-time codes (RFC 6238) by chat: how somebody at the box sets them up, and what is said with them.
extension World {
    private var codedApp: StoreApp? { storeApps.first { $0.kind == .xmpp && $0.person == "Anna" } }
    private static let codedVerbs: [ContactVerb] = [.status, .log, .arm, .disarm]
    private static let lull = Duration.seconds(20)

    mutating func drawCodeUses(for span: Duration) {
        guard codedApp != nil else { return }
        var chance = Jitter(seed: seed ^ 0x63_6F_64_65_73)
        for (time, use) in CodeUse.draw(for: span, from: &chance) { agenda.add(.codeUse(use), at: time) }
    }

    // MARK: At the box

    /// After phones and store apps have been looked after.
    mutating func careForCodes() throws(Violation) {
        guard appliance != nil, affair == nil, contactAffair == nil, let app = codedApp, let contact = contact(of: app),
            let person = store.disk.phones.book?.person(named: app.person)
        else { return }
        if let affair = codeHolder.affair { return try goOn(with: affair) }
        guard now - codeHolder.triedAt > Self.lull else { return }
        codeHolder.triedAt = now
        if store.disk.phones.book?.codes(of: person.id) == nil {
            let request = PhonesRequest.codes(person: person.name)
            guard let client = boxOperator.begin(.phones(request), at: now) else { return }
            codeHolder.affair = CodeHolder.Affair(client: client, since: now)
            try submit(.phones(request), from: client)
        } else if !contact.allowed.contains(.disarm) {
            try operatorAsks(.phones(.allow(contact: app.name, Self.codedVerbs, tellsArming: app.tellsArming)))
        }
    }

    private mutating func goOn(with affair: CodeHolder.Affair) throws(Violation) {
        if now - affair.since > .seconds(150) {
            codeHolder.affair = nil
            try operatorAsks(.phones(.cancelPairing))
            return
        }
        guard affair.isShown, affair.confirmedAt.map({ now - $0 > Self.lull }) ?? true,
            let secret = Self.secret(in: vault.codesText), let code = code(of: secret)
        else { return }
        codeHolder.affair?.confirmedAt = now
        try operatorAsks(.phones(.confirm(Secret(code))))
    }

    mutating func codesGoOn(_ progress: PairingProgress, on client: ConnectionID) {
        guard codeHolder.affair?.client == client else { return }
        switch progress {
        case .codesReady: codeHolder.affair?.isShown = true
        case .codesOn, .ended: codeHolder.affair = nil
        case .ready, .subscribe, .codeSent, .heard, .wrongCode, .paired: break
        }
    }

    /// What the picture shows to an authenticator app.
    private static func secret(in uri: Secret?) -> [UInt8]? {
        let query = uri?.revealed.split(separator: "?").last ?? ""
        guard let field = query.split(separator: "&").first(where: { $0.hasPrefix("secret=") }) else { return nil }
        return try? Base32.decode(String(field.dropFirst("secret=".count)))
    }

    /// As the authenticator app shows it: its clock is right.
    private func code(of secret: [UInt8], stepsAgo: UInt64 = 0) -> String? {
        OneTimeCode.step(at: rightMoment.wall).map {
            OneTimeCode.code(secret, step: $0 - stepsAgo, ToyCrypto(seed: 0))
        }
    }

    // MARK: By chat

    mutating func happens(_ use: CodeUse) {
        guard let app = codedApp, let book = store.disk.phones.book, let person = book.person(named: app.person),
            book.codes(of: person.id) != nil,
            let secret = codeHolder.kept.first(where: { $0.person == person.id })?.bytes
        else { return }
        switch use {
        case .right(let copies):
            guard let code = code(of: secret) else { return }
            // Whatever comes of it, once.
            let step = OneTimeCode.step(at: rightMoment.wall) ?? 0
            channelChecks.give("code of step \(step)", to: app.address)
            channelChecks.give("code of step \(step)", to: ChannelChecks.coded(app.address))
            codeHolder.lastSaid = "disarm \(code)"
            for _ in 0..<copies { sayCode("disarm \(code)", from: app.address) }
        case .again: if let said = codeHolder.lastSaid { sayCode(said, from: app.address) }
        case .wrong: if let code = code(of: secret, stepsAgo: 2880) { sayCode("disarm \(code)", from: app.address) }
        case .late: if let code = code(of: secret, stepsAgo: 4) { sayCode("disarm \(code)", from: app.address) }
        case .byAnother:
            guard let code = code(of: secret) else { return }
            let others = storeApps.filter { $0.kind == .xmpp && $0.name != app.name }.map(\.address)
            for other in others + ["mallory@elsewhere.example"] { sayCode("disarm \(code)", from: other) }
        }
    }

    private mutating func sayCode(_ text: String, from: String) {
        guard let index = hosts.index(.xmpp) else { return }
        let id = channelChecks.name("coded")
        channelTurn(index, XMPPPeer.self) { $0.say(text, from: from, id: id, at: $1, into: &$2) }
    }
}
