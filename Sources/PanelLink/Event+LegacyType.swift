package import AlarmModel

extension Event {
    /// The type that HowAlarming of 2016 gives to the event; our own events keep their own.
    package var legacyType: EventType { TPICode.legacyType(code: code, raw: raw) ?? type }
}
