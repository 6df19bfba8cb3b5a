import AlarmModel
import Platform
import Testing

/// The modem service as a test sees it.
final class ModemHouse {
    let bus: PrivateBus
    private(set) var facts: [ModemFact] = []
    private(set) var modem: ModemManagerBus?
    /// Carries out what a session orders, when the test has one.
    var onFact: ((ModemFact) -> Void)?

    init(textPatience: Duration = .minutes(10)) throws {
        bus = try PrivateBus()
        try bus.start()
        try playService()
        modem = ModemManagerBus(on: bus.loop, address: bus.address, textPatience: textPatience) { [weak self] fact in
            self?.facts.append(fact)
            self?.onFact?(fact)
        }
    }

    deinit { modem?.close() }

    func end() {
        onFact = nil
        modem?.close()
        bus.end()
    }

    func playService() throws { try bus.play("modem_manager.py", name: "org.freedesktop.ModemManager1") }

    @discardableResult
    func control(_ member: String, _ arguments: [BusValue] = []) throws -> [BusValue] {
        try bus.ask(
            BusCall(
                member, of: "org.freedesktop.DBus.Mock", at: "/org/freedesktop/ModemManager1",
                from: "org.freedesktop.ModemManager1", arguments))
    }

    func heard() throws -> [String] { (try control("Heard").first?.elements ?? []).compactMap(\.text) }
    /// Waits until the service has heard a call that begins so.
    func heard(_ beginning: String) throws {
        try bus.wait(for: beginning) { ((try? self.heard()) ?? []).contains { $0.hasPrefix(beginning) } }
    }

    func appear(pin: String = "") throws { try control("ModemAppears", [.string(pin)]) }

    func wait(for fact: ModemFact) throws {
        do {
            try bus.wait(for: "\(fact)") { self.facts.contains(fact) }
        } catch {
            throw WaitedInVain(description: "\(error)\nfacts: \(facts.map { "\($0)" }.joined(separator: "\n"))")
        }
    }

    /// The last status, once it fits.
    @discardableResult
    func status(_ what: String, _ fits: @escaping (ModemStatus) -> Bool) throws -> ModemStatus {
        try bus.wait(for: what) { self.status.map(fits) ?? false }
        return try #require(status)
    }

    /// Texts that were told, as `number: text`.
    var received: [String] {
        facts.compactMap { if case .textReceived(let number, let text) = $0 { "\(number): \(text)" } else { nil } }
    }

    /// From then on texts that come in are taken.
    func sendText() throws {
        try bus.wait(for: "the modem") { self.status != nil }
        let failure = try order(.sendText(TextMessage(id: TextID(7), number: "+4917012345", text: "ALARM")))
        try #require(failure == nil)
    }

    /// - Parameter state: 2 while parts are missing, 3 when it is there
    func textArrives(_ number: String, _ text: String, state: UInt32 = 3) throws -> String {
        let path = try control("TextArrives", [.string(number), .string(text), .uint32(state)]).first?.text
        return try #require(path)
    }

    var status: ModemStatus? {
        for fact in facts.reversed() { if case .modem(let status) = fact { return status } }
        return nil
    }

    /// The answer to an order, which is waited for.
    func order(_ order: ModemOrder) throws -> ModemFailure? {
        let before = facts.count
        modem?.carryOut(order)
        var answer: ModemFailure?
        try bus.wait(for: "the end of \(order)") {
            for fact in self.facts[before...] {
                switch fact {
                case .done(let task): if task == order.task { return true }
                case .failed(let task, let failure):
                    if task == order.task {
                        answer = failure
                        return true
                    }
                case .textSent: if order.task == nil { return true }
                case .textFailed(_, let failure):
                    if order.task == nil {
                        answer = failure
                        return true
                    }
                case .service, .modem, .textReceived, .call: continue
                }
            }
            return false
        }
        return answer
    }
}
