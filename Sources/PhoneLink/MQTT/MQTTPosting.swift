import AlarmModel

/// One message to a broker over a connection of its own: login, message, its acknowledgement. Nothing is kept there, and
/// nothing is listened to.
package struct MQTTPosting: Equatable, Sendable {
    package enum Word: Equatable, Sendable {
        case send([UInt8])
        /// The broker has it; the last word.
        case taken
        /// Why not, and what to do; the last word.
        case failed(String)
    }

    private enum Step: Equatable, Sendable { case login, message, over }

    private static let id: UInt16 = 1
    private let settings: MQTTSettings
    private let topic: String
    private let payload: [UInt8]
    private var step = Step.login
    private var reader: MQTTReader

    /// - Parameter settings: whoever has no version in mind speaks 3.1.1, which every broker knows; the client id is to be
    ///   another one than that of the connection that stands
    package init(_ settings: MQTTSettings, topic: String, payload: [UInt8]) {
        self.settings = settings
        self.topic = topic
        self.payload = payload
        reader = MQTTReader(version: Self.version(settings))
    }

    private static func version(_ settings: MQTTSettings) -> MQTTVersion {
        switch settings.protocolVersion {
        case .v5: .v5
        case .automatic, .v311: .v311
        }
    }

    /// What is sent first.
    package var opening: [UInt8] {
        let seconds = UInt16(clamping: settings.answerPatience.milliseconds / 1000)
        return MQTTPacket.connect(
            MQTTConnect(
                version: reader.version, keepAlive: seconds, clientID: settings.clientID, user: settings.user,
                password: settings.password)
        ).bytes(reader.version)
    }

    package mutating func received(_ bytes: [UInt8]) -> [Word] {
        guard step != .over else { return [] }
        reader.append(bytes)
        var words: [Word] = []
        while step != .over, let event = reader.next() { take(event, into: &words) }
        return words
    }

    private mutating func take(_ event: MQTTReader.Event, into words: inout [Word]) {
        switch (step, event) {
        case (.login, .packet(.connack(let answer))):
            let reason = MQTTReason.login(answer.reason)
            guard reason == 0 else {
                return end(.failed(MQTTReason.problem(reason, detail: "", wasIn: false).description), into: &words)
            }
            step = .message
            let publish = MQTTPublish(topic: topic, payload: payload, id: Self.id)
            words.append(.send(MQTTPacket.publish(publish).bytes(reader.version)))
        case (.message, .packet(.puback(let answer))) where answer.id == Self.id:
            guard answer.reason < 0x80 else {
                return end(
                    .failed(MQTTReason.refusal(answer.reason, topic: topic, detail: "").why), into: &words)
            }
            end(.taken, into: &words)
        case (_, .packet(.disconnect(let reason, _))):
            end(.failed(MQTTReason.problem(reason, detail: "", wasIn: true).description), into: &words)
        case (_, .failed(let error)): end(.failed("what answers there is no MQTT broker: \(error)"), into: &words)
        case (_, .packet), (_, .passedOver): end(.failed("the MQTT broker says what nobody asked for"), into: &words)
        }
    }

    private mutating func end(_ word: Word, into words: inout [Word]) {
        step = .over
        words.append(word)
    }
}
