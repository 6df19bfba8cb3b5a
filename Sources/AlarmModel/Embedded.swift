#if hasFeature(Embedded)
    // Embedded Swift, of which the web app's core is made (tools/lib/build-core), has no coding and no mirrors. Empty
    // stand-ins with the same names let every declaration stay as it is: nothing is made of them there, and nobody asks.

    package protocol Codable {}
    package protocol CodingKey {}
    package protocol CustomReflectable {}

    package struct Mirror {
        package init<Subject>(_ subject: Subject, children: [Never]) {}
    }

    extension Bool: Codable {}
    extension Int: Codable {}
    extension Int64: Codable {}
    extension UInt8: Codable {}
    extension UInt64: Codable {}
    extension String: Codable {}
    extension Array: Codable where Element: Codable {}
#endif
