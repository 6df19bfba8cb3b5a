import AlarmModel
import ApplianceCore
import Companion
import PhoneProtocol
import Platform
import Testing

/// The phone's half as apps import it, at the push service of a bench.
struct AppPhone {
    var phone: PairedPhone<OpenSSLCrypto>
    let token: String
    /// Pushes that were looked at.
    private var taken: Int
    private var actions: [PhoneAction] = []
    /// While false, what is pushed is lost, and nothing is sent.
    var isReachable = true

    init(_ bench: inout Bench, person: String = "Anna", token: String = "token-of-anna") throws {
        self.token = token
        let code = try bench.startPairing(person, as: 700)
        let keys = try Bench.signers()
        let signers = PhoneSigners(key1: keys.key1, key2: keys.key2)
        var pairing = try bench.handshake(code, token: token, signers: signers)
        bench.inbound(from: token, pairing.frame)
        pairing.received(try #require(bench.push.server.pushes.last?.bytes))
        guard case .digits(let digits, _) = pairing.phase else { throw Bench.NotPaired() }
        let paired = try #require(pairing.paired)
        phone = PairedPhone(
            secrets: paired.secrets, memory: paired.memory, crypto: OpenSSLCrypto(), signers: signers)
        taken = bench.push.server.pushes.count
        bench.ask(.phones(.confirm(Secret(digits))), as: 701)
        advance(&bench, .seconds(5))
    }

    private func time(_ bench: Bench) -> PhoneTime {
        PhoneTime(uptime: bench.now.boot.nanoseconds / 1_000_000, wall: bench.now.wall.seconds)
    }

    /// Both speak until neither has anything to say.
    mutating func talk(_ bench: inout Bench) {
        for _ in 0..<100 {
            let new = bench.push.server.pushes.dropFirst(taken).filter { $0.to == token }
            taken = bench.push.server.pushes.count
            if isReachable {
                for push in new { if let bytes = push.bytes { phone.received(bytes, at: time(bench), into: &actions) } }
            }
            let due = phone.nextDeadline.map { $0 <= time(bench).uptime } ?? false
            if due { phone.timerFired(at: time(bench), into: &actions) }
            let orders = actions
            actions = []
            for case .send(let bytes) in orders where isReachable { bench.inbound(from: token, bytes) }
            if new.isEmpty, !due, orders.isEmpty { return }
        }
        Issue.record("the phone and the box answer each other for ever")
    }

    mutating func advance(_ bench: inout Bench, _ span: Duration) {
        talk(&bench)
        var left = span
        while left > .zero {
            bench.advance(min(left, .milliseconds(250)))
            left -= .milliseconds(250)
            talk(&bench)
        }
    }

    mutating func wake(_ bench: inout Bench) {
        phone.becameReachable(at: time(bench), into: &actions)
        talk(&bench)
    }

    mutating func give(_ command: HouseCommand, _ bench: inout Bench) -> CommandRecord.ID {
        let id = phone.give(command, at: time(bench), into: &actions)
        talk(&bench)
        return id
    }

    func outcome(_ id: CommandRecord.ID) -> CommandOutcome? {
        phone.memory.commands.first { $0.id == id }?.outcome
    }

    func holdsAll(of bench: Bench) -> Bool {
        let log = phone.memory.log
        return log.events.compactMap(\.position?.seq) == bench.stored.map(\.seq.number)
            && log.events.map(\.raw) == bench.stored.map(\.event.raw) && log.missingCount == 0
    }
}
