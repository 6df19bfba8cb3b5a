import AlarmModel
import PhoneProtocol

/// A message as it is published (docs/push.md C.5): words as a JSON object to the server's root, sealed bytes as
/// text to the topic.
enum NtfyPublication {
    static let messageLimit = 4096
    /// The server reads twice the message's limit of a JSON object.
    static let objectLimit = 8000
    static let titleLimit = 250
    static let buttonLimit = 3
    /// The one text that everybody on the way may read (docs/pairing.md 5).
    static let sealedTitle = "HowAlarming: new message"

    /// Why a message cannot even be written: it will never be taken.
    struct Unwritable: Error, Equatable, Sendable {
        var why: String
        init(_ why: String) { self.why = why }
    }

    /// The request, or why there can be none.
    static func request(for delivery: Delivery, _ settings: NtfySettings) -> Result<
        HTTPRequest, Unwritable
    > {
        guard let topic = settings.topic(ofAddress: delivery.address.value) else {
            return .failure(
                Unwritable(
                    "its topic is not on \(settings.place), the server that is configured: change the server back, or pair "
                        + "the phone anew"))
        }
        switch delivery.content {
        case .words(let notice): return words(notice, delivery, topic, settings)
        case .sealed(let bytes): return sealed(bytes, delivery, topic, priority(of: delivery), settings)
        case .frame(let bytes): return sealed(bytes, delivery, topic, 2, settings)
        case .legacy, .event, .report:
            return .failure(
                Unwritable("topics carry words and sealed messages only; use another channel for this address"))
        }
    }

    /// 5 rings through "do not disturb", 4 rings, 3 is a plain notification, 2 is silent. Good news do not ring.
    static func priority(of delivery: Delivery) -> Int {
        if delivery.isAnswer { return 2 }
        if case .words(let notice) = delivery.content, notice.subject.isGoodNews { return 3 }
        switch delivery.priority {
        case .alarm: return 5
        case .fault: return 4
        case .state: return 3
        case .info: return 2
        }
    }

    private static func sealed(
        _ bytes: [UInt8], _ delivery: Delivery, _ topic: String, _ priority: Int,
        _ settings: NtfySettings
    ) -> Result<HTTPRequest, Unwritable> {
        let body = Array(Base64URL.encode(bytes).utf8)
        guard (1...messageLimit).contains(body.count) else {
            return .failure(
                Unwritable("the message has \(body.count) bytes; a topic takes 1 to \(messageLimit)"))
        }
        var fields = fields(for: delivery, settings)
        fields += [
            HTTPField("Title", sealedTitle), HTTPField("Priority", "\(priority)"),
            HTTPField("Content-Type", "text/plain"),
        ]
        if let id = sequenceID(of: delivery) { fields.append(HTTPField("X-Sequence-ID", id)) }
        return .success(
            HTTPRequest(.post, "\(settings.pathPrefix)/\(topic)", fields: fields, body: body))
    }

    private static func words(
        _ notice: Notice, _ delivery: Delivery, _ topic: String, _ settings: NtfySettings
    ) -> Result<HTTPRequest, Unwritable> {
        let title = cut(notice.title, titleLimit)
        var text = cut(notice.text.isEmpty ? notice.title : notice.text, messageLimit)
        func object() -> JSON {
            .object([
                "topic": .string(topic), "title": title.isEmpty ? nil : .string(title),
                "message": .string(text.isEmpty ? " " : text),
                "priority": .integer(Int64(priority(of: delivery))),
                "tags": .array([.string(tag(notice.subject))]), "click": settings.clickURL.map { .string($0) },
                "actions": actions(notice, delivery.address, settings),
                // The app takes a second copy for the first.
                "sequence_id": sequenceID(of: delivery).map { .string($0) },
            ])
        }
        var body = object().utf8
        // Escapes make an object longer than its text.
        while body.count > objectLimit, text.utf8.count > 16 {
            let excess = (body.count - objectLimit) * text.utf8.count / body.count
            text = cut(text, max(16, text.utf8.count - max(8, excess)))
            body = object().utf8
        }
        guard body.count <= objectLimit else {
            return .failure(
                Unwritable(
                    "the message's buttons alone are longer than the \(objectLimit) bytes that a server takes"
                ))
        }
        let fields = fields(for: delivery, settings) + [HTTPField("Content-Type", "application/json")]
        return .success(HTTPRequest(.post, "\(settings.pathPrefix)/", fields: fields, body: body))
    }

    private static func fields(for delivery: Delivery, _ settings: NtfySettings) -> [HTTPField] {
        var fields = settings.authorization.map { [$0] } ?? []
        // Now or never.
        if delivery.timeToLive <= 0 { fields.append(HTTPField("Cache", "no")) }
        return fields
    }

    private static func actions(
        _ notice: Notice, _ address: DeliveryAddress, _ settings: NtfySettings
    ) -> JSON? {
        guard let topic = address.commandTopic.flatMap(settings.topic(ofAddress:)),
            !notice.buttons.isEmpty
        else {
            return nil
        }
        let url = "\(settings.origin.description)\(settings.pathPrefix)/\(topic)"
        // The phone's own token, which may write this one topic: it travels with the button.
        let headers = (address.commandToken ?? settings.phoneToken).map {
            JSON.object(["Authorization": .string("Bearer \($0.revealed)")])
        }
        return .array(
            notice.buttons.prefix(buttonLimit).map { button in
                .object([
                    "action": .string("http"), "label": .string(cut(button.label, 60)), "url": .string(url),
                    "method": .string("POST"), "headers": headers, "body": .string(button.body.revealed),
                    "clear": .bool(true),
                ])
            })
    }

    private static func sequenceID(of delivery: Delivery) -> String? {
        NtfySettings.isTopic(delivery.message.text) ? delivery.message.text : nil
    }

    /// Names of pictures, as the apps show them beside the title.
    private static func tag(_ subject: NoticeSubject) -> String {
        switch subject {
        case .fire: "fire"
        case .carbonMonoxide, .gas: "biohazard"
        case .water: "droplet"
        case .medical: "ambulance"
        case .panic: "sos"
        case .burglary, .tamper, .wrongCode, .keypadLockout, .cutOff, .powerLost, .otherAlarm, .missedAlarm:
            "rotating_light"
        case .testAlarm, .test: "test_tube"
        case .exitDelay, .armed, .automaticArming, .armedWithBypass, .scheduleSoon, .alarmEndedByArming: "lock"
        case .alarmEnded, .disarmed, .reminderNotArmed, .reminderNobodyHome, .scheduleDeclined: "unlock"
        case .entryDelay, .reminderOpen: "door"
        case .powerCut, .upsOnBattery, .upsBatteryLow: "electric_plug"
        case .zoneRestored, .keyRestored, .tamperRestored, .powerBack, .panelBatteryRestored, .bellRestored,
            .stationRestored, .fireDetectorRestored, .detectorBack, .detectorBatteryRestored, .troublesOver, .panelBack,
            .keybusBack, .storageBack, .linkBack, .channelBack, .heartbeatBack, .upsMains, .upsRestored,
            .otherRecovery:
            "white_check_mark"
        case .sirenStopped, .alarmNoLongerReported, .alarmNotExcluded, .alarmUnaccepted, .notArmed, .reminderBypassed,
            .reminderMaintenance, .scheduleFailed, .panelBatteryLow, .bellTrouble,
            .stationTrouble, .fireDetectorTrouble, .detectorMissing,
            .detectorBatteryLow, .troubleLight, .troubles, .panelLost, .keybusLost, .storageFailed, .crashed, .linkLost,
            .linksLost, .channelLost, .phoneLost, .heartbeatLost, .upsLost,
            .otherTrouble:
            "warning"
        case .installerMode, .seen, .news: "information_source"
        }
    }

    /// At most so many bytes; what was longer ends in `…`, never in the middle of a character.
    static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var out = ""
        var count = 3
        for character in text {
            count += character.utf8.count
            guard count <= limit else { break }
            out.append(character)
        }
        return out + "…"
    }
}
