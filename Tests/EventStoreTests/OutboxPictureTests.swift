import AlarmModel
import EventStore
import PhoneProtocol
import Testing

@Suite("Where a picture lies, in the outbox")
struct OutboxPictureTests {
    private static let picture = PictureReference(
        camera: "Garage", url: "https://ntfy.sh/file/Zx81.bin",
        key: Secret(String(repeating: "K3", count: 21) + "A"), hash: String(repeating: "h", count: 43),
        bytes: 50_022, expires: WallTime(milliseconds: 1_795_010_800_000))

    @Test("where a picture lies is kept as it was always written, until its message is delivered or given up")
    func whereAPictureLiesIsKept() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        var picture = Self.picture
        picture.alarm = UnstoredMark(boot: "0badcafe", counter: 5)
        var batch = Batch(1, .sample(1))
        batch.outbox = ["a", "b", "c"].map { .sample($0, event: 0, address: 5) }
        batch.outbox[0].picture = picture
        batch.outbox[2].picture = picture
        _ = try journal.commit([batch])
        let text =
            #"{"cam":"Garage","url":"https://ntfy.sh/file/Zx81.bin","secret":"\#(picture.key.revealed)","#
            + #""h":"\#(picture.hash)","n":"50022","x":"1795010800","u":"0badcafe-5"}"#
        #expect(picture.form.text == text)
        let page = try OutboxTests.open(workshop, 5)
        #expect(page.messages.map(\.picture) == [picture, nil, picture])
        #expect(page.messages.allSatisfy { $0.detail == nil })
        var end = Batch(id: BatchID(2))
        end.outboxChanges = [OutboxTests.change("a", .accepted), OutboxTests.change("c", .dead)]
        _ = try journal.commit([end])
        #expect(try OutboxTests.open(workshop, 5).messages.map(\.picture) == [nil])
        let found = try workshop.database().integer(
            "SELECT count(*) FROM outbox WHERE detail LIKE '%K3%'", doing: "test")
        #expect(found == 0)
        #expect(try OutboxTests.dead(workshop).messages.allSatisfy { $0.picture == nil })
    }

    @Test("what looks like a picture's place is none in an alarm, and none where something became of the message")
    func whatLooksLikeAPicturesPlace() throws {
        let workshop = Workshop()
        let journal = try workshop.open()
        let picture = Self.picture
        var batch = Batch(1, .sample(1, type: .alarm), .sample(2))
        batch.outbox = [
            .sample("a", event: 0, address: 5, priority: .alarm), .sample("b", event: 1, address: 5),
        ]
        batch.outbox[0].picture = picture
        _ = try journal.commit([batch])
        var end = Batch(id: BatchID(2))
        end.outboxChanges = [OutboxTests.change("b", .overdue, picture.form.text)]
        _ = try journal.commit([end])
        let messages = try OutboxTests.open(workshop, 5).messages
        #expect(messages.map(\.message.text) == ["a", "b"])
        #expect(messages.allSatisfy { $0.picture == nil })
    }
}
