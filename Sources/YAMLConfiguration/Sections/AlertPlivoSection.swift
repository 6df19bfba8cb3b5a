/// `alert_plivo` of a HowAlarming file: understood and not served yet. Said once, never dropped silently.
enum AlertPlivoSection {
    static var keys: [String] { ["auth_id"] + secrets + ["call_from", "call_to", "triggers"] }
    static var secrets: [String] { ["auth_token"] }

    static func warn(_ field: Field, _ reading: inout SettingsReading) {
        reading.warning(
            field,
            "'alert_plivo' is not supported yet: nobody is called by telephone. The original alert_plivo.py can go on doing "
                + "it: set 'beanstalkd.enabled' and name its tube in 'beanstalkd.tubes.events'; or let a program of yours "
                + "under 'hooks' call your provider")
        guard let section = reading.section(field, known: keys) else { return }
        if section.fields.contains(where: { secrets.contains($0.key) }) { reading.holdsSecret = true }
    }
}
