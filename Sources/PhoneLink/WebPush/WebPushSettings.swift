import AlarmModel

/// The push services of the browsers, and how patient to be with them (RFC 8030, RFC 8292).
package struct WebPushSettings: Codable, Equatable, Sendable {
    /// A host that the owner names, for a laboratory alone.
    package struct Laboratory: Codable, Equatable, Sendable {
        package var host: String
        package var port: UInt16

        package init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    /// Whom a push service can turn to: `mailto:` or `https:` (RFC 8292 2.1).
    package var contact: String
    /// What a tap on a notice opens: the folder of the web app.
    package var appURL: HTTPURL?
    /// Beside the push services that are known.
    package var laboratory: [Laboratory] = []
    /// Authorities to trust instead of the system's.
    package var caFile: String?
    /// For the answer to a message.
    package var answerPatience = Duration.seconds(20)
    /// For a computation of ours to be answered.
    package var signPatience = Duration.seconds(15)

    package init(contact: String, appURL: HTTPURL? = nil, caFile: String? = nil) {
        self.contact = contact
        self.appURL = appURL
        self.caFile = caFile
    }

    /// The push services of Chrome, Firefox, Safari and Edge: whole names, and domains of which any name may be.
    private static let hosts = ["fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com"]
    private static let domains = [".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com"]

    /// Whether messages go there. A paired phone names the place: it must not make the box post to others.
    package func takes(_ url: HTTPURL) -> Bool {
        guard url.isEncrypted else { return false }
        if laboratory.contains(Laboratory(host: url.host, port: url.port)) { return true }
        guard url.port == 443, IPAddress(url.host) == nil, Self.isPlain(url.host) else { return false }
        return Self.hosts.contains(url.host) || Self.domains.contains { url.host.hasSuffix($0) }
    }

    /// A name without empty labels, so that a suffix is a domain; the dot of the root is none of ours.
    private static func isPlain(_ host: String) -> Bool {
        host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    var client: HTTPClientSettings {
        var client = HTTPClientSettings()
        client.deadline = answerPatience
        client.queueLimit = WebPushTransport.queueLimit
        client.limits.bodyBytes = 65_536
        return client
    }
}
