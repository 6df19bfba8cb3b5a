import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("FCM: refusals")
struct FCMErrorTests {
    /// As Google writes them.
    static func body(_ status: Int, _ name: String, code: String? = nil, message: String = "why", field: String? = nil)
        -> String
    {
        var details: [JSON] = []
        if let code {
            let type = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
            details.append(.object(["@type": .string(type), "errorCode": .string(code)]))
        }
        if let field {
            details.append(
                .object([
                    "@type": .string("type.googleapis.com/google.rpc.BadRequest"),
                    "fieldViolations": .array([.object(["field": .string(field)])]),
                ]))
        }
        return JSON.object([
            "error": .object([
                "code": .integer(Int64(status)), "message": .string(message), "status": .string(name),
                "details": details.isEmpty ? nil : .array(details),
            ])
        ]).text
    }

    private func read(_ status: Int, _ body: String, retryAfter: Duration? = nil) -> FCMError? {
        FCMError(status: status, body: Array(body.utf8), retryAfter: retryAfter)
    }

    @Test("each answer of the table has its error")
    func eachAnswerOfTheTableHasItsError() {
        let body = Self.body
        let cases: [(Int, String, FCMError?)] = [
            (200, #"{"name":"projects/p/messages/1"}"#, nil),
            (400, body(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "bad ttl", nil), .invalidArgument("bad ttl")),
            (400, body(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "x", "message.token"), .badAddress),
            (
                400,
                body(
                    400, "INVALID_ARGUMENT", "INVALID_ARGUMENT",
                    "The registration token is not a valid FCM registration token", nil), .badAddress
            ),
            (401, body(401, "UNAUTHENTICATED", nil, "x", nil), .unauthorized),
            (401, body(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", "x", nil), .thirdPartyAuth),
            (403, body(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", "x", nil), .senderIDMismatch),
            (403, body(403, "PERMISSION_DENIED", nil, "off", nil), .permissionDenied("off")),
            (404, body(404, "NOT_FOUND", "UNREGISTERED", "x", nil), .unregistered),
            (404, body(404, "NOT_FOUND", nil, "x", nil), .noSuchProject),
            (
                429, body(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", "Device rate", nil),
                .quota(isOfDevice: true, retryAfter: nil)
            ),
            (
                429, body(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", "x", nil),
                .quota(isOfDevice: false, retryAfter: nil)
            ),
            (500, body(500, "INTERNAL", "INTERNAL", "x", nil), .internalError(retryAfter: nil)),
            (503, body(503, "UNAVAILABLE", "UNAVAILABLE", "x", nil), .unavailable(retryAfter: nil)),
            (503, "<html>busy</html>", .unavailable(retryAfter: nil)), (403, "", .permissionDenied("")),
            (429, "", .quota(isOfDevice: false, retryAfter: nil)), (500, "", .internalError(retryAfter: nil)),
            (401, "", .unauthorized), (200, "<html>", .unknown(200, "an answer without the message's name")),
            (302, "", .unknown(302, "")),
        ]
        for (status, text, error) in cases {
            #expect(read(status, text) == error, "\(status) \(text)")
            #expect(error?.description.utf8.allSatisfy { (0x20...0x7E).contains($0) } != false)
        }
    }

    @Test("only an address that is gone is dropped; an account at fault costs no address")
    func onlyAnAddressThatIsGoneIsDropped() {
        let address: [FCMError] = [.badAddress, .unregistered]
        let service: [FCMError] = [.senderIDMismatch, .permissionDenied(""), .noSuchProject, .thirdPartyAuth]
        #expect(address.allSatisfy { $0.reaction == .dropAddress })
        #expect(service.allSatisfy { $0.reaction == .serviceFault })
        #expect(read(503, "", retryAfter: .seconds(17))?.reaction == .retry(first: .seconds(17), attempts: nil))
        #expect(read(500, "")?.reaction == .retry(first: .seconds(1), attempts: nil))
        #expect(FCMError.quota(isOfDevice: true, retryAfter: nil).reaction == .hold(.seconds(60)))
        #expect(FCMError.quota(isOfDevice: true, retryAfter: .seconds(7)).reaction == .hold(.seconds(7)))
    }
}
