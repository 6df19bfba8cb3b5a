import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

/// A beanstalkd with a log on disk as the core sees it: events go nowhere, and commands are handed out as a test says.
struct QueueHouse {
    static let port: UInt16 = 11_300
    private var connections: [ConnectionID] = []
    /// Who waits for a job.
    private var waiting: ConnectionID?
    /// What is told of the job that was handed out last.
    private var age = 0

    func owns(_ id: ConnectionID) -> Bool { connections.contains(id) }

    mutating func opened(_ id: ConnectionID) -> [Input] {
        connections.append(id)
        return [.connected(id)]
    }

    mutating func closed(_ id: ConnectionID) { connections.removeAll { $0 == id } }

    mutating func received(_ id: ConnectionID, _ bytes: [UInt8]) -> [Input] {
        let words = String(decoding: bytes, as: UTF8.self).split { " \r\n".contains($0) }.map { String($0) }
        switch words.first {
        case "stats": return [table("id: 0a1b\nbinlog-current-index: 3\n", to: id)]
        case "stats-job": return [table("tube: commands\nage: \(age)\nreserves: 1\n", to: id)]
        case "watch", "ignore": return [say("WATCHING 1", to: id)]
        case "list-tube-used": return [say("USING default", to: id)]
        case "use": return [say("USING \(words.last ?? "")", to: id)]
        case "put": return [say("INSERTED 1", to: id)]
        case "delete": return [say("DELETED", to: id)]
        case "reserve-with-timeout":
            waiting = id
            return []
        default: return []
        }
    }

    /// A program's command, `age` seconds after it was put.
    mutating func hand(_ number: Int, _ body: String, age: Int) -> [Input] {
        guard let id = waiting else { return [] }
        waiting = nil
        self.age = age
        return [say("RESERVED \(number) \(body.utf8.count)\r\n\(body)", to: id)]
    }

    private func say(_ text: String, to id: ConnectionID) -> Input { .received(id, Array((text + "\r\n").utf8)) }
    private func table(_ text: String, to id: ConnectionID) -> Input { say("OK \(text.utf8.count)\r\n\(text)", to: id) }
}

@Suite("Commands from the work queue")
struct QueueHouseTests {
    private static func bench() -> Bench {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.ways = [
            .beanstalk(BeanstalkSettings(host: "192.0.2.11", commandTubes: ["commands"]))
        ]
        configuration.phones.houseVerbs = [.init(way: .beanstalk, allowed: [.arm])]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        return bench
    }

    @Test("a job whose number was heard before is another one if it was made after that, and a repeat if it was not")
    func namesakes() {
        var bench = Self.bench()
        let first = Self.arm(&bench, age: 1)
        bench.advance(.seconds(20))
        let repeated = Self.arm(&bench, age: 21)
        bench.advance(.seconds(20))
        let another = Self.arm(&bench, age: 3)
        bench.advance(.seconds(5))
        let repeatedAgain = Self.arm(&bench, age: 8)
        #expect([first, repeated, another, repeatedAgain] == [1, 1, 2, 2])
    }

    /// Orders that were accepted so far.
    private static func arm(_ bench: inout Bench, age: Int) -> Int {
        for input in bench.queue.hand(7, "arm", age: age) { bench.feed(input) }
        bench.settle()
        return bench.events(.command).count { $0.type == .command }
    }
}
