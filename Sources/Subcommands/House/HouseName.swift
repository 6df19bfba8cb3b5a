import AlarmModel
import ApplianceCore
import CommandKit
import Reports

/// A zone or a partition as people say it: its number, or its name in the configuration.
enum HouseName: Equatable, Sendable {
    case number(Int)
    case name(String)

    /// - Parameter range: of numbers
    init(_ text: String, what: String, in range: ClosedRange<Int>, _ given: ParsedArguments) throws(UsageError) {
        guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 }) else {
            self = .name(text)
            return
        }
        guard let number = Int(text), range.contains(number) else {
            throw given.misuse("\(what) takes a number from \(range.lowerBound) to \(range.upperBound), or a name")
        }
        self = .number(number)
    }

    /// nil for a number, which needs nobody's help.
    var ifName: HouseName? { if case .name = self { self } else { nil } }

    /// 1 for a name, until it is known which number it has.
    var orFirst: Int { if case .number(let number) = self { number } else { 1 } }

    /// Why a name is nobody's, or more than one's.
    struct Misfit: Error, Equatable, CustomStringConvertible {
        var description: String
    }

    /// The number; a name is that of which it is the whole or, alone, the beginning.
    func number(_ what: String, among known: [(number: Int, name: String)]) throws(Misfit) -> Int {
        switch self {
        case .number(let number): return number
        case .name(let name):
            let wanted = name.lowercased()
            let whole = known.filter { $0.name.lowercased() == wanted }
            let found = whole.isEmpty ? known.filter { $0.name.lowercased().hasPrefix(wanted) } : whole
            if found.count == 1, let only = found.first { return only.number }
            let all = (found.isEmpty ? known : found).map { "\($0.number) \(Text.printable($0.name))" }
            let list = all.isEmpty ? "none has a name" : all.joined(separator: ", ")
            throw Misfit(
                description: found.isEmpty
                    ? "no \(what) is called '\(Text.printable(name))': \(list)"
                    : "several are called so, take the number: \(list)")
        }
    }
}

extension ParsedArguments {
    /// The first operand.
    func zone() throws(UsageError) -> HouseName {
        try HouseName(operands[0], what: "ZONE", in: 1...64, self)
    }

    /// `--partition`, or the first one.
    func partition() throws(UsageError) -> HouseName {
        guard let text = value("--partition") else { return .number(1) }
        return try HouseName(text, what: "option '--partition'", in: 1...8, self)
    }
}

extension PanelCommand {
    /// The same for this zone, where it is about one.
    func of(zone: Int) -> PanelCommand {
        switch self {
        case .bypass(_, let bypassed): .bypass(zone: zone, bypassed: bypassed)
        case .arm, .disarm, .panic, .output, .chime, .silence, .smokeReset, .setClock, .keys, .refresh, .timers: self
        }
    }

    /// The same for this partition, where it is about one.
    func of(partition: Int) -> PanelCommand {
        switch self {
        case .arm(_, let mode, let force): .arm(partition: partition, mode: mode, force: force)
        case .disarm: .disarm(partition: partition)
        case .output(_, let output): .output(partition: partition, output: output)
        case .chime(_, let on): .chime(partition: partition, on: on)
        case .silence: .silence(partition: partition)
        case .smokeReset: .smokeReset(partition: partition)
        case .keys(_, let keys, let allowInstaller):
            .keys(partition: partition, keys: keys, allowInstaller: allowInstaller)
        case .bypass, .panic, .setClock, .refresh, .timers: self
        }
    }
}
