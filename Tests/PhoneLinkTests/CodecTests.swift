import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("What the push server's stanzas mean")
struct CodecTests {
    static func stanza(_ text: String) throws -> XMLElement {
        try #require(XMLReaderTests.elements(text)?.first)
    }

    static func meaning(_ json: String) throws -> CCSIncoming { CCSIncoming(try stanza(Server.message(json))) }

    @Test("a push has the original server's members in its order")
    func aPushHasTheOriginalServersMembersInItsOrder() {
        let data = JSON.object([
            "code": .string("652"), "raw": .string("65210"), "type": .string("armed"),
            "message": .string("partition 1 armed"), "timestamp": .string("1700000002"),
        ])
        let notification = JSON.object([
            "badge": .string("0"), "sound": .string("default"), "title": .string("HowAlarming Event armed"),
            "body": .string("partition 1 armed"),
        ])
        var message = CCSMessage(
            to: "TOKEN", messageID: MessageID("1795227969155"), timeToLive: 3600, data: data,
            notification: notification)
        let captured = """
            {"priority":"high","time_to_live":3600,"data":{"code":"652","raw":"65210","type":"armed",\
            "message":"partition 1 armed","timestamp":"1700000002"},"notification":{"badge":"0","sound":"default",\
            "title":"HowAlarming Event armed","body":"partition 1 armed"},"to":"TOKEN","message_id":"1795227969155"}
            """
        #expect(message.json.text == captured)
        message.receiptRequested = true
        message.contentAvailable = true
        message.mutableContent = true
        let flags =
            "3600,\"delivery_receipt_requested\":true,\"content_available\":true,\"mutable_content\":true,\"data\""
        #expect(message.json.text.contains(flags))
        message.timeToLive = .max
        #expect(message.json["time_to_live"] == .integer(2_419_200))
    }

    @Test(
        "a push survives XML with every character",
        arguments: ["<>&'\"", "😀 é", "]]>", "\u{0}\n\r\t", "\\u003c", "a\u{7F}"])
    func aPushSurvivesXMLWithEveryCharacter(text: String) throws {
        let message = CCSMessage(
            to: text, messageID: MessageID("m"), timeToLive: 0, data: .object(["message": .string(text)]))
        let element = try Self.stanza(message.stanza.text(inside: XMPPNamespace.client))
        let content = try #require(element.child("gcm", in: "google:mobile:data"))
        let json = try JSON(parsing: content.text)
        #expect(json == message.json)
        #expect(element["id"] == "m")
    }

    @Test("prefixed and plain content are the same, as is text in several pieces")
    func prefixedAndPlainContentAreTheSame() throws {
        let json = "{\"message_type\":\"ack\",\"message_id\":\"m1\"}"
        let forms = [
            "<message><data:gcm xmlns:data='google:mobile:data'>\(json)</data:gcm></message>",
            "<message id=''><gcm xmlns='google:mobile:data'>\(json)</gcm></message>",
            "<message><x:gcm xmlns:x='google:mobile:data'>{<![CDATA[\"message_type\":\"ack\"]]>,\n\"message_id\"&#58;\"m1\"}</x:gcm></message>",
        ]
        for form in forms {
            let meaning = CCSIncoming(try Self.stanza(form))
            #expect(meaning == .ack(MessageID("m1"), canonical: nil))
        }
        let foreign = CCSIncoming(try Self.stanza("<message><gcm xmlns='other'>\(json)</gcm></message>"))
        #expect(foreign == .rejected(.foreignStanza))
    }

    @Test("the type decides; every other field may be missing or of another kind")
    func theTypeDecidesEveryOtherFieldMayBeMissingOrOfAnotherKind() throws {
        let cases: [(String, CCSIncoming)] = [
            ("{\"message_type\":\"control\",\"control_type\":\"CONNECTION_DRAINING\"}", .draining),
            ("{\"message_type\":\"control\"}", .rejected(.unknownControl)),
            ("{\"message_type\":\"ack\"}", .ack(nil, canonical: nil)),
            ("{\"message_type\":\"ack\",\"message_id\":{},\"registration_id\":5}", .ack(nil, canonical: nil)),
            (
                "{\"message_type\":\"ack\",\"message_id\":\"m\",\"registration_id\":\"NEW\"}",
                .ack(MessageID("m"), canonical: "NEW")
            ),
            ("{\"message_type\":\"nack\"}", .nack(nil, .unknown(""), text: "")),
            ("{\"message_type\":\"receipt\"}", .rejected(.missingField)),
            ("{\"message_type\":\"news\"}", .rejected(.unknownType)), ("{\"message_type\":7}", .rejected(.unknownType)),
            ("{}", .rejected(.missingField)), ("{\"from\":\"T\"}", .rejected(.missingField)),
            ("{\"message_id\":\"m\"}", .rejected(.missingField)), ("[]", .rejected(.notJSON)),
            ("", .rejected(.notJSON)),
            (
                "{\"from\":\"T\",\"message_id\":12}",
                .inbound(from: "T", messageID: "12", category: nil, data: .object([]))
            ),
            (
                "{\"message_type\":\"receipt\",\"message_id\":\"dr2:m1\"}",
                .receipt(
                    CCSReceipt(
                        from: "gcm.googleapis.com", messageID: "dr2:m1", original: MessageID("m1"), token: nil))
            ),
        ]
        for (json, expected) in cases {
            let meaning = try Self.meaning(json)
            #expect(meaning == expected, "\(json)")
        }
    }

    @Test("an error stanza is one before its echo is looked at")
    func anErrorStanzaIsOneBeforeItsEchoIsLookedAt() throws {
        let error = CCSIncoming(try Self.stanza(Server.errorStanza("m1")))
        #expect(error == .errorStanza(id: MessageID("m1"), .invalidJSON, text: "InvalidJson: MISSING"))
        let foreign = CCSIncoming(
            try Self.stanza(Server.errorStanza("m1", text: "Received acks for messages not sent")))
        #expect(
            foreign == .errorStanza(id: MessageID("m1"), .rejectedStanza, text: "Received acks for messages not sent"))
        let later = CCSIncoming(try Self.stanza(Server.errorStanza("m1", type: "wait", text: "busy")))
        #expect(later == .errorStanza(id: MessageID("m1"), .serviceUnavailable, text: "busy"))
    }

    @Test("addresses and ids of unreasonable length are refused")
    func addressesAndIdsOfUnreasonableLengthAreRefused() throws {
        let long = String(repeating: "x", count: 5000)
        let token = try Self.meaning("{\"from\":\"\(long)\",\"message_id\":\"m\"}")
        #expect(token == .rejected(.missingField))
        let id = try Self.meaning("{\"from\":\"T\",\"message_id\":\"\(long)\"}")
        #expect(id == .rejected(.missingField))
    }

    @Test("every error code has its reaction and says what to do")
    func everyErrorCodeHasItsReactionAndSaysWhatToDo() throws {
        let reactions: [(String, PushReaction)] = [
            ("INVALID_JSON", .giveUp), ("BAD_REGISTRATION", .dropAddress), ("DEVICE_UNREGISTERED", .dropAddress),
            ("SENDER_ID_MISMATCH", .dropAddress), ("BAD_ACK", .giveUp),
            ("SERVICE_UNAVAILABLE", .retry(first: .seconds(1), attempts: nil)),
            ("INTERNAL_SERVER_ERROR", .retry(first: .seconds(1), attempts: nil)),
            ("DEVICE_MESSAGE_RATE_EXCEEDED", .hold(.seconds(60))),
            ("TOPICS_MESSAGE_RATE_EXCEEDED", .hold(.seconds(60))),
            ("CONNECTION_DRAINING", .resend(after: .zero)), ("INVALID_APNS_CREDENTIAL", .serviceFault),
            ("AUTHENTICATION_FAILED", .serviceFault),
            ("CONNECTION_UNAVAILABLE", .retry(first: .seconds(1), attempts: 5)),
            ("NEWLY_INVENTED", .retry(first: .seconds(1), attempts: 5)),
            ("InvalidJson : INVALID_TTL : Invalid value (-1) for \"time_to_live\"", .giveUp),
        ]
        for (code, reaction) in reactions {
            #expect(CCSError(code: code).reaction == reaction, "\(code)")
            #expect(CCSError(code: code).description.count > 30, "\(code)")
        }
        #expect(Set(CCSError.table.map(\.code)).isSubset(of: reactions.map(\.0)))
        #expect(CCSError(code: "NEW\u{1B}[31m") == .unknown("NEW?[31m"))
    }
}
