package import AlarmModel
package import PhoneProtocol

/// What somebody sent by a channel.
package struct InboundMessage: Codable, Equatable, Sendable {
    package enum Body: Codable, Equatable, Sendable {
        /// An object of strings, as CCS and the database carry it.
        case data(JSON)
        /// A line of text, as topics, accounts, brokers and tubes carry it.
        case text(String)
    }
    package var channel: ChannelKind
    /// nil where it need not be acknowledged on the connection on which it came.
    package var connection: ConnectionID?
    /// Set by the service, in the form of `DeliveryAddress.value`: token, command topic, bare JID, MQTT topic, tube.
    package var from: String
    /// The sender's or the service's choice; unique at most together with `from`. Empty: it has none.
    package var id: String
    package var body: Body
    /// The app's name, where the service tells it.
    package var category: String?
    /// How long the service has kept it, as far as it says so.
    package var age: Duration?
    /// Kept by the service for whoever comes: never a command.
    package var isRetained = false
    /// Its service may have given the same id to another message before.
    package var mayReuseID = false

    package init(
        channel: ChannelKind, connection: ConnectionID? = nil, from: String, id: String, body: Body,
        category: String? = nil,
        age: Duration? = nil
    ) {
        self.channel = channel
        self.connection = connection
        self.from = from
        self.id = id
        self.body = body
        self.category = category
        self.age = age
    }

    /// Whether it was made after a message of the same id was heard, and is another one therefore. In doubt it is not.
    package func isAnother(thanHeardAt time: BootTime, at now: Moment) -> Bool {
        guard mayReuseID, let age else { return false }
        // Ages are whole seconds, cut off.
        return age < now.boot - time - .seconds(2)
    }
}
