import AlarmModel
import ApplianceCore
import CommandKit
import PhoneProtocol
import Platform
import Reports
import Uplinks

/// `links`: the links; `links watch` goes on, `links test` probes them all first.
struct LinksCommand: Command, Equatable {
    enum Part: String, CaseIterable, Hashable, Sendable { case show, watch, test }

    var part: Part
    var stateDirectory: String
    var json: Bool

    /// A pass of probes is over by then.
    private static let testTime: Duration = .seconds(5)
    /// A modem that has to be woken is connected by then. The daemon lets it sleep again after a minute.
    private static let wakingTime: Duration = .seconds(45)

    func run(on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let link = try DaemonLink(stateDirectory: stateDirectory)
            switch part {
            case .show: return try show(link, on: console) { _ in true }
            case .watch: return try watch(link, on: console)
            case .test:
                let before = try ask(link, isTest: true)
                if !json, !before.links.isEmpty { console.complain("probing all links …") }
                try link.wait(Self.testTime)
                var waited = Self.testTime
                while waited < Self.wakingTime, try isWaking(link) {
                    try link.wait(.seconds(1))
                    waited += .seconds(1)
                }
                return try show(link, on: console) { $0.allSatisfy { Self.isGood($0) } }
            }
        } catch {
            console.complain(error.description)
            return error == .closed ? ExitStatus.noDaemon : error.status
        }
    }

    /// A cold link sleeps again before it counts as up: that something answers by it is all that a test can see.
    static func isGood(_ link: LinkReport) -> Bool {
        link.state == .up || (link.standby == .cold && link.state == .connecting && link.latency != nil)
    }

    private func isWaking(_ link: DaemonLink) throws(DaemonLinkError) -> Bool {
        try ask(link, isTest: false).links.contains { $0.standby == .cold && !Self.isGood($0) }
    }

    private func show(
        _ link: DaemonLink, on console: Console, isGood: ([LinkReport]) -> Bool
    ) throws(DaemonLinkError) -> Int32 {
        let report = try ask(link, isTest: false)
        console.print(json ? [LinksJSON.of(report).text] : LinksText.lines(report))
        return isGood(report.links) ? ExitStatus.done : ExitStatus.failed
    }

    /// Shows them anew whenever something of them changes.
    private func watch(_ link: DaemonLink, on console: Console) throws(DaemonLinkError) -> Int32 {
        Console.endQuietlyOnInterrupt()
        var shown: [String] = []
        while !console.isOutputGone {
            let report = try ask(link, isTest: false)
            let lines = json ? [LinksJSON.of(report).text] : LinksText.lines(report)
            let marks = LinksText.marks(report)
            if marks != shown {
                console.print(json || shown.isEmpty ? lines : [""] + lines)
                shown = marks
            }
            try link.wait(.seconds(1))
            console.noticeOutputEnd()
        }
        return ExitStatus.done
    }

    private func ask(_ link: DaemonLink, isTest: Bool) throws(DaemonLinkError) -> LinksReport {
        try link.ask(.links(isTest: isTest)).answer { if case .links(let report) = $0 { report } else { nil } }
    }
}

extension LinksCommand {
    static let entry = CommandEntry(
        "links", "[watch|test]", in: .watching, brief: "the ways to the internet",
        """
        Shows each link with its state, score, answer time and what it has carried this month, which one is used (*),
        and the modem. 'links watch' shows them again with each change; 'links test' probes all of them now and ends
        with status 1 unless all are up; a cold one is woken and need only answer.

        \(CommandSyntax.json)

        howalarming links
        howalarming links watch
        howalarming links test
        """
    ) { given throws(UsageError) in
        let part: Part? = try given.choice(0, what: "the part of 'links'")
        return LinksCommand(part: part ?? .show, stateDirectory: given.stateDirectory, json: given.json)
    }
}
