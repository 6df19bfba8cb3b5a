import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform

/// A question to the daemon that runs on a state directory, over its control socket. It waits where it is called.
struct DaemonLink {
    private static let replyLimits = JSON.Limits(depth: 32, bytes: 4 * 1024 * 1024)
    private let client: UnixClient

    init(stateDirectory: String) throws(DaemonLinkError) {
        do throws(UnixClientError) {
            client = try UnixClient(directory: stateDirectory, name: ControlSocket.name)
        } catch {
            throw .socket(error)
        }
    }

    func send(_ request: ControlRequest) throws(DaemonLinkError) {
        do throws(UnixClientError) {
            try client.writeLine(Array(request.json.text.utf8))
        } catch {
            throw .socket(error)
        }
    }

    /// The next reply. `span` nil waits for ever.
    func receive(within span: Duration? = .seconds(10)) throws(DaemonLinkError) -> ControlReply {
        try Self.reply(try receiveDocument(within: span))
    }

    /// The next reply as it stands on the line.
    func receiveDocument(within span: Duration?) throws(DaemonLinkError) -> JSON {
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

    static func reply(_ document: JSON) throws(DaemonLinkError) -> ControlReply {
        do throws(JSONError) {
            return try document.decoding(ControlReply.self)
        } catch {
            throw .garbled("\(error)")
        }
    }

    /// Lets time pass between two questions. The daemon says nothing meanwhile; that it goes away is an error at once.
    func wait(_ span: Duration) throws(DaemonLinkError) {
        do throws(DaemonLinkError) {
            _ = try receiveDocument(within: span)
        } catch {
            guard error.isTimeOut else { throw error }
            return
        }
        throw .unexpected
    }

    func ask(_ request: ControlRequest) throws(DaemonLinkError) -> ControlReply {
        try send(request)
        return try receive()
    }

    /// One question and its answer on a connection of its own.
    static func ask(_ request: ControlRequest, in stateDirectory: String) throws(DaemonLinkError) -> ControlReply {
        try DaemonLink(stateDirectory: stateDirectory).ask(request)
    }

    /// An order that is answered by a sentence: prints it and gives the exit status.
    static func order(_ request: ControlRequest, in stateDirectory: String, on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let what: String = try ask(request, in: stateDirectory).answer {
                if case .changed(let what) = $0 { what } else { nil }
            }
            console.print([Text.printable(what)])
            return HowAlarmingCommand.Status.done
        } catch {
            console.complain(error.description)
            return error.status
        }
    }
}

/// Why the daemon gave no answer.
enum DaemonLinkError: Error, Hashable, Sendable, CustomStringConvertible {
    case socket(UnixClientError)
    /// It closed the connection without an answer.
    case closed
    /// Its answer is none that this program knows.
    case garbled(String)
    /// It does not do what was asked, and says why.
    case refused(String)
    /// It answered something else than what was asked.
    case unexpected

    var isNoDaemon: Bool {
        guard case .socket(.nobodyAnswers) = self else { return false }
        return true
    }

    var isTimeOut: Bool { self == .socket(.timedOut) }

    var status: Int32 {
        isNoDaemon ? HowAlarmingCommand.Status.noDaemon : HowAlarmingCommand.Status.failed
    }

    var description: String {
        switch self {
        case .socket(.nobodyAnswers):
            "no daemon runs on this state directory; start it with 'howalarming run', or name its directory with --state"
        case .socket(let error): "\(error)"
        case .closed: "the daemon closed the connection; see its log"
        case .garbled(let why): "the daemon's answer is not understood (\(why)); are both of the same version?"
        case .refused(let why): Text.printable(why)
        case .unexpected: "the daemon answered something else; are both of the same version?"
        }
    }
}
