package import AlarmModel

/// A work queue with somebody's programs behind it. In the simulated world it keeps nothing on a disk and is never
/// restarted.
package struct BeanstalkPeer: ChannelPeer {
    private struct Client: Sendable {
        var id: ConnectionID
        var input: [UInt8] = []
        var used = "default"
        var watched: [String] = ["default"]
        /// A `put` whose body is still to come.
        var awaits: Int?
        var waitsUntil: BootTime?
    }
    private struct Job: Sendable {
        var id: UInt64
        var tube: String
        var body: [UInt8]
        var since: BootTime
        var reserves = 0
        var holder: ConnectionID?
        var isBuried = false
        var readyAt = BootTime.zero
        /// It comes back without an end of its connection then.
        var heldUntil = BootTime.zero
    }

    package static let events = "events"
    package static let commands = "commands"

    /// Which file of its log is being written; 0: it has none.
    private let log: Int
    private var port = PeerPort()
    private var clients: [Client] = []
    private var jobs: [Job] = []
    private var lastJob: UInt64 = 0
    private var arrivals: [Arrival] = []

    package init(log: Int = 0) { self.log = log }

    package var nextDeadline: BootTime? {
        var due = clients.compactMap(\.waitsUntil) + jobs.filter { $0.holder != nil }.map(\.heldUntil)
        if let port = port.nextDeadline { due.append(port) }
        return due.min()
    }

    package mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.accepted(id)
        clients.append(Client(id: id))
    }

    package mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.closed(id)
        forget(id, at: now, into: &actions)
    }

    private mutating func forget(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        clients.removeAll { $0.id == id }
        for index in jobs.indices where jobs[index].holder == id { jobs[index].holder = nil }
        hand(at: now, into: &actions)
    }

    package mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.timerFired(at: now, into: &actions)
        for index in jobs.indices where jobs[index].holder != nil && jobs[index].heldUntil <= now.boot {
            jobs[index].holder = nil
        }
        for index in clients.indices {
            guard let until = clients[index].waitsUntil, until <= now.boot else { continue }
            clients[index].waitsUntil = nil
            if !port.isSilent { port.send(clients[index].id, "TIMED_OUT\r\n", at: now, into: &actions) }
        }
        hand(at: now, into: &actions)
    }

    package mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    /// A program asks for something, or has asked a while ago.
    package mutating func ask(
        _ body: String, number: UInt64? = nil, age: Duration = .zero, at now: Moment,
        into actions: inout [HTTPServiceAction]
    ) {
        lastJob = number ?? lastJob + 1
        jobs.append(Job(id: lastJob, tube: Self.commands, body: Array(body.utf8), since: now.boot - age))
        hand(at: now, into: &actions)
    }

    package mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard port.hears(id), let index = clients.firstIndex(where: { $0.id == id }) else { return }
        clients[index].input += bytes
        while let index = clients.firstIndex(where: { $0.id == id }), step(index, at: now, into: &actions) {}
    }

    private mutating func step(_ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]) -> Bool {
        if let size = clients[index].awaits {
            guard clients[index].input.count >= size + 2 else { return false }
            let body = Array(clients[index].input.prefix(size))
            clients[index].input.removeFirst(size + 2)
            clients[index].awaits = nil
            put(body, index, at: now, into: &actions)
            return true
        }
        guard let end = clients[index].input.firstIndex(of: 10) else { return false }
        let line = String(decoding: clients[index].input[..<end].filter { $0 != 13 }, as: UTF8.self)
        clients[index].input.removeFirst(end + 1)
        obey(line.split(separator: " ").map(String.init), index, at: now, into: &actions)
        return true
    }

    private mutating func obey(
        _ words: [String], _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let id = clients[index].id
        let argument = words.count > 1 ? words[1] : ""
        let job = UInt64(argument).flatMap { number in jobs.firstIndex { $0.id == number && $0.holder == id } }
        func say(_ text: String) { port.send(id, text + "\r\n", at: now, into: &actions) }
        switch words.first ?? "" {
        case "use":
            clients[index].used = argument
            say("USING \(argument)")
        case "list-tube-used": if !port.isSilent { say("USING \(clients[index].used)") }
        case "put": clients[index].awaits = words.last.flatMap { Int($0) } ?? 0
        case "watch":
            clients[index].watched.append(argument)
            say("WATCHING \(clients[index].watched.count)")
        case "ignore":
            clients[index].watched.removeAll { $0 == argument }
            say("WATCHING \(clients[index].watched.count)")
        case "stats": table("id: 3fa2b1c0\nbinlog-current-index: \(log)\n", id, at: now, into: &actions)
        case "stats-job":
            guard let job else { return say("NOT_FOUND") }
            let age = (now.boot - jobs[job].since).milliseconds / 1000
            table(
                "id: \(argument)\ntube: \(jobs[job].tube)\nstate: reserved\nage: \(age)\n"
                    + "reserves: \(jobs[job].reserves)\n", id, at: now, into: &actions)
        case "reserve-with-timeout":
            clients[index].waitsUntil = now.boot + .seconds(Int(argument) ?? 0)
            hand(at: now, into: &actions)
        case "touch":
            if let job { jobs[job].heldUntil = now.boot + .seconds(120) }
            say(job == nil ? "NOT_FOUND" : "TOUCHED")
        case "delete":
            if let job { jobs.remove(at: job) }
            if PeerPort.take(&port.closesMidway) { return end(id, at: now, into: &actions) }
            say(job == nil ? "NOT_FOUND" : "DELETED")
        case "bury":
            if let job {
                jobs[job].isBuried = true
                jobs[job].holder = nil
            }
            say(job == nil ? "NOT_FOUND" : "BURIED")
        case "release":
            if let job { jobs[job].holder = nil }
            say(job == nil ? "NOT_FOUND" : "RELEASED")
        default: say("UNKNOWN_COMMAND")
        }
    }

    private mutating func table(
        _ text: String, _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let body = "---\n" + text
        port.send(id, "OK \(body.utf8.count)\r\n\(body)\r\n", at: now, into: &actions)
    }

    private mutating func put(
        _ body: [UInt8], _ index: Int, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        let id = clients[index].id
        if PeerPort.take(&port.failures) { return port.send(id, "OUT_OF_MEMORY\r\n", at: now, into: &actions) }
        if PeerPort.take(&port.tooMany) || !port.takes() {
            return port.send(id, "DRAINING\r\n", at: now, into: &actions)
        }
        if PeerPort.take(&port.lies) { return port.send(id, "USING nothing\r\n", at: now, into: &actions) }
        lastJob += 1
        arrivals.append(
            Arrival(address: clients[index].used, message: nil, text: String(decoding: body, as: UTF8.self)))
        if PeerPort.take(&port.noAnswer) { return }
        if PeerPort.take(&port.closesMidway) { return end(id, at: now, into: &actions) }
        port.send(id, "INSERTED \(lastJob)\r\n", at: now, into: &actions)
    }

    private mutating func end(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        port.close(id, at: now, into: &actions)
        forget(id, at: now, into: &actions)
    }

    /// Whoever waits gets what is there.
    private mutating func hand(at now: Moment, into actions: inout [HTTPServiceAction]) {
        for index in clients.indices where clients[index].waitsUntil != nil {
            guard
                let job = jobs.firstIndex(where: {
                    $0.holder == nil && !$0.isBuried && clients[index].watched.contains($0.tube)
                })
            else { continue }
            clients[index].waitsUntil = nil
            jobs[job].holder = clients[index].id
            jobs[job].heldUntil = now.boot + .seconds(120)
            jobs[job].reserves += 1
            let head = Array("RESERVED \(jobs[job].id) \(jobs[job].body.count)\r\n".utf8)
            port.send(clients[index].id, head + jobs[job].body + [13, 10], at: now, into: &actions)
        }
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        for id in port.perform(fault, at: now, into: &actions) { forget(id, at: now, into: &actions) }
    }
}
