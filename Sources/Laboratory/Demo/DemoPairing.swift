import AlarmModel
import ApplianceCore
import PhoneProtocol
import Reports

/// One pairing as the daemon tells it, on a connection of its own. Confined to one thread.
final class DemoPairing {
    /// What a phone needs; a secret.
    private(set) var code: Secret?
    /// Why the daemon does not pair.
    private(set) var refusal: String?
    private var news: [PairingProgress] = []
    private let wire: LineStream
    private static let limits = JSON.Limits(depth: 32, bytes: 65_536)

    /// - Parameter onNews: called when there is something to look at
    init(_ person: String, _ roles: Roles, over wire: LineStream, onNews: @escaping () -> Void) {
        self.wire = wire
        wire.onLine = { [weak self] line in
            self?.take(line)
            onNews()
        }
        wire.send(ControlRequest.phones(.pair(person: person, roles: roles, noPresence: false)).json.text)
    }

    var isBegun: Bool { code != nil || refusal != nil }
    var hasNews: Bool { !news.isEmpty }

    /// The oldest that nobody has taken.
    func takeNews() -> PairingProgress? { news.isEmpty ? nil : news.removeFirst() }

    func close() { wire.close() }

    private func take(_ line: [UInt8]) {
        guard let json = try? JSON(parsing: line, limits: Self.limits) else { return }
        let (document, code) = PairingText.split(json)
        guard let reply = try? document.decoding(ControlReply.self) else { return }
        if let code { self.code = code }
        if case .error(let why) = reply { refusal = why }
        if case .pairing(let progress) = reply { news.append(progress) }
    }
}
