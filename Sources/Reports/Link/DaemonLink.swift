import AlarmModel
package import ApplianceCore
package import CommandKit
import Glibc
package import PhoneProtocol
package import Platform

/// A question to the daemon that runs on a state directory, over its control socket. It waits where it is called.
package struct DaemonLink {
    private static let replyLimits = JSON.Limits(depth: 32, bytes: 4 * 1024 * 1024)
    private let client: UnixClient

    package init(stateDirectory: String) throws(DaemonLinkError) {
        do throws(UnixClientError) {
            client = try UnixClient(directory: stateDirectory, name: ControlSocket.name)
        } catch {
            if case .nobodyAnswers = error { throw .noDaemon(directory: stateDirectory) }
            throw .socket(error)
        }
    }

    package func send(_ request: ControlRequest) throws(DaemonLinkError) {
        do throws(UnixClientError) {
            try client.writeLine(Array(request.json.text.utf8))
        } catch {
            throw .socket(error)
        }
    }

    /// The next reply. `span` nil waits for ever.
    package func receive(within span: Duration? = .seconds(10)) throws(DaemonLinkError) -> ControlReply {
        try Self.reply(try receiveDocument(within: span))
    }

    /// The next reply as it stands on the line.
    package func receiveDocument(within span: Duration?) throws(DaemonLinkError) -> JSON {
        let line: [UInt8]?
        do throws(UnixClientError) {
            line = try client.readLine(within: span)
        } catch {
            throw .socket(error)
        }
        guard let line else { throw .closed }
        do throws(JSONError) {
            return try JSON(parsing: line, limits: Self.replyLimits)
        } catch {
            throw .garbled("\(error)")
        }
    }

    package static func reply(_ document: JSON) throws(DaemonLinkError) -> ControlReply {
        do throws(JSONError) {
            return try document.decoding(ControlReply.self)
        } catch {
            throw .garbled("\(error)")
        }
    }

    /// Lets time pass between two questions. The daemon says nothing meanwhile; that it goes away is an error at once.
    package func wait(_ span: Duration) throws(DaemonLinkError) {
        do throws(DaemonLinkError) {
            _ = try receiveDocument(within: span)
        } catch {
            guard error.isTimeOut else { throw error }
            return
        }
        throw .unexpected
    }

    package func ask(_ request: ControlRequest) throws(DaemonLinkError) -> ControlReply {
        try send(request)
        return try receive()
    }

    /// One question and its answer on a connection of its own.
    package static func ask(_ request: ControlRequest, in stateDirectory: String) throws(DaemonLinkError)
        -> ControlReply
    {
        try DaemonLink(stateDirectory: stateDirectory).ask(request)
    }

    /// An order that is answered by a sentence: prints it and gives the exit status.
    package static func order(_ request: ControlRequest, in stateDirectory: String, on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let what: String = try ask(request, in: stateDirectory).answer {
                if case .changed(let what) = $0 { what } else { nil }
            }
            console.print([Text.printable(what)])
            return ExitStatus.done
        } catch {
            console.complain(error.description)
            return error.status
        }
    }
}

/// Why the daemon gave no answer.
package enum DaemonLinkError: Error, Equatable, Sendable, CustomStringConvertible {
    case noDaemon(directory: String)
    case socket(UnixClientError)
    /// It closed the connection without an answer.
    case closed
    /// Its answer is none that this program knows.
    case garbled(String)
    /// It does not do what was asked, and says why.
    case refused(String)
    /// It answered something else than what was asked.
    case unexpected

    package var isNoDaemon: Bool {
        if case .noDaemon = self { true } else { false }
    }

    package var isTimeOut: Bool { self == .socket(.timedOut) }

    package var status: Int32 {
        isNoDaemon ? ExitStatus.noDaemon : ExitStatus.failed
    }

    package var description: String {
        switch self {
        case .noDaemon(let directory):
            "no daemon runs on \(directory); start it with \(Hint.run), or name its state directory with --state"
        case .socket(.failed(let error)) where error.number == EACCES:
            "\(error): only root and the daemon's user may ask the daemon; put sudo before the command"
        case .socket(let error): "\(error)"
        case .closed: "the daemon closed the connection; see its log"
        case .garbled(let why): "the daemon's answer is not understood (\(why)); are both of the same version?"
        case .refused(let why): Text.printable(why)
        case .unexpected: "the daemon answered something else; are both of the same version?"
        }
    }
}
