import AlarmModel
package import ApplianceCore
import EventStore
import PanelLink
import PhoneProtocol
import Platform

/// The core for one change while the daemon is stopped: the same core, the same store, under the exclusive lock on the
/// state directory (docs/ARCHITECTURE.md 2, "A batch"). It opens no connection and tells nothing of a start.
package struct OfflineCore {
    private static let patience = Duration.seconds(20)

    /// - Throws: when the directory is in use or the store cannot be opened.
    package static func answer(_ request: ControlRequest, stateDirectory: String) throws -> ControlReply {
        let lock = try StateLock(directory: stateDirectory)
        defer { lock.release() }
        let loop = try EventLoop()
        let mark = Random.bytes(4).map { Hex.encode([$0]) }.joined()
        let disk = try Disk(directory: stateDirectory, options: Journal.Options(run: mark), loop: loop)
        defer { _ = disk.stop(within: .seconds(5)) }
        let mount = OfflineMount(disk: disk, loop: loop)
        var reply: ControlReply?
        mount.begin(mark: mark, request) { answer in
            reply = answer
            loop.stop()
        }
        let timer = loop.setTimer(after: patience) { loop.stop() }
        loop.run()
        loop.cancel(timer)
        return reply ?? .error("the disk did not answer; try again, and look at the card if that goes on")
    }
}

/// Carries out what the core orders during one request.
private final class OfflineMount {
    private let disk: Disk
    private let loop: EventLoop
    private var core: Appliance
    private var vault = KeyVault(crypto: OpenSSLCrypto())
    private var facts: [Input] = []
    private var isFeeding = false
    private var answer: ((ControlReply) -> Void)?
    private static let client = Appliance.firstClient

    init(disk: Disk, loop: EventLoop) {
        self.disk = disk
        self.loop = loop
        core = Appliance(configuration: Self.configuration)
        disk.onCommitted = { [weak self] in self?.feed(.committed(upTo: $0, last: $1)) }
        disk.onFailed = { [weak self] in self?.feed(.commitFailed(from: $0, upTo: $1, $2)) }
    }

    /// Nothing is opened, so nothing of it matters.
    private static let configuration = Configuration(panelHost: "", panel: .init(password: Secret("")))

    func begin(mark: String, _ request: ControlRequest, then: @escaping (ControlReply) -> Void) {
        answer = then
        disk.open(safeMode: false) { [weak self] opening in
            guard let self else { return }
            switch opening {
            case .failed(let error): finish(.error("the store cannot be opened: \(error)"))
            case .opened(let report, _):
                disk.readPhones { [weak self] result in
                    guard let self else { return }
                    switch result {
                    case .failure(let error): finish(.error("the phones' file cannot be read: \(error)"))
                    case .success(let phones): mount(report, phones, mark: mark, request)
                    }
                }
            }
        }
    }

    private func mount(_ report: OpenReport, _ phones: PhoneFileContent, mark: String, _ request: ControlRequest) {
        var start = Start(
            configuration: Self.configuration, bootMark: mark, buildTime: WallTime(milliseconds: Build.time * 1000))
        start.take(report)
        let content = start.take(phones)
        start.findings = []
        start.isOffline = true
        vault.load(content.keys, codes: content.codes)
        feed(.started(start))
        feed(.accepted(Self.client))
        feed(.request(Self.client, request))
    }

    private func finish(_ reply: ControlReply) {
        let answer = answer
        self.answer = nil
        answer?(reply)
    }

    private func feed(_ input: Input) {
        facts.append(input)
        guard !isFeeding else { return }
        isFeeding = true
        defer { isFeeding = false }
        while !facts.isEmpty {
            var effects: [Effect] = []
            let now = SystemClock.moment(isTrusted: SystemClock.isSynchronised)
            core.handle(facts.removeFirst(), at: now, into: &effects)
            for effect in effects { carryOut(effect) }
        }
    }

    private func carryOut(_ effect: Effect) {
        switch effect {
        case .commit(let batch):
            disk.commit(batch, VaultBytes(vault, for: batch))
        case .read(let id, let query): disk.read(query) { [weak self] rows in self?.feed(.rows(id, rows)) }
        case .readMessages(let id, let query):
            disk.readMessages(query) { [weak self] rows in self?.feed(.rows(id, rows)) }
        case .vault(let id, let job):
            if let answer = vault.carryOut(job) { facts.append(.vault(id, answer)) }
        case .reply(_, let reply): finish(reply)
        case .resolve, .open, .openLocal, .compute, .derive, .locate, .startTLS, .send, .pause, .resume, .close,
            .setTimer,
            .watchLinks,
            .readLinks, .useNameServers, .modem, .notify, .log, .reboot, .update, .stick, .healthy, .finish:
            break
        }
    }
}
