/// `alert_plivo` of a HowAlarming file: Plivo reads what is spoken from a page of its user's, which this box has none of. Said
/// once, never dropped silently.
enum AlertPlivoSection {
    static var keys: [String] { ["auth_id"] + secrets + ["call_from", "call_to", "triggers"] }
    static var secrets: [String] { ["auth_token"] }

    static func warn(_ field: Field, _ reading: inout SettingsReading) {
        reading.warning(
            field,
            "'alert_plivo' calls nobody: Plivo wants a web page of yours with the words. Telephone calls are made by 'calls' and "
                + "another provider (docs/MANUAL.md, \"Telephone calls\"). The original alert_plivo.py can go on doing it, "
                + "too: set 'beanstalkd.enabled' and name its tube in 'beanstalkd.tubes.events'")
        guard let section = reading.section(field, known: keys) else { return }
        if section.fields.contains(where: { secrets.contains($0.key) }) { reading.holdsSecret = true }
    }
}
