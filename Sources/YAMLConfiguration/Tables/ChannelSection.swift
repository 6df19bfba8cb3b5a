/// A section that switches on a channel to people, a dead-man ping, telephone calls or the questions to a UPS: collected from both files first, read as a whole
/// then.
struct ChannelSection: Sendable {
    let name: String
    let table: [any TableLine & Sendable]
    /// Those of its keys that may stand in the secrets file instead.
    var movable: [String]
    var secrets: [String]
    let read: @Sendable (inout SettingsReading, Mapping) -> Void

    init<Section: SettingsSection>(_ name: String, _ type: Section.Type) {
        self.name = name
        table = Section.table
        movable = Section.table.movable.keys
        secrets = Section.table.secrets.keys
        read = { reading, section in
            var value = Section()
            reading.read(section, into: &value)
        }
    }

    static let all: [ChannelSection] = [
        ChannelSection("ntfy", NtfySection.self), ChannelSection("fcm_v1", FCMv1Section.self),
        ChannelSection("web_push", WebPushSection.self),
        ChannelSection("xmpp", XMPPSection.self),
        ChannelSection("mqtt", MQTTSection.self), ChannelSection("alert_email", AlertEmailSection.self),
        ChannelSection("alert_url", AlertURLSection.self), ChannelSection("heartbeat", HeartbeatSection.self),
        ChannelSection("hooks", HooksSection.self), ChannelSection("beanstalkd", BeanstalkdSection.self),
        ChannelSection("receiver", ReceiverSection.self), ChannelSection("ups", UPSSection.self),
        ChannelSection("calls", CallsSection.self),
    ]
}
