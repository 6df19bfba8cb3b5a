import AlarmModel
import PhoneProtocol

/// What the server said to a message, and what that means for it and for the channel. No message is given up for what
/// may pass: an account that is mended, a server that is just starting behind its proxy.
enum NtfyAnswer: Equatable, Sendable {
    /// The id that the server gave it.
    case accepted(String)
    case refused(Refusal, TransportProblem?)
    /// Nothing for any message; it goes out again when the trouble is over.
    case down(TransportProblem)

    init(_ response: HTTPResponse, settings: NtfySettings, at now: Moment) {
        let body = try? JSON(parsing: response.body)
        let words = Self.quoted(settings.printable(body?["error"]?.stringValue ?? response.words))
        let server = settings.place
        switch response.status {
        case 200...299:
            guard let id = body?["id"]?.stringValue, !id.isEmpty else {
                self = .down(Self.notThisProtocol(server))
                return
            }
            self = .accepted(PeerText.printable(id, limit: 64))
        case 300...399: self = .down(Self.redirect(response, server, settings))
        case 401: self = .down(Self.unauthorizedProblem(server))
        case 403:
            let why =
                "\(server) does not let this box write to the phone's topic; give the box's account write access to it"
            // Other topics may be open to it.
            self = .refused(Refusal(.hold(.minutes(5)), why: why, needsPerson: true), nil)
        case 404, 405:
            self = .down(
                TransportProblem(
                    .notFound,
                    "\(server) has nothing to publish to; check the server's address and path in the configuration"))
        case 407: self = .down(Self.notThisProtocol(server))
        case 413:
            self = .refused(Refusal(.giveUp, why: "the message is too long for \(server)\(words)"), nil)
        case 429: self = Self.quota(response, code: body?["code"]?.integerValue, words, server, now)
        case 507:
            let why = "\(server) has no room for more messages; free space there, or use another server"
            let hold = min(response.retryAfter(at: now) ?? .minutes(5), .hours(1))
            self = .refused(
                Refusal(.hold(hold), why: why, after: response.retryAfter(at: now)),
                TransportProblem(.noRoom, why, isRefusal: true))
        case 408, 421, 425, 500...599:
            let what = response.status < 500 ? "did not take the message now" : "has a fault"
            let why = "\(server) \(what) (\(response.status))\(words); we try again"
            self = .refused(
                Refusal(.retry(first: .seconds(1), attempts: nil), why: why, after: response.retryAfter(at: now)),
                TransportProblem(response.status < 500 ? .busy : .serviceFault, why, isPassing: true))
        case 400...499:
            let why =
                "\(server) refused the message (\(response.status))\(words); please report this to us"
            self = .refused(Refusal(.giveUp, why: why), nil)
        default: self = .down(Self.notThisProtocol(server))
        }
    }

    /// The answer to a look whether the server is there; nil: it is.
    static func trouble(
        ofLook response: HTTPResponse, settings: NtfySettings
    ) -> TransportProblem? {
        let server = settings.place
        switch response.status {
        case 200...299:
            guard let body = try? JSON(parsing: response.body), body.objectValue != nil else {
                return notThisProtocol(server)
            }
            guard body["healthy"]?.boolValue != false else {
                return TransportProblem(.unwell, "\(server) says that it is not well; we try again")
            }
            return nil
        case 300...399: return redirect(response, server, settings)
        case 401: return unauthorizedProblem(server)
        case 407, 511: return notThisProtocol(server)
        case 500...599:
            return TransportProblem(.serviceFault, "\(server) has a fault (\(response.status)); we try again")
        // A quota, or a server without this page: whether it takes messages shows when there is one.
        default: return nil
        }
    }

    static func notThisProtocol(_ server: String) -> TransportProblem {
        TransportProblem(
            .notTheProtocol,
            "what answers as \(server) is not a topic server; check the address, and whether this network wants a login "
                + "of its own first")
    }

    static func unauthorizedProblem(_ server: String) -> TransportProblem {
        TransportProblem(.loginRefused, unauthorized(server), isRefusal: true)
    }

    private static func unauthorized(_ server: String) -> String {
        "\(server) does not accept this box's token, or user and password; make a new token there and enter it"
    }

    static func redirect(_ response: HTTPResponse, _ server: String, _ settings: NtfySettings)
        -> TransportProblem
    {
        let target = response.value("Location").map { settings.printable($0) } ?? "another address"
        return TransportProblem(
            .elsewhere,
            "\(server) sends us to \(target), where we do not go by ourselves; if that is right, enter that address",
            isRefusal: true)
    }

    /// A quota says by its code what is used up.
    private static func quota(
        _ response: HTTPResponse, code: Int64?, _ words: String, _ server: String, _ now: Moment
    ) -> NtfyAnswer {
        let asked = response.retryAfter(at: now)
        let what: String
        let hold: Duration
        switch code {
        case 42901:
            (what, hold) = ("too many requests from this network at once", .seconds(10))
        case 42904: (what, hold) = ("the number of its topics", .minutes(5))
        case 42905: (what, hold) = ("the data of a day", .minutes(5))
        case 42908: (what, hold) = ("the messages of a day", .minutes(5))
        case 42909: (what, hold) = ("too many failed logins", .minutes(5))
        default: (what, hold) = ("a quota", .minutes(1))
        }
        let why =
            "\(server) takes no more for now: its limit is reached (\(what))\(words). Messages wait; with an account "
            + "there, or a server of your own, the limit is higher"
        let span = min(max(asked ?? hold, .seconds(1)), .hours(1))
        return .refused(
            Refusal(.hold(span), why: why, after: asked),
            TransportProblem(.quota, why, isRefusal: code != 42901, isPassing: code == 42901))
    }

    private static func quoted(_ text: String) -> String { text.isEmpty ? "" : " (it says: \(text))" }
}
