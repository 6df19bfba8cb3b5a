import AlarmModel
import ApplianceCore
import Testing

/// A house in which rights come and go, and a record of what somebody at the box was shown and confirmed.
private struct AuthorityHouse {
    /// Acts that can change rights. An act that is not possible now does nothing.
    enum Act: CaseIterable {
        case pair, pairViewOnly, pairByFile, fileNamesArm, fileNamesDisarm, fileNamesNobody, giveRole, takeRole
        case renamePhone, renamePerson, revoke, suspend, lift, backUp, restore, restoreOntoNewCard, restart
    }

    private var bench: Bench
    private var backup: PhoneBook?
    private var client: UInt64 = 1000
    /// Rights that somebody at the box was shown and confirmed, by phone; what was taken away since is not in it.
    private var confirmed: [PhoneID: Roles] = [:]
    private var revoked: [PhoneID] = []
    private var pairings = 0
    private(set) var acts: [Act] = []

    init() {
        bench = Bench.up(Bench.phoneConfiguration())
        bench.advance(.seconds(10))
    }

    var book: PhoneBook { bench.push.book ?? PhoneBook() }

    /// Broken promise; nil while authority is no more than what was confirmed.
    var fault: String? {
        for phone in book.phones {
            if revoked.contains(phone.id) { return "\(phone.id) is revived" }
            let more = phone.isSuspended ? [] : phone.roles.subtracting(.view).subtracting(confirmed[phone.id] ?? [])
            if !more.isEmpty { return "\(phone.id) gained \(more.names)" }
        }
        return nil
    }

    mutating func take(_ act: Act) throws {
        acts.append(act)
        switch act {
        case .pair: try pair([.view, .arm, .disarm, .admin])
        case .pairViewOnly: try pair(.view)
        case .pairByFile: try pair(nil)
        case .fileNamesArm: reload([.view, .arm])
        case .fileNamesDisarm: reload([.view, .disarm])
        case .fileNamesNobody: reload(nil)
        case .giveRole: setRoles([.view, .arm, .bypass])
        case .takeRole: setRoles(.view)
        case .renamePhone:
            if let phone = book.phones.first { ask(.phones(.rename(phone: phone.id.description, name: "N"))) }
        case .renamePerson: ask(.people(.rename(from: "Anna", to: "Ann")))
        case .revoke: revoke()
        case .suspend: suspend()
        case .lift: lift()
        case .backUp: backup = book
        case .restore: restore(over: book)
        case .restoreOntoNewCard: restore(over: nil)
        case .restart: bench = bench.restarted()
        }
        bench.advance(.seconds(1))
    }

    /// - Returns: the words of the box where it has done it
    @discardableResult
    private mutating func ask(_ request: ControlRequest) -> String? {
        client += 1
        bench.ask(request, as: client)
        bench.advance(.milliseconds(50))
        let number = client
        guard case .changed(let words)? = bench.replies.last(where: { $0.client == Bench.client(number) })?.reply else {
            return nil
        }
        return words
    }

    /// Pairs a phone for Anna; what counts as shown is what the ceremony shows.
    private mutating func pair(_ roles: Roles?) throws {
        pairings += 1
        client += 10
        bench.ask(.phones(.pair(person: "Anna", roles: roles, noPresence: false)), as: client)
        let shower = client
        guard
            case .pairing(.ready(_, _, let shown?))? =
                bench.replies.last(where: { $0.client == Bench.client(shower) })?.reply
        else { return }
        let before = book.phones.map(\.id)
        bench.ask(.phones(.cancelPairing), as: client + 1)
        _ = try bench.pair("Phone \(pairings)", roles: roles, token: "token-\(pairings)")
        for phone in book.phones where !before.contains(phone.id) { confirmed[phone.id] = shown }
    }

    /// The owner writes into the file what all phones of Anna may do.
    private mutating func reload(_ roles: Roles?) {
        var configuration = bench.configuration
        var anna = PersonSettings(name: "Anna")
        anna.roles = roles
        configuration.phones.people = roles == nil ? [] : [anna]
        bench.configuration = configuration
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(1))
        guard let roles, let person = book.person(named: "Anna") else { return }
        for phone in book.phones where phone.person == person.id { confirmed[phone.id] = roles }
    }

    private mutating func setRoles(_ roles: Roles) {
        guard let phone = book.phones.first,
            let words = ask(.phones(.role(phone: phone.id.description, roles))),
            words.contains("may now \(roles.names.joined(separator: ", ")).")
        else { return }
        confirmed[phone.id] = roles
    }

    private mutating func revoke() {
        guard let phone = book.phones.first, ask(.phones(.revoke(phone: phone.id.description))) != nil else { return }
        revoked.append(phone.id)
    }

    /// Suspends as the phone of an admin does: the mark in the book.
    private mutating func suspend() {
        guard !book.phones.isEmpty else { return }
        bench = bench.restarted { $0.phoneBook?.phones[0].isSuspended = true }
        confirmed[book.phones[0].id] = []
    }

    private mutating func lift() {
        guard let phone = book.phones.first(where: \.isSuspended),
            let words = ask(.phones(.lift(phone: phone.id.description)))
        else { return }
        let shown = phone.roles.names.joined(separator: ", ")
        if words.hasSuffix("may act again: \(shown).") { confirmed[phone.id] = phone.roles }
    }

    private mutating func restore(over current: PhoneBook?) {
        guard let backup else { return }
        let restored = backup.restored(over: current)
        // A new card knows of no revocation: somebody at the box looks at the list first.
        if current == nil { revoked = [] }
        bench = bench.restarted { $0.phoneBook = restored }
        confirmed = [:]
    }
}

@Suite("Authority")
struct AuthorityTests {
    /// Every sequence that continues this one.
    private func explore(_ house: AuthorityHouse, _ left: Int) throws {
        guard left > 0 else { return }
        for act in AuthorityHouse.Act.allCases {
            var next = house
            try next.take(act)
            if let fault = next.fault {
                Issue.record("\(fault) after \(next.acts)")
                continue
            }
            try explore(next, left - 1)
        }
    }

    @Test("authority grows only by an act at the box that showed exactly that right: each script")
    func authorityGrowsOnlyByAnActAtTheBox() throws {
        var house = AuthorityHouse()
        try house.take(.pair)
        try house.take(.backUp)
        try explore(house, 2)
    }

    @Test("authority grows only by an act at the box: long scripts by chance", arguments: 0..<6)
    func authorityGrowsOnlyByAnActAtTheBoxByChance(seed: Int) throws {
        var chance = Jitter(seed: UInt64(seed) &* 0x9E37_79B9 &+ 1)
        var house = AuthorityHouse()
        for _ in 0..<12 {
            let all = AuthorityHouse.Act.allCases
            try house.take(all[Int(chance.next() % UInt64(all.count))])
            guard let fault = house.fault else { continue }
            Issue.record("\(fault) after \(house.acts)")
            return
        }
    }
}
