#if hasFeature(Embedded)
    // Stand-ins, as AlarmModel/Embedded.swift has them; public, because Companion's types are.

    public protocol Codable {}
    public protocol CodingKey {}
    public protocol CustomReflectable {}

    public struct Mirror {
        init<Subject>(_ subject: Subject, children: [Never]) {}
    }
#endif
