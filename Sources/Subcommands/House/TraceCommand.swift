import AlarmModel
import ApplianceCore
import CommandKit
import PanelLink
import PhoneProtocol
import Platform
import Reports

/// `panel trace`: the lines of the link as they come.
struct TraceCommand: Command, Equatable {
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
            return ExitStatus.done
        } catch {
            console.complain(error.description)
            return error == .closed ? ExitStatus.noDaemon : error.status
        }
    }
}
