import AlarmModel
import ApplianceCore
import PhoneLink

/// `alert_gcm`, as in a HowAlarming file, in the main file or in the secrets file: the account at the push service.
struct AlertGCMSection: SettingsSection {
    var senderID: String?
    var apiKey: Secret?

    static let table: [Setting<Self>] = [
        .init("sender_id", .senderID, \.senderID).inEitherFile,
        .init("api_key", .serverKey, \.apiKey).secret,
    ]

    /// What only all files together tell.
    static func check(_ reading: inout SettingsReading) {
        let account = reading.place(of: "alert_gcm.sender_id")
        switch (account, reading.place(of: "alert_gcm.api_key")) {
        case (let account?, nil):
            reading.report(
                at: account, "alert_gcm.api_key", "'alert_gcm' has a sender_id and no api_key",
                expected: "'api_key' in 'alert_gcm' or in the secrets file, or neither of the two")
        case (nil, let key?):
            reading.report(
                at: key, "alert_gcm.sender_id", "'alert_gcm' has an api_key and no sender_id",
                expected: "'sender_id' in 'alert_gcm', or neither of the two")
        case (let account?, .some): warnOfHostedService(at: account, &reading)
        case (nil, nil): warnOfNoAccount(&reading)
        }
        let phones = reading.draft.phones.settings
        if phones.tellsLegacyTopic == true, !phones.isLegacyEnabled,
            let place = reading.place(of: "phones.legacy.topic")
        {
            reading.report(
                .warning, at: place, "phones.legacy.topic",
                "'phones.legacy.topic' is set and 'phones.legacy.enabled' is not, so the topic is told nothing",
                expected: "'enabled: true' beside it, or no 'topic'")
        }
    }

    private static func warnOfHostedService(at account: ConfigurationPlace, _ reading: inout SettingsReading) {
        let draft = reading.draft
        guard draft.account.senderID != nil, draft.account.apiKey != nil,
            GoogleXMPP.isAt(draft.phones.settings.host)
        else { return }
        reading.report(
            .warning, at: reading.place(of: "phones.fcm.host") ?? account, "phones.fcm.host", GoogleXMPP.ended,
            expected: "'host' in 'phones.fcm': a server that speaks the same protocol")
    }

    /// Something is set that needs one.
    private static func warnOfNoAccount(_ reading: inout SettingsReading) {
        let phones = reading.draft.phones.settings
        let legacy = phones.isLegacyEnabled ? reading.place(of: "phones.legacy.enabled") : nil
        let wish = reading.place(of: "phones.fcm").map { ("phones.fcm", $0) }
        guard let (path, place) = wish ?? legacy.map({ ("phones.legacy", $0) }) else { return }
        let others = phones.channels.map(\.kind)
        // The original apps have tokens of the same service, and its newer interface takes them, too.
        if path == "phones.legacy", others.contains(.fcm) {
            return reading.report(
                .warning, at: place, path,
                "by 'fcm_v1' the original apps are told what happens and may ask how it is; what else they want is "
                    + "refused, because the database may keep it for hours",
                expected: "'alert_gcm' with 'sender_id' and 'api_key' if they are to arm or disarm")
        }
        let what = others.isEmpty ? "nothing is pushed to phones" : "no phone is served that way"
        reading.report(
            .warning, at: place, path, "'\(path)' is set and there is no account, so \(what)",
            expected: "'alert_gcm' with 'sender_id' and 'api_key'" + (others.isEmpty ? "" : ", or no '\(path)'"))
    }
}

extension ValueKind where Value == String {
    /// Not shown when it is wrong: it may be the key in the wrong line.
    fileprivate static var senderID: Self {
        .text("the project number of the push service: digits only, such as 100200300") {
            ConfigurationText.isDigits($0, 1...20)
        }
    }
}

extension ValueKind where Value == Secret {
    fileprivate static var serverKey: Self {
        .printable("the server key of the push service, in printable ASCII without spaces", 1...1024)
    }
}
