import AlarmModel
import EventStore
import Glibc
import Testing

@Suite("The phones' file")
struct PhoneFileTests {
    static func book(_ version: UInt64) -> PhoneBook {
        let phone = Phone(
            id: PhoneID(0xFEED_0000_0000_0001), person: PersonID(1), name: "Küche \u{1F4F1}", roles: [.view, .arm],
            hasPresenceKey: true,
            addresses: [PhoneAddress(id: AddressID(1), kind: .fcmToken, value: "t", state: .retiring(until: .early))],
            pairedAt: .early)
        return PhoneBook(
            people: [Person(id: PersonID(1), name: "Ann")], phones: [phone], dead: [PhoneID(.max)], nextPerson: 2,
            nextAddress: 2, version: version)
    }

    static let keys: [(PhoneID, [UInt8])] = [
        (PhoneID(0xFEED_0000_0000_0001), Array(0...255)), (PhoneID(1), []),
    ]

    static func version(_ workshop: Workshop) throws -> UInt64 {
        try PhoneFile.read(in: workshop.directory).book.version
    }

    static func images(_ workshop: Workshop) throws -> [[UInt8]] {
        try PhoneFile.names.map { try workshop.bytes($0) }
    }

    @Test("what was written is read back, two copies of it, for their owner only")
    func whatWasWrittenIsReadBack() throws {
        let workshop = Workshop()
        let nothing = try PhoneFile.read(in: workshop.directory)
        #expect(nothing.book == PhoneBook() && nothing.keys.isEmpty && nothing.problem == nil)
        #expect(try StateFile.names(in: workshop.directory).isEmpty)
        try PhoneFile.write(Self.book(1), Self.keys, in: workshop.directory)
        let content = try PhoneFile.read(in: workshop.directory)
        #expect(content.book == Self.book(1))
        #expect(content.keys.map(\.0) == Self.keys.map(\.0))
        #expect(content.keys.map(\.1) == Self.keys.map(\.1))
        #expect(content.problem == nil)
        #expect(try StateFile.names(in: workshop.directory) == PhoneFile.names)
        let images = try Self.images(workshop)
        #expect(images[0] == images[1])
        for name in PhoneFile.names {
            var status = stat()
            #expect(stat("\(workshop.directory)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test("secrets of one-time codes are kept beside the keys; without any the file is as older programs know it")
    func secretsOfOneTimeCodesAreKeptBesideTheKeys() throws {
        let workshop = Workshop()
        try PhoneFile.write(Self.book(1), Self.keys, in: workshop.directory)
        #expect(try Self.images(workshop)[0][8..<10] == [0, 1])
        let codes: [(PersonID, [UInt8])] = [(PersonID(1), Array(repeating: 7, count: 20)), (PersonID(9), [])]
        try PhoneFile.write(Self.book(2), Self.keys, codes: codes, in: workshop.directory)
        let content = try PhoneFile.read(in: workshop.directory)
        #expect(content.codes.map(\.0) == codes.map(\.0) && content.codes.map(\.1) == codes.map(\.1))
        #expect(content.keys.map(\.1) == Self.keys.map(\.1) && content.problem == nil)
        let image = try Self.images(workshop)[0]
        #expect(image[8..<10] == [0, 2])
        // A byte of them that is another one is seen.
        var damaged = image
        damaged[image.count - 24] ^= 1
        try workshop.write(damaged, "phones.keys.1")
        try workshop.write(damaged, "phones.keys.2")
        #expect(try PhoneFile.read(in: workshop.directory).problem?.contains("checksum") == true)
    }

    @Test("wherever power goes while the copies are written, the old or the new content is read", arguments: [0, 1])
    func whereverPowerGoesWhileTheCopiesAreWritten(_ first: Int) throws {
        let workshop = Workshop()
        try PhoneFile.write(Self.book(1), Self.keys, in: workshop.directory)
        let old = try Self.images(workshop)[0]
        try PhoneFile.write(Self.book(2), [], in: workshop.directory)
        let new = try Self.images(workshop)[0]
        let second = 1 - first
        func place(_ bytes: [UInt8], _ index: Int) throws { try workshop.write(bytes, PhoneFile.names[index]) }
        for cut in 0..<new.count {
            // In the midst of the first copy, then of the second.
            try place(Array(new[..<cut]), first)
            try place(old, second)
            var content = try PhoneFile.read(in: workshop.directory)
            try #require(content.book.version == 1 && content.keys.count == 2, "cut at \(cut)")
            try #require(content.problem?.contains("damaged") == true, "cut at \(cut)")
            try #require(try Self.images(workshop) == [old, old], "cut at \(cut)")
            try place(new, first)
            try place(Array(new[..<cut]), second)
            content = try PhoneFile.read(in: workshop.directory)
            try #require(content.book.version == 2 && content.keys.isEmpty, "cut at \(cut)")
        }
        // Between the two.
        try place(new, first)
        try place(old, second)
        let content = try PhoneFile.read(in: workshop.directory)
        #expect(content.book.version == 2 && content.problem == nil)
        #expect(try Self.images(workshop) == [new, new])
    }

    @Test("a byte changed anywhere is noticed")
    func aByteChangedAnywhereIsNoticed() throws {
        let workshop = Workshop()
        try PhoneFile.write(Self.book(1), Self.keys, in: workshop.directory)
        let sound = try Self.images(workshop)[0]
        for place in sound.indices {
            var bytes = sound
            bytes[place] ^= UInt8(1 << (place % 8))
            try workshop.write(bytes, PhoneFile.names[0])
            let content = try PhoneFile.read(in: workshop.directory)
            try #require(content.problem?.contains("phones.keys.1 is damaged") == true, "byte \(place)")
            try #require(content.book == Self.book(1), "byte \(place)")
            try #require(try Self.images(workshop) == [sound, sound], "byte \(place)")
        }
    }

    @Test("with both copies damaged no phone is known, and they are kept")
    func withBothCopiesDamagedNoPhoneIsKnown() throws {
        let workshop = Workshop()
        try PhoneFile.write(Self.book(1), Self.keys, in: workshop.directory)
        for name in PhoneFile.names { try workshop.write([1, 2, 3], name) }
        let content = try PhoneFile.read(in: workshop.directory)
        #expect(content.book == PhoneBook() && content.keys.isEmpty)
        #expect(content.problem?.contains("no phone is known") == true)
        #expect(try workshop.bytes("phones.keys.2.damaged") == [1, 2, 3])
        try PhoneFile.write(Self.book(3), Self.keys, in: workshop.directory)
        #expect(try Self.version(workshop) == 3)
    }

    @Test(
        "a copy that cannot be written is an error, the other holds the new content, and the next try makes both good")
    func aCopyThatCannotBeWrittenIsAnError() throws {
        let workshop = Workshop()
        try PhoneFile.write(Self.book(1), Self.keys, in: workshop.directory)
        for (index, name) in PhoneFile.names.enumerated() {
            let obstacle = "\(workshop.directory)/\(name).new"
            #expect(mkdir(obstacle, 0o700) == 0)
            let version = UInt64(index * 2 + 2)
            let failure = thrown(StoreError.self) {
                try PhoneFile.write(Self.book(version), Self.keys, in: workshop.directory)
            }
            #expect(failure != nil)
            let content = try PhoneFile.read(in: workshop.directory)
            #expect(content.book.version == (index == 0 ? 1 : version))
            #expect((content.problem == nil) == (index == 0))
            rmdir(obstacle)
            try PhoneFile.write(Self.book(version + 1), Self.keys, in: workshop.directory)
            let images = try Self.images(workshop)
            #expect(images[0] == images[1])
            #expect(try Self.version(workshop) == version + 1)
        }
    }

    @Test("copies that cannot be read are an error, and are not written over")
    func copiesThatCannotBeReadAreAnError() throws {
        let workshop = Workshop()
        for name in PhoneFile.names { #expect(mkdir("\(workshop.directory)/\(name)", 0o700) == 0) }
        _ = thrown(StoreError.self) { try PhoneFile.read(in: workshop.directory) }
        _ = thrown(StoreError.self) { try PhoneFile.write(Self.book(1), [], in: workshop.directory) }
    }

    @Test("a backup takes the phones with it, and a restored one brings no other phones back")
    func aBackupTakesThePhonesWithIt() throws {
        let workshop = Workshop()
        var batch = Batch(1, .sample(1))
        batch.phoneLedger = [.sample(7)]
        _ = try workshop.open().commit([batch])
        try PhoneFile.write(Self.book(1), Self.keys, in: workshop.directory)
        var archive = try StateArchive(of: workshop.directory)
        for version in 2...5 { try PhoneFile.write(Self.book(UInt64(version)), [], in: workshop.directory) }
        let other = Workshop()
        try archive.restore(into: other.directory)
        // A key without its phone is left behind.
        #expect(try PhoneFile.read(in: other.directory).keys.map(\.1) == [Self.keys[0].1])
        let report = try other.open(run: "next").report
        #expect(report.isRestored && report.phoneCounters.isEmpty)
        #expect(try PhoneFile.read(in: other.directory).book.phones.map(\.isSuspended) == [true])
        archive.files.removeAll { $0.name == PhoneFile.names[1] }
        try archive.restore(into: workshop.directory, replacing: true)
        #expect(try Self.version(workshop) == 1)
    }

    // MARK: What a restore may bring back

    /// Phone book of Ann's house: a phone, a store app, an original app, one-time codes.
    private static func household(_ change: (inout PhoneBook) -> Void = { _ in }) -> PhoneBook {
        var book = book(1)
        book.dead = []
        book.contacts = [
            Contact(
                address: AddressID(2), person: PersonID(1), kind: .topic, name: "ntfy", value: "t/a",
                commandsFrom: "t/b", allowed: [.seen, .status, .arm], pairedAt: .early, state: .inUse)
        ]
        book.legacyPhones = [
            LegacyPhone(
                address: AddressID(3), token: "token", allowed: LegacyPhone.allowedByDefault, approvedAt: .early)
        ]
        book.codes = [PersonCodes(person: PersonID(1), lastStep: 5)]
        change(&book)
        return book
    }

    private static let ownKeys = [keys[0]]
    private static let ownCodes: [(PersonID, [UInt8])] = [(PersonID(1), [1])]

    /// What is there after the backup of a household was put in the place of another state, twice: the second time as
    /// after a power cut.
    private static func restored(
        over book: PhoneBook?, codes: [(PersonID, [UInt8])] = [], from backup: PhoneBook? = household()
    ) throws -> PhoneFileContent {
        let source = Workshop()
        _ = try source.open()
        if let backup { try PhoneFile.write(backup, ownKeys, codes: ownCodes, in: source.directory) }
        let archive = try StateArchive(of: source.directory)
        let target = Workshop()
        if let book {
            for _ in 0..<3 { try PhoneFile.write(book, [], codes: codes, in: target.directory) }
        }
        for _ in 0..<2 { try archive.restore(into: target.directory, replacing: true) }
        return try PhoneFile.read(in: target.directory)
    }

    @Test("a restore brings phones back that may not act, also onto a new card; who was revoked since stays so")
    func aRestoreRevivesNobody() throws {
        let onNewCard = try Self.restored(over: nil)
        #expect(onNewCard.book.phones.map(\.isSuspended) == [true])
        #expect(onNewCard.book.contacts.map(\.allowed) == [[.seen, .status]])
        #expect(onNewCard.book.contacts.map(\.state) == [.inUse])
        #expect(onNewCard.book.legacyPhones.map(\.allowed) == [[.ping, .status]])
        #expect(onNewCard.keys.map(\.1) == Self.ownKeys.map(\.1) && onNewCard.codes.map(\.1) == [[1]])
        let revoked = Self.household().phones[0].id
        let overRevoked = try Self.restored(
            over: Self.household {
                $0.phones = []
                $0.dead = [revoked, PhoneID(3)]
                $0.contacts[0].state = .gone(why: "it was revoked at the box")
            })
        #expect(overRevoked.book.phones.isEmpty && overRevoked.keys.isEmpty)
        #expect(Set(overRevoked.book.dead.map(\.number)) == [revoked.number, 3])
        #expect(overRevoked.book.contacts.map(\.state) == [.gone(why: "it was revoked at the box")])
    }

    @Test("a backup without phones keeps in mind who was revoked, so that the next one does not revive them either")
    func aBackupWithoutPhonesKeepsTheDead() throws {
        let restored = try Self.restored(over: Self.household { $0.dead = [PhoneID(3)] }, from: nil)
        #expect(restored.book.phones.isEmpty && restored.book.dead == [PhoneID(3)])
    }

    @Test(
        "one-time codes of a person whom both know are those of now, and of nobody else",
        arguments: [
            ("Ann", [PersonCodes(person: PersonID(1), lastStep: 9)], [2]), ("ANN", [], nil),
            ("Ben", [PersonCodes(person: PersonID(1), lastStep: 9)], [1]),
        ] as [(String, [PersonCodes], [UInt8]?)])
    func codesOfAPersonWhomBothKnow(name: String, codes: [PersonCodes], secret: [UInt8]?) throws {
        let now = Self.household {
            $0.people[0].name = name
            $0.codes = codes
        }
        let restored = try Self.restored(over: now, codes: codes.map { ($0.person, [2]) })
        #expect(restored.codes.map(\.1) == [secret].compactMap { $0 })
        let used: [UInt64] =
            switch secret {
            case nil: []
            case [2]?: [9]
            default: [5]
            }
        #expect(restored.book.codes.map(\.lastStep) == used)
    }
}
