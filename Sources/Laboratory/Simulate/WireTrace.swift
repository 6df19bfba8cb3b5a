import AlarmModel
import CommandKit
import PanelLink
import Simulators

/// The lines of both sides as transcripts write them, `< ` from the panel and `> ` from the client, without passwords
/// and codes.
final class WireTrace {
    private let console: Console
    /// What has no line end yet.
    private var fromPanel: [UInt8] = []
    private var fromClient: [UInt8] = []
    private static let longest = 1024

    init(on console: Console) { self.console = console }

    func show(_ sight: PanelServer.Sight) {
        switch sight {
        case .connected(let id): console.print(["# client \(id.number) connected"])
        case .closed(let id, let end): console.print(["# client \(id.number): \(end)"])
        case .listening(let how): console.print(["# listening: \(how.rawValue)"])
        case .fromPanel(let bytes): take(bytes, "< ", &fromPanel)
        case .fromClient(let bytes): take(bytes, "> ", &fromClient)
        }
    }

    private func take(_ bytes: [UInt8], _ mark: String, _ partial: inout [UInt8]) {
        partial += bytes
        while let end = partial.firstIndex(of: 10) {
            console.print([mark + Redaction.line(Array(partial[...end]))])
            partial.removeFirst(end + 1)
        }
        if partial.count > Self.longest { partial = [] }
    }
}
