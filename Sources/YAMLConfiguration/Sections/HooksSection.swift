import AlarmModel
import ApplianceCore
import PhoneLink

/// `hooks`: programs that a unit of its own runs.
struct HooksSection: SettingsSection {
    private var programs: [HookEntry] = []
    private var triggers: [EventType] = .usualInTheHouse
    private var settings = ProgramSettings()

    static let table: [Setting<Self>] = {
        let names = "names of programs in /etc/howalarming/hooks"
        return [
            .init("programs", .someList(of: .entry, names), \.programs).required("% has no programs", ": \(names)"),
            .init("triggers", .triggers, \.triggers),
            .init("time_limit", .span(.seconds(1) ... .minutes(5)), \.settings.timeLimit),
            .init("socket", .socket(of: "howalarming-hook.socket"), \.settings.socket),
        ]
    }()

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        guard section["programs"] != nil else { return }
        for entry in programs {
            guard let (name, field) = entry.program else { continue }
            reading.draft.hooks.append(HookFile(name: name, sha256: entry.sha256))
            reading.addTarget(.program, name, entry.triggers ?? triggers, called: "the program '\(name)'", by: field)
        }
        reading.draft.phones.settings.channels.append(.program(settings))
    }
}

/// An entry of `hooks.programs`.
private struct HookEntry: SettingsSection {
    var program: Target<String>?
    var triggers: [EventType]?
    var sha256: String?

    static let table: [Setting<Self>] = [
        .init("program", .target(.program), \.program).required("an entry of % has no program"),
        .init("sha256", .sha256, \.sha256),
        .init("triggers", .triggers, \.triggers),
    ]
}

extension ValueKind where Value == HookEntry {
    /// A name, or a section with one.
    fileprivate static var entry: Self {
        Self { reading, field in
            var entry = HookEntry()
            if case .mapping = field.value.content { return reading.read(field, into: &entry) ? entry : nil }
            entry.program = ValueKind<Target<String>>.target(.program).read(&reading, field)
            return entry
        }
    }
}

extension ValueKind where Value == String? {
    /// Of the program's file.
    fileprivate static var sha256: Self {
        let expected = "the SHA-256 of the program, 64 hexadecimal digits"
        return Self { reading, field in
            guard let text = reading.text(field, expected: expected)?.lowercased() else { return nil }
            guard text.utf8.count == 64, text.utf8.allSatisfy({ Self.isHex($0) }) else {
                return reading.refuse(field, "'\(field.path)' is no SHA-256", expected: expected)
            }
            return .some(text)
        }
    }

    private static func isHex(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
}

extension ValueKind where Value == String {
    /// A name, not a path: the unit runs nothing outside of its directory.
    fileprivate static var program: Self {
        .text(
            "the name of a program in /etc/howalarming/hooks, without a path", otherwise: "holds no name of a program"
        ) { ProgramAnswer.isProgramName($0) }
    }
}
