import AlarmModel
import PhoneProtocol

/// What FCM's HTTP v1 says to a message that it does not take (docs/push.md C.2).
package enum FCMError: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The message is not as it should be.
    case invalidArgument(String)
    /// The address is none.
    case badAddress
    case unregistered
    case senderIDMismatch
    case permissionDenied(String)
    /// FCM is not switched on for the project, or there is no such project.
    case noSuchProject
    /// The access token is not taken.
    case unauthorized
    /// The project's key for Apple's or the browsers' push service.
    case thirdPartyAuth
    /// Too many messages, to this device or all together.
    case quota(isOfDevice: Bool, retryAfter: Duration?)
    case internalError(retryAfter: Duration?)
    case unavailable(retryAfter: Duration?)
    /// A status that means nothing here.
    case unknown(Int, String)

    /// Reads an answer; nil: the message was taken.
    package init?(status: Int, body: [UInt8], retryAfter: Duration?) {
        let json = try? JSON(parsing: body)
        if status == 200 {
            guard json?["name"]?.stringValue == nil else { return nil }
            self = .unknown(200, "an answer without the message's name")
            return
        }
        let error = json?["error"] ?? .null
        let message = error["message"]?.stringValue ?? ""
        let details = error["details"]?.arrayValue ?? []
        let code = details.lazy.compactMap { detail in
            detail["@type"]?.stringValue?.hasSuffix("FcmError") == true ? detail["errorCode"]?.stringValue : nil
        }.first
        let words = PeerText.printable(message)
        switch code ?? error["status"]?.stringValue ?? "" {
        case "UNREGISTERED": self = .unregistered
        case "SENDER_ID_MISMATCH": self = .senderIDMismatch
        case "THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR": self = .thirdPartyAuth
        case "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED":
            let isOfDevice = message.lowercased().includes("device")
            self = .quota(isOfDevice: isOfDevice, retryAfter: retryAfter)
        case "INTERNAL": self = .internalError(retryAfter: retryAfter)
        case "UNAVAILABLE": self = .unavailable(retryAfter: retryAfter)
        case "UNAUTHENTICATED": self = .unauthorized
        case "PERMISSION_DENIED": self = .permissionDenied(words)
        case "INVALID_ARGUMENT": self = Self.blamesAddress(message, details) ? .badAddress : .invalidArgument(words)
        case "NOT_FOUND": self = .noSuchProject
        default:
            switch status {
            case 401: self = .unauthorized
            case 403: self = .permissionDenied(words)
            case 429: self = .quota(isOfDevice: false, retryAfter: retryAfter)
            case 500: self = .internalError(retryAfter: retryAfter)
            case 502...504: self = .unavailable(retryAfter: retryAfter)
            default: self = .unknown(status, words)
            }
        }
    }

    private static func blamesAddress(_ message: String, _ details: [JSON]) -> Bool {
        let fields = details.flatMap { $0["fieldViolations"]?.arrayValue ?? [] }.compactMap { $0["field"]?.stringValue }
        if fields.contains(where: { ["message.token", "message.fid"].contains($0) }) { return true }
        let lower = message.lowercased()
        return lower.includes("registration token") || lower.includes("installation id")
    }

    /// What is to become of the message; `unauthorized` is dealt with by a new token before it comes to that.
    package var reaction: PushReaction {
        switch self {
        case .invalidArgument: .giveUp
        case .badAddress, .unregistered: .dropAddress
        case .senderIDMismatch, .permissionDenied, .noSuchProject, .unauthorized, .thirdPartyAuth: .serviceFault
        case .quota(_, let wait): .hold(max(wait ?? .seconds(60), .seconds(1)))
        case .internalError(let wait), .unavailable(let wait): .retry(first: wait ?? .seconds(1), attempts: nil)
        case .unknown: .retry(first: .seconds(1), attempts: 5)
        }
    }

    /// What FCM itself asked for, if it did.
    var wait: Duration? {
        switch self {
        case .quota(_, let wait), .internalError(let wait), .unavailable(let wait): wait
        case .invalidArgument, .badAddress, .unregistered, .senderIDMismatch, .permissionDenied, .noSuchProject,
            .unauthorized, .thirdPartyAuth, .unknown:
            nil
        }
    }

    /// Of which kind it is where it is the whole service's.
    var kind: TransportProblem.Kind {
        switch self {
        case .permissionDenied: .forbidden
        case .noSuchProject: .notFound
        case .unauthorized: .loginRefused
        case .senderIDMismatch: .otherProject
        case .thirdPartyAuth: .badSignature
        case .quota: .quota
        case .invalidArgument, .badAddress, .unregistered, .internalError, .unavailable, .unknown:
            .serviceFault
        }
    }

    /// The whole channel has this problem, not only the address.
    package var isOfService: Bool {
        switch self {
        case .permissionDenied, .noSuchProject, .unauthorized: true
        case .invalidArgument, .badAddress, .unregistered, .senderIDMismatch, .thirdPartyAuth, .quota, .internalError,
            .unavailable, .unknown:
            false
        }
    }

    package var description: String {
        switch self {
        case .invalidArgument(let text):
            "FCM says that the message is not as it should be (\(text)); this is a fault of this program, please report it"
        case .badAddress:
            "FCM does not know the phone's address; open the app on the phone so that it registers again"
        case .unregistered:
            "the app was removed from the phone, or its address has expired; open the app again, or remove the phone"
        case .senderIDMismatch:
            "the phone's app belongs to another Firebase project; check that the service account is of the app's project"
        case .permissionDenied(let text):
            "the service account may not send messages\(text.isEmpty ? "" : " (FCM says: \(text))"); switch on the "
                + "Firebase Cloud Messaging API for the project and give the account the right to use it"
        case .noSuchProject:
            "FCM does not know the project; check that the service account is of the app's project and that it still "
                + "exists"
        case .unauthorized: "FCM does not take the access token that Google's sign-in gave; check the service account"
        case .thirdPartyAuth:
            "FCM cannot reach Apple's push service: the APNs key in the Firebase project is wrong or has expired; upload "
                + "a new one there"
        case .quota(let isOfDevice, _):
            "too many messages \(isOfDevice ? "for this phone" : "for the project"); we wait before we send more"
        case .internalError: "FCM has a fault; we try again"
        case .unavailable: "FCM is not available at the moment; we try again"
        case .unknown(let status, let text):
            "FCM answered something unknown to us (status \(status)\(text.isEmpty ? "" : ", \(text)")); we try a few "
                + "times more"
        }
    }
}
