import AlarmModel
import ApplianceCore
import CommandKit
import PhoneProtocol
import Platform
import Reports

/// `phones pair` and `phones codes`: begins it, shows what is to be scanned, takes the six digits of the phone, and says
/// how it ended.
struct PairCommand: Command, Equatable {
    /// `pair`, `pairContact` or `codes`.
    var request: PhonesRequest
    var person: String
    var stateDirectory: String

    /// Keys and the daemon are looked at in turn.
    private static let turn = Duration.milliseconds(50)

    /// A store app or an account: what is shown is no secret, and the digits arrive there.
    private var isContact: Bool {
        if case .pairContact = request { true } else { false }
    }

    private var isCodes: Bool {
        if case .codes = request { true } else { false }
    }

    func run(on console: Console) -> Int32 {
        // Signals are asked for, so that none can leave the code on the screen.
        SignalSource.blockSignals()
        do throws(DaemonLinkError) {
            let link = try DaemonLink(stateDirectory: stateDirectory)
            try link.send(.phones(request))
            // What is wrong with the request comes at once, and needs no screen.
            let first = try link.receiveDocument(within: .seconds(10))
            let face = Face(console: console, terminal: nil)
            guard let begun = try progress(first, face) else { return ExitStatus.failed }
            return try follow(link, begun, on: console)
        } catch {
            console.complain(PhonesCommand.text(error, for: request))
            return error.status
        }
    }

    /// Where the pairing is shown.
    private struct Face {
        var console: Console
        var terminal: PairingTerminal?
    }

    private func follow(
        _ link: DaemonLink, _ first: (PairingProgress, Secret?), on console: Console
    ) throws(DaemonLinkError) -> Int32 {
        let terminal = isContact ? nil : PairingTerminal()
        defer { terminal?.leave() }
        let face = Face(console: console, terminal: terminal)
        var screen = PairingScreen(person: person)
        screen.isCodes = isCodes
        var input = PairingInput()
        var hasInput = true
        var next: (PairingProgress, Secret?)? = first
        while true {
            if let (progress, code) = next {
                if let status = show(progress, code, &screen, face) { return status }
                next = nil
            }
            if PendingSignal.wantsEnd || console.isOutputGone { return cancel(face) }
            if hasInput, terminal != nil || screen.isAwaitingDigits {
                let bytes = ReadyInput.bytes()
                hasInput = bytes != nil
                if let status = take(bytes, &input, &screen, face) { return status }
            }
            terminal?.show(screen)
            do throws(DaemonLinkError) {
                next = try progress(try link.receiveDocument(within: Self.turn), face)
                if next == nil { return ExitStatus.failed }
            } catch {
                guard error.isTimeOut else {
                    terminal?.leave()
                    throw error
                }
            }
        }
    }

    /// nil when the daemon refused; it was said then.
    private func progress(_ line: JSON, _ face: Face) throws(DaemonLinkError) -> (PairingProgress, Secret?)? {
        let (document, code) = PairingText.split(line)
        let reply = try DaemonLink.reply(document)
        if case .error(let why) = reply {
            face.terminal?.leave()
            face.console.complain(Text.printable(why))
            return nil
        }
        guard case .pairing(let progress) = reply else { throw .unexpected }
        return (progress, code)
    }

    /// The exit status when this was the end.
    private func show(
        _ progress: PairingProgress, _ code: Secret?, _ screen: inout PairingScreen, _ face: Face
    ) -> Int32? {
        screen.note(progress, code: code)
        switch progress {
        case .ready:
            if face.terminal == nil {
                // On one line, for whoever reads it from a pipe.
                face.console.print(PairingText.groups(code?.revealed ?? "", width: 1000))
                face.console.print([PairingText.line(progress)])
            } else if let code {
                screen.drawn(QRPicture.draw(link: screen.link, code: code))
            }
        case .codesReady:
            if face.terminal == nil {
                // For whoever reads it from a pipe.
                face.console.print([code?.revealed ?? "", PairingText.key(of: code), PairingText.line(progress)])
            } else if let code {
                screen.drawn(QRPicture.draw(code))
            }
        case .subscribe(let topic):
            if case .rows(let rows) = QRPicture.draw(PairingText.subscriptionLink(topic)) {
                face.console.print([""] + rows + [""])
            }
            face.console.print(PairingText.subscription(topic))
            if case .phones(let report)? = try? DaemonLink.ask(.phones(.list), in: stateDirectory),
                let remark = PairingText.unreachable(report)
            {
                face.console.complain(remark)
            }
        case .codeSent: face.console.print([PairingText.line(progress)])
        case .heard, .wrongCode: if face.terminal == nil { face.console.print([PairingText.line(progress)]) }
        case .paired, .codesOn:
            face.terminal?.leave()
            face.console.print([PairingText.line(progress)])
            return ExitStatus.done
        case .ended:
            face.terminal?.leave()
            face.console.complain(PairingText.line(progress, isCodes: isCodes))
            return ExitStatus.failed
        }
        return nil
    }

    private func take(
        _ bytes: [UInt8]?, _ input: inout PairingInput, _ screen: inout PairingScreen, _ face: Face
    ) -> Int32? {
        var events: [PairingInput.Event] = []
        for byte in bytes ?? [] {
            // Before a phone was heard, keys mean nothing but the end.
            if screen.isAwaitingDigits || [3, 4, 28].contains(byte) {
                if let event = input.take(byte) { events.append(event) }
            }
        }
        if bytes == nil, let event = input.enter() { events.append(event) }
        for event in events {
            switch event {
            case .givenUp: return cancel(face)
            case .incomplete: say("these are not six digits: type all that the phone shows", &screen, face)
            case .digits(let digits): confirm(digits, &screen, face)
            }
        }
        screen.typed = input.typed
        return nil
    }

    private func say(_ remark: String, _ screen: inout PairingScreen, _ face: Face) {
        screen.remark = remark
        if face.terminal == nil { face.console.complain(remark) }
    }

    /// On a connection of its own; what comes of it is told on the first one.
    private func confirm(_ digits: Secret, _ screen: inout PairingScreen, _ face: Face) {
        screen.remark = nil
        do throws(DaemonLinkError) {
            let reply = try DaemonLink.ask(.phones(.confirm(digits)), in: stateDirectory)
            if case .error(let why) = reply { say(Text.printable(why), &screen, face) }
        } catch {
            say(error.description, &screen, face)
        }
    }

    /// The daemon is told, so that the code is worth nothing any more.
    private func cancel(_ face: Face) -> Int32 {
        face.terminal?.leave()
        do throws(DaemonLinkError) {
            _ = try DaemonLink.ask(.phones(.cancelPairing), in: stateDirectory)
            face.console.complain(
                isCodes
                    ? "it was ended; what was shown is worth nothing now"
                    : "the pairing was ended; its code is worth nothing now")
        } catch {
            face.console.complain("it could not be ended (\(error)); type 'howalarming phones cancel'")
        }
        return ExitStatus.failed
    }
}
