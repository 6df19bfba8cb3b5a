import AlarmModel
import ApplianceCore
import PanelLink
import PhoneProtocol
import Platform

/// `panel trace`: the lines of the link as they come.
struct TraceCommand {
    var stateDirectory: String
    var json: Bool

    func run(on console: Console) -> Int32 {
        let text = TraceText(rules: LocalTime.rules())
        Console.endQuietlyOnInterrupt()
        do throws(DaemonLinkError) {
            let link = try DaemonLink(stateDirectory: stateDirectory)
            try link.send(.trace)
            while !console.isOutputGone {
                let reply: ControlReply
                do throws(DaemonLinkError) {
                    reply = try link.receive(within: .seconds(1))
                } catch {
                    guard error.isTimeOut else { throw error }
                    console.noticeOutputEnd()
                    continue
                }
                guard case .trace(let line, let dropped) = reply else { throw reply.misfit }
                let now = SystemClock.wallTime()
                console.print(
                    json
                        ? [TraceText.json(line, dropped: dropped, at: now)]
                        : text.lines(line, dropped: dropped, at: now))
            }
            return HowAlarmingCommand.Status.done
        } catch {
            console.complain(error.description)
            return error == .closed ? HowAlarmingCommand.Status.noDaemon : error.status
        }
    }
}

/// A line of the trace.
struct TraceText {
    var rules: TimeZoneRules

    /// `06:05:04.123 < 6543`; before it the remark how many lines were left out.
    func lines(_ line: TraceLine, dropped: UInt64, at time: WallTime) -> [String] {
        let clock = rules.civilTime(at: time).text.suffix(8)
        let thousandths = String(1000 + (time.milliseconds % 1000 + 1000) % 1000).dropFirst()
        let shown = "\(clock).\(thousandths) \(line.direction.rawValue) \(Text.printable(line.text))"
        return dropped == 0 ? [shown] : ["… \(Text.count(dropped, "line")) not shown", shown]
    }

    /// Keys: `time_ms` (since 1970, when it was received here), `direction` (`<` from the panel, `>` to it, `#` a
    /// remark), `text`, `dropped` (lines before this one that were not shown).
    static func json(_ line: TraceLine, dropped: UInt64, at time: WallTime) -> String {
        JSON.object([
            "time_ms": .integer(time.milliseconds), "direction": .string(line.direction.rawValue),
            "text": .string(line.text), "dropped": .unsigned(dropped),
        ]).text
    }
}
