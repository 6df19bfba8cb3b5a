import AlarmModel
import ApplianceCore
import CommandKit
import PhoneProtocol
import Platform
import Reports

/// `phones`: everything but the pairing's screen.
struct PhonesCommand: Command, Equatable {
    var request: PhonesRequest
    var stateDirectory: String
    var json = false

    func run(on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let reply = try CoreQuestion.ask(.phones(request), in: stateDirectory)
            if case .phones(let report) = reply {
                console.print(
                    json
                        ? [PhonesJSON.of(report).text]
                        : PhonesText(report: report, now: SystemClock.wallTime(), rules: LocalTime.rules()).lines)
            } else if case .deadMessages(let messages) = reply {
                let text = DeadText(rules: LocalTime.rules())
                console.print(json ? messages.map { DeadText.json($0) } : text.lines(messages))
            } else if case .changed(let what) = reply {
                console.print([Text.printable(what)])
            } else if case .pairing(let progress) = reply {
                console.print([PairingText.line(progress)])
                return PairingText.status(progress)
            } else {
                throw reply.misfit
            }
            return ExitStatus.done
        } catch {
            console.complain(Self.text(error, for: request))
            return error.status
        }
    }

    static func text(_ error: DaemonLinkError, for request: PhonesRequest) -> String {
        guard error.isNoDaemon, CoreQuestion.needsDaemon(.phones(request)) else { return error.description }
        return "this needs the daemon, and \(error)"
    }
}

/// `phones confirm` without digits: they are asked for.
struct ConfirmCommand: Command, Equatable {
    var stateDirectory: String

    func run(on console: Console) -> Int32 {
        // Which phone has used the code, and of which page its passkey is, is to be seen before the digits are typed.
        if case .phones(let report) = try? DaemonLink.ask(.phones(.list), in: stateDirectory),
            let words = report.pairing
        {
            console.print([Text.printable(words)])
        }
        do throws(SecretInputError) {
            guard let digits = PairingDigits(try SecretInput.terminal("Digits of the phone").revealed) else {
                console.complain("the code is the six digits that the phone shows; nothing was sent")
                return ExitStatus.failed
            }
            return PhonesCommand(request: .confirm(digits.code), stateDirectory: stateDirectory).run(on: console)
        } catch {
            console.complain(error.description)
            return ExitStatus.failed
        }
    }
}

/// Messages that nobody got.
struct DeadText {
    var rules: TimeZoneRules

    func lines(_ messages: [DeadMessage]) -> [String] {
        guard !messages.isEmpty else { return ["no message was given up"] }
        return messages.map { dead in
            let event = dead.message.event
            let why = dead.message.detail ?? (dead.message.state == .expired ? "not delivered in its time" : "given up")
            return "\(rules.civilTime(at: event.time).text)  \(Text.printable(dead.phone)): "
                + "\(Text.printable(event.message)) — \(Text.printable(why))"
        }
    }

    /// Keys: `phone`, `seq` (or null), `timestamp` (of the event, seconds since 1970), `type`, `message`, `state` (dead
    /// or expired), `why` (or null), `created`.
    static func json(_ dead: DeadMessage) -> String {
        let message = dead.message
        return JSON.object([
            "phone": .string(dead.phone), "seq": message.seq.map { .integer($0.number) } ?? .null,
            "timestamp": .integer(message.event.time.seconds), "type": .string(message.event.type.rawValue),
            "message": .string(message.event.message), "state": .string(message.state.rawValue),
            "why": message.detail.map(JSON.string) ?? .null, "created": .integer(message.createdAt.seconds),
        ]).text
    }
}
