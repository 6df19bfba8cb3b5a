import AlarmModel
package import ApplianceCore
import CommandKit
import PhoneProtocol

/// What the host of newer versions offers, in words.
package enum UpdatesText {
    package static func line(_ report: UpdatesReport) -> String {
        let offer =
            switch (report.offered.map { Text.printable($0) }, report.isInstalled) {
            case (let version?, true): "version \(version) starts when the machine is restarted"
            case (let version?, false):
                "version \(version) can be installed\(report.isAtNight ? ", and is at night" : ": \(Hint.installOffered)")"
            case (nil, _): report.lastAnswered == nil ? "not known yet" : "nothing newer"
            }
        let more = [report.doing, report.problem].compactMap { $0 }.map { Text.printable($0) }
        return ([offer + " (\(Text.printable(report.place)))"] + more).joined(separator: "; ")
    }

    static func json(_ report: UpdatesReport) -> JSON {
        func text(_ words: String?) -> JSON { words.map { .string($0) } ?? .null }
        return .object([
            "place": .string(report.place), "offered": text(report.offered), "installed": .bool(report.isInstalled),
            "at_night": .bool(report.isAtNight), "doing": text(report.doing), "problem": text(report.problem),
            "last_answered": report.lastAnswered.map { .integer($0.seconds) } ?? .null,
        ])
    }
}
