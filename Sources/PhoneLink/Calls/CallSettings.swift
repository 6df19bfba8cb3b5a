package import AlarmModel
import PhoneProtocol

/// A provider of telephone calls, as the owner describes its HTTP interface.
///
/// Texts of requests hold `{number}` (with its +), `{digits}` (without), `{words}` and their `{language}`, `en` or `de`; the
/// address of the status `{call}`.
package struct CallSettings: Codable, Equatable, Sendable {
    /// What asks for a call: posted with a body, fetched without.
    package enum Body: Codable, Equatable, Sendable {
        case none
        /// Of `application/x-www-form-urlencoded`.
        case form([Parameter])
        /// The text of a JSON value.
        case json(Secret)

        private enum NoneCodingKeys: CodingKey {}
    }

    package struct Parameter: Codable, Equatable, Sendable {
        package var name: String
        package var value: Secret

        package init(_ name: String, _ value: Secret) {
            self.name = name
            self.value = value
        }
    }

    /// How it is asked which key was pressed.
    package struct Status: Codable, Equatable, Sendable {
        /// Where the answer to the request for a call names the call, such as `data.messages.message_id`.
        package var callPath: String
        /// Path and query, at the same server.
        package var target: Secret
        /// Where the answer names the key.
        package var keyPath: String

        package init(callPath: String, target: Secret, keyPath: String) {
            self.callPath = callPath
            self.target = target
            self.keyPath = keyPath
        }
    }

    package let origin: HTTPOrigin
    /// Path and query.
    package var target: Secret
    package var headers: [Parameter]
    package var body: Body
    /// nil: nobody can be asked, and no key counts.
    package var status: Status?
    var client = HTTPClientSettings()

    /// - Parameter target: path and query, which may hold the signs for number and words
    package init(
        _ origin: HTTPOrigin, target: Secret, headers: [Parameter] = [], body: Body = .none, status: Status? = nil
    ) {
        self.origin = origin
        self.target = target
        self.headers = headers
        self.body = body
        self.status = status
        client.queueLimit = Self.queueLimit
        client.limits.bodyBytes = Self.longestAnswer
    }

    static let queueLimit = 64
    /// Bytes.
    static let longestAnswer = 256 * 1024

    /// For problems and logs: paths and queries of such addresses are often secrets.
    package var place: String { PeerText.printable(origin.description, limit: 100) }

    /// Basic authentication (RFC 7617) as a header.
    package static func basic(user: String, password: Secret) -> Parameter {
        Parameter("Authorization", Secret("Basic " + Base64.encode(Array("\(user):\(password.revealed)".utf8))))
    }

    /// The provider is told in which language the words are: only then its voice can be one for them.
    package var namesLanguage: Bool {
        let texts =
            switch body {
            case .none: [target]
            case .form(let parameters): [target] + parameters.map(\.value)
            case .json(let text): [target, text]
            }
        return texts.contains { $0.revealed.includes("{language}") }
    }

    // MARK: Requests

    private var fields: [HTTPField] { headers.map { HTTPField($0.name, $0.value.revealed) } }

    func start(_ number: String, _ words: String, in language: NoticeLanguage) -> HTTPRequest {
        func filled(_ text: Secret, _ form: (String) -> String = { $0 }) -> String {
            text.revealed.replacing(text: "{number}", with: form(number))
                .replacing(text: "{digits}", with: form(String(number.drop { $0 == "+" })))
                .replacing(text: "{language}", with: language.rawValue)
                .replacing(text: "{words}", with: form(words))
        }
        let target = filled(target, HTTPRequest.escaped)
        switch body {
        case .none: return HTTPRequest(.get, target, fields: fields)
        case .form(let parameters):
            let pairs = parameters.map {
                HTTPRequest.escaped($0.name) + "=" + HTTPRequest.escaped(filled($0.value))
            }
            return HTTPRequest(
                .post, target,
                fields: fields + [HTTPField("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(pairs.joined(separator: "&").utf8))
        case .json(let text):
            return HTTPRequest(
                .post, target, fields: fields + [HTTPField("Content-Type", "application/json")],
                body: Array(filled(text).utf8))
        }
    }

    func ask(_ call: String, by status: Status) -> HTTPRequest {
        HTTPRequest(
            .get, status.target.revealed.replacing(text: "{call}", with: HTTPRequest.escaped(call)), fields: fields)
    }
}
