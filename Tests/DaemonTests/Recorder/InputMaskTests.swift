import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulation
import Testing

@testable import Daemon

/// The mask finds tokens by the names of members (docs/ARCHITECTURE.md 2). Here they are looked for by their types, so
/// that a member with another name does not let one through.
@Suite("Secrets in the inputs of simulated houses")
struct InputMaskTests {
    @Test(
        "no token of a phone is in any recorded input, wherever it stands",
        arguments: [(seed: UInt64(1), channel: ChannelKind.ccs), (seed: UInt64(9), channel: .fcm)])
    func noTokenOfAPhoneIsInAnyRecordedInput(house: (seed: UInt64, channel: ChannelKind)) throws {
        var inputs: [Input] = []
        var effects: [[Effect]] = []
        _ = WitnessedRun.live(seed: house.seed, span: .minutes(20), channels: [house.channel]) { input, _, ordered in
            inputs.append(input)
            effects.append(ordered)
        }
        let tokens = Self.tokens(in: inputs, effects)
        #expect(tokens.count >= 2)
        var mask = InputMask(placeholders: SecretPlaceholders(key: [UInt8](repeating: 7, count: 16)))
        var found = 0
        for (input, ordered) in zip(inputs, effects) {
            if case .started = input {
                mask = InputMask(placeholders: SecretPlaceholders(key: [UInt8](repeating: 7, count: 16)))
            }
            let text = Self.text(try mask.masked(input, keepsDigits: true))
            for token in tokens where text.contains(token) { Issue.record("\(token) is in \(text.prefix(400))") }
            if tokens.contains(where: { Self.text(input).contains($0) }) { found += 1 }
            mask.note(ordered)
        }
        // There was something to find.
        #expect(found >= 3)
    }

    @Test("each kind of token that a phone book can hold is masked where a run begins")
    func eachKindOfTokenIsMasked() throws {
        let time = WallTime(milliseconds: 1_795_000_000_000)
        let kinds: [AddressKind] = [.fcmToken, .fcmInstallation, .webPush]
        let addresses = kinds.enumerated().map { number, kind in
            PhoneAddress(id: AddressID(Int64(number + 1)), kind: kind, value: "a-token-Of-kind-\(kind.rawValue)")
        }
        var start = Start(configuration: try RecorderBench.house(), seed: 4, bootMark: "0badcafe")
        start.phoneBook = PhoneBook(
            people: [Person(id: PersonID(1), name: "Anna", isDuressContact: false, receives: [.alarm])],
            phones: [
                Phone(
                    id: PhoneID(1), person: PersonID(1), name: "Pixel", roles: .view, hasPresenceKey: true,
                    addresses: addresses, pairedAt: time)
            ],
            legacyPhones: [
                LegacyPhone(address: AddressID(9), token: "a-token-Of-an-app", allowed: [], approvedAt: time)
            ])
        let tokens = Self.tokens(in: [.started(start)], [])
        #expect(tokens.count == 4)
        var mask = InputMask(placeholders: SecretPlaceholders(key: [UInt8](repeating: 7, count: 16)))
        let text = Self.text(try mask.masked(.started(start), keepsDigits: true))
        for token in tokens { #expect(!text.contains(token)) }
        #expect(text.contains("Pixel"))
    }

    @Test("the key of a picture is masked where the taker says it and where the store gives it back; the rest stays")
    func theKeyOfAPictureIsMasked() throws {
        let key = "aB3-" + String(repeating: "Kz9", count: 13)
        let picture = PictureReference(
            camera: "Garage", url: "https://ntfy.sh/file/Zx81.bin", key: Secret(key),
            hash: String(repeating: "h", count: 43), bytes: 50_022, expires: WallTime(milliseconds: 1_795_010_800_000))
        let line = PictureAnswer.sealed(picture).json.utf8 + [0x0A]
        let connection = ConnectionID(0x0300_0000_0000_0001)
        for cut in stride(from: 1, to: line.count, by: 7) {
            var mask = InputMask(placeholders: SecretPlaceholders(key: [UInt8](repeating: 7, count: 16)))
            var masked: [UInt8] = []
            for piece in [Array(line[..<cut]), Array(line[cut...])] {
                guard case .received(_, let bytes) = try mask.masked(.received(connection, piece), keepsDigits: true)
                else { return }
                masked += bytes
            }
            #expect(!String(decoding: masked, as: UTF8.self).contains(key))
            guard case .sealed(var read)? = PictureAnswer(Array(masked.dropLast())) else {
                Issue.record("what is recorded cannot be read: \(String(decoding: masked, as: UTF8.self))")
                return
            }
            read.key = picture.key
            #expect(read == picture)
        }
        let event = Event(
            type: .info, code: "CAMERA", raw: "CAMERA", message: "a", time: WallTime(milliseconds: 1),
            isTimeTrusted: true)
        let message = StoredMessage(
            message: MessageID("00000001-2"), address: AddressID(3), seq: SequenceNumber(8), event: event,
            createdAt: WallTime(milliseconds: 8), expiresAt: WallTime(milliseconds: 9), state: .waiting,
            picture: picture)
        var mask = InputMask(placeholders: SecretPlaceholders(key: [UInt8](repeating: 7, count: 16)))
        let rows = try mask.masked(
            .rows(QueryID(1), .messages(OutboxPage(messages: [message]))), keepsDigits: true)
        guard case .rows(_, .messages(let page)) = rows else { return }
        #expect(page.messages[0].picture?.key != picture.key && page.messages[0].picture?.url == picture.url)
    }

    @Test("of a browser's subscription place and secret are masked, and what is left can be read as one again")
    func ofABrowsersSubscriptionPlaceAndSecretAreMasked() throws {
        let point = Base64URL.encode([4] + [UInt8](repeating: 5, count: 64))
        let secret = Base64URL.encode((1...16).map { UInt8($0) })
        let place = "/fcm/send/d4Xq:APA91bF"
        let value = #"{"endpoint":"https://fcm.googleapis.com\#(place)","p256dh":"\#(point)","auth":"\#(secret)"}"#
        let address = PhoneAddress(id: AddressID(1), kind: .webPush, value: value)
        var start = Start(configuration: try RecorderBench.house(), seed: 4, bootMark: "0badcafe")
        start.phoneBook = PhoneBook(
            people: [Person(id: PersonID(1), name: "Anna", isDuressContact: false, receives: [.alarm])],
            phones: [
                Phone(
                    id: PhoneID(1), person: PersonID(1), name: "Pixel", roles: .view, hasPresenceKey: true,
                    addresses: [address], pairedAt: WallTime(milliseconds: 1_795_000_000_000))
            ])
        var mask = InputMask(placeholders: SecretPlaceholders(key: [UInt8](repeating: 7, count: 16)))
        let masked = try mask.masked(.started(start), keepsDigits: true)
        let text = Self.text(masked)
        #expect(!text.contains(place) && !text.contains(secret.prefix(20)) && text.contains("fcm.googleapis.com"))
        guard case .started(let kept) = masked else {
            Issue.record("it is another input")
            return
        }
        let left = try #require(kept.phoneBook?.phones.first?.addresses.first?.value)
        #expect(try WebPushSubscription(left).endpoint.host == "fcm.googleapis.com" && left != value)
    }

    private static func tokens(in inputs: [Input], _ effects: [[Effect]]) -> Set<String> {
        var books: [PhoneBook] = []
        for case .started(let start) in inputs { books += start.phoneBook.map { [$0] } ?? [] }
        for case .commit(let batch) in effects.joined() { books += batch.phoneBook.map { [$0] } ?? [] }
        let addresses = books.flatMap(\.phones).flatMap(\.addresses).filter { address in
            switch address.kind {
            case .fcmToken, .fcmInstallation, .webPush: true
            case .topic, .xmpp, .mqtt: false
            }
        }
        return Set(addresses.map(\.value) + books.flatMap(\.legacyPhones).map(\.token))
    }

    private static func text(_ input: Input) -> String {
        if case .received(_, let bytes) = input { return String(decoding: bytes, as: UTF8.self) }
        return (try? JSON.encoding(input, placeholder: SecretPlaceholder { $0 }).text) ?? ""
    }
}
