import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

@Suite("People and addresses that the configuration names")
struct ConfiguredPeopleTests {
    private static let topic = "a-topic-nobody-guesses"

    private static func anna(_ change: (inout PersonSettings) -> Void = { _ in }) -> PersonSettings {
        var anna = PersonSettings(name: "Anna")
        anna.language = .german
        anna.addresses = [
            .init(kind: .topic, name: "Pixel", value: Secret(topic), allowed: [.seen, .status, .arm])
        ]
        change(&anna)
        return anna
    }

    private static func reload(_ bench: inout Bench, _ people: [PersonSettings]) {
        var configuration = bench.configuration
        configuration.phones.people = people
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(10))
    }

    @Test(
        "a store app of the file is told that it is, then hears of an alarm in its person's language, without pairing")
    func aStoreAppOfTheFileIsTold() throws {
        var bench = Bench.withTopics { $0.people = [Self.anna()] }
        let first = try #require(bench.topics.published.last)
        #expect(first.topic == Self.topic)
        #expect(first.title == "Mill: Probe")
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let alarm = try #require(bench.topics.published.last)
        #expect(alarm.topic == Self.topic && alarm.title.contains("ALARM"))
        #expect(alarm.message.hasPrefix("Bereich 1, "))
        #expect(alarm.buttons.map(\.label).contains("Gesehen"))
        let contact = try #require(bench.push.book?.contacts.first)
        #expect(contact.commandsFrom == contact.value + "--")
        #expect(contact.allowed == [.seen, .status, .arm])
    }

    @Test("who is added reads the house's language: by pairing, at the box, in the file; who is there keeps his")
    func whoIsAddedReadsTheHousesLanguage() throws {
        var bench = Bench.withTopics()
        bench.ask(.people(.add(name: "Ada", PersonChange())), as: 60)
        var configuration = bench.configuration
        configuration.language = .german
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(10))
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.ask(.people(.add(name: "Ben", PersonChange())), as: 61)
        bench.ask(.people(.add(name: "Eve", PersonChange(language: "en"))), as: 62)
        configuration.phones.people = [
            PersonSettings(name: "Cleo"), PersonSettings(name: "Dora"), PersonSettings(name: "ada"),
        ]
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.seconds(10))
        let people = try #require(bench.push.book?.people)
        #expect(Set(people.map(\.id.number)).count == 6)
        let languages = Dictionary(uniqueKeysWithValues: people.map { ($0.name, $0.language) })
        #expect(languages == ["ada": "en", "Anna": "de", "Ben": "de", "Eve": "en", "Cleo": "de", "Dora": "de"])
    }

    @Test("what its buttons may ask for is what the file names, and disarming needs a server of one's own")
    func whatItsButtonsMayAskForIsWhatTheFileNames() throws {
        var bench = Bench.withTopics { phones in
            phones.people = [Self.anna { $0.addresses[0].allowed = [.status, .disarm] }]
        }
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.topics.published.last?.buttons.map(\.label) == ["Status"])
    }

    @Test("an address that stands in the file no more is told nothing more, and its person stays")
    func anAddressThatStandsInTheFileNoMoreIsToldNothing() throws {
        var bench = Bench.withTopics { $0.people = [Self.anna()] }
        let told = bench.topics.published.count
        Self.reload(&bench, [])
        #expect(bench.push.book?.contacts == [])
        #expect(bench.push.book?.people.map(\.name) == ["Anna"])
        bench.panel("6011003")
        bench.advance(.seconds(10))
        #expect(bench.topics.published.count == told)
        // Back in the file it is another address.
        Self.reload(&bench, [Self.anna()])
        #expect(bench.topics.published.count > told)
    }

    @Test("one that was revoked at the box stays so until the file names another")
    func oneThatWasRevokedAtTheBoxStaysSo() throws {
        var bench = Bench.withTopics { $0.people = [Self.anna()] }
        bench.ask(.phones(.revoke(phone: "Pixel")), as: 80)
        bench.advance(.seconds(1))
        let told = bench.topics.published.count
        Self.reload(&bench, [Self.anna { $0.language = .english }])
        bench.panel("6011003")
        bench.advance(.seconds(10))
        #expect(bench.topics.published.count == told)
        Self.reload(&bench, [Self.anna { $0.addresses[0].value = Secret("another-topic-to-guess") }])
        #expect(bench.topics.published.last?.topic == "another-topic-to-guess")
        #expect(bench.push.book?.contacts.count == 1)
    }

    @Test(
        "what the file says cannot be changed at the box; what it does not say can",
        arguments: [
            (PeopleRequest.set(name: "anna", PersonChange(language: "en")), false),
            (.rename(from: "Anna", to: "Ann"), false), (.remove(name: "Anna"), false),
            (.set(name: "Anna", PersonChange(isDuressContact: true)), true),
            (.set(name: "Anna", PersonChange(receives: [.alarm])), true),
        ])
    func whatTheFileSaysCannotBeChangedAtTheBox(request: PeopleRequest, isDone: Bool) throws {
        var bench = Bench.withTopics { $0.people = [Self.anna()] }
        let before = bench.push.book
        bench.ask(.people(request), as: 80)
        bench.advance(.seconds(1))
        let reply = try #require(bench.replies.last { $0.client == Bench.client(80) }?.reply)
        if case .error(let why) = reply {
            #expect(!isDone)
            #expect(why.hasSuffix("of Anna stands in howalarming.yaml; change it there, under 'people'"))
        } else {
            #expect(isDone)
        }
        #expect((bench.push.book != before) == isDone)
    }

    /// The house of a person whose roles the file names, and what a pairing with these roles shows.
    private static func pairing(roles: Roles?, named: Roles?) -> (Bench, ControlReply?) {
        var configuration = Bench.phoneConfiguration()
        var anna = PersonSettings(name: "Anna")
        anna.roles = named
        configuration.phones.people = [anna]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        bench.ask(.phones(.pair(person: "anna", roles: roles, noPresence: false)), as: 90)
        return (bench, bench.replies.last { $0.client == Bench.client(90) }?.reply)
    }

    @Test(
        "a pairing shows what the phone is granted, and is refused where the file grants the person something else",
        arguments: [
            (nil, nil, [.view, .arm, .disarm]), (.view, nil, .view), (nil, [.view, .arm], [.view, .arm]),
            ([.view, .arm], [.view, .arm], [.view, .arm]), (.view, [.view, .arm, .disarm], nil),
            ([.view, .arm, .disarm], .view, nil), ([.view, .arm], [.view, .disarm], nil),
        ] as [(Roles?, Roles?, Roles?)])
    func aPairingShowsWhatThePhoneIsGranted(asked: Roles?, named: Roles?, granted: Roles?) throws {
        let (bench, reply) = Self.pairing(roles: asked, named: named)
        if let granted {
            #expect(reply == .pairing(.ready(validFor: .minutes(10), roles: granted)))
        } else {
            let why = "the list of roles of Anna stands in howalarming.yaml; change it there, under 'people'"
            #expect(reply == .error(why))
            #expect(bench.push.vault.pairingText == nil)
        }
    }

    @Test("the roles of a person's phones are those of the file, and a reload changes them")
    func theRolesOfAPersonsPhonesAreThoseOfTheFile() throws {
        var configuration = Bench.phoneConfiguration()
        var anna = PersonSettings(name: "Anna")
        anna.roles = [.view, .arm]
        configuration.phones.people = [anna]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        _ = try bench.pair(roles: nil)
        #expect(bench.push.book?.phones.map(\.roles) == [[.view, .arm]])
        anna.roles = [.view]
        Self.reload(&bench, [anna])
        #expect(bench.push.book?.phones.map(\.roles) == [[.view]])
    }

    @Test("an account of the file disarms by a code as soon as its person has codes, and not before")
    func anAccountOfTheFileDisarmsByACode() throws {
        var bench = Bench.withChat { configuration in
            var anna = PersonSettings(name: "Anna")
            anna.addresses = [
                .init(kind: .xmpp, name: "Chat", value: Secret(ChatServer.anna), allowed: [.status, .disarm])
            ]
            configuration.phones.people = [anna]
        }
        #expect(bench.push.book?.contacts.map(\.allowed) == [[.status]])
        bench.ask(.phones(.codes(person: "Anna")), as: 80)
        let secret = bench.shownSecret
        bench.ask(.phones(.confirm(Secret(bench.code(secret)))), as: 81)
        bench.advance(.minutes(1))
        #expect(bench.push.book?.contacts.map(\.allowed) == [[.status, .disarm]])
        bench.say("disarm \(bench.code(secret))")
        #expect(bench.disarmLines == 1)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        bench.bounce("item-not-found")
        let words = bench.events(.phoneLost).last?.message ?? ""
        #expect(words.hasSuffix(" Write another address into howalarming.yaml, under 'people'."), "\(words)")
    }

    @Test("a duress mark of the file makes its person, and nobody else, hear of duress")
    func aDuressMarkOfTheFileCounts() throws {
        var ben = PersonSettings(name: "Ben")
        ben.addresses = [.init(kind: .topic, name: "Phone", value: Secret("bens-own-long-topic"), allowed: [])]
        var bench = Bench.withTopics { $0.people = [Self.anna { $0.isDuressContact = true }, ben] }
        let before = bench.topics.published.count
        bench.panel("620")
        bench.advance(.seconds(5))
        #expect(bench.topics.published.dropFirst(before).map(\.topic) == [Self.topic])
    }
}
