/// What the configuration file of a test says about phones: an account at a push service, and times of a test.
struct PhonesConfiguration {
    var host = "localhost"
    var port: UInt16
    var authorityFile: String
    var sender = PushProcess.sender
    var key = PushProcess.key
    var isLegacyEnabled = false
    var tellsLegacyTopic = false
    /// `phones.heartbeat`; nil: as without it.
    var heartbeat: String?
    /// Lines of `phones.timing`, each a key and its value.
    var timing = [
        "ping_after: 1s", "ping_patience: 500ms", "setup_deadline: 2s", "ack_patience: 2s", "reconnect_minimum: 50ms",
        "reconnect_maximum: 400ms", "reconnect_urgent: 200ms", "refused_wait: 1s",
    ]

    init(port: UInt16, authorityFile: String) {
        self.port = port
        self.authorityFile = authorityFile
    }

    init(_ push: PushProcess) { self.init(port: push.port, authorityFile: push.authorityFile) }

    var lines: [String] {
        [
            "alert_gcm: {sender_id: '\(sender)', api_key: '\(key)'}", "phones:",
            "  fcm: {host: \(host), port: \(port), ca_file: '\(authorityFile)'}",
            "  legacy: {enabled: \(isLegacyEnabled), topic: \(tellsLegacyTopic)}", "  command_rate: 600",
        ] + (heartbeat.map { ["  heartbeat: \($0)"] } ?? []) + ["  timing:"] + timing.map { "    \($0)" }
    }
}
