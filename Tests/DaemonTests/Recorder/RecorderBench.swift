import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

@testable import Daemon
@testable import YAMLConfiguration

/// What a recorder has written, in memory.
final class Tape {
    /// Of each segment.
    var segments: [[UInt8]] = []
    /// The disk takes nothing.
    var isStalled = false

    func put(_ piece: RecorderWork.Piece) -> Bool {
        guard !isStalled else { return false }
        switch piece {
        case .segment(let bytes): segments.append(bytes)
        case .bytes(let bytes): segments[segments.count - 1] += bytes
        }
        return true
    }

    var bytes: [UInt8] { Array(segments.joined()) }

    /// Everything of it that is text or bytes, as one text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Every step in words.
    func steps() -> [String] {
        var lines: [String] = []
        var replay = Replay { lines.append($0) }
        replay.showsSteps = true
        _ = replay.run(segments.map { RecordingSegment(name: "s", bytes: $0) })
        return lines
    }

    func replay(
        from first: UInt64 = 0, version: String = Product.version
    ) -> (Replay.Verdict, lines: [String], compared: Int) {
        var lines: [String] = []
        var replay = Replay(version: version) { lines.append($0) }
        replay.first = first
        let verdict = replay.run(
            segments.enumerated().map { RecordingSegment(name: "segment-\($0.offset + 1)", bytes: $0.element) })
        return (verdict, lines, replay.compared)
    }
}

/// A core with a recorder beside it, as the shell mounts them.
struct RecorderBench {
    static let about = [
        JSON.Member(key: "version", value: .string(Product.version)), JSON.Member(key: "run", value: .string("r")),
    ]
    var core: Appliance
    var work: RecorderWork
    let tape = Tape()
    var now = BootTime(nanoseconds: 1_000_000_000)
    var history: [Effect] = []

    init(_ configuration: Configuration, key: UInt8 = 7, book: PhoneBook? = nil) throws {
        core = Appliance(configuration: configuration)
        work = try RecorderWork(
            configuration, SecretPlaceholders(key: [UInt8](repeating: key, count: 16)), about: Self.about, put: tape.put
        )
        var start = Start(configuration: configuration, seed: 4, bootMark: "0badcafe")
        if let book { start.phoneBook = book }
        feed(.started(start))
    }

    mutating func feed(_ input: Input) {
        let moment = Moment(
            boot: now, wall: WallTime(milliseconds: 1_795_000_000_000 + now.nanoseconds / 1_000_000),
            isWallTrusted: true)
        var effects: [Effect] = []
        work.begins(input, at: moment)
        core.handle(input, at: moment, into: &effects)
        work.ended(effects)
        now = now + .milliseconds(10)
        history += effects
        for case .commit(let batch) in effects {
            feed(.committed(upTo: batch.id, last: SequenceNumber(0)))
        }
    }

    var panelConnection: ConnectionID? {
        for case .open(let connection, _, _) in history { return connection }
        return nil
    }

    /// The panel's session, up to the login.
    mutating func connectPanel() {
        guard let connection = panelConnection else {
            Issue.record("the panel is not called: \(history)")
            return
        }
        feed(.connected(connection))
        feed(.received(connection, Array("5053CD\r\n".utf8)))
        feed(.received(connection, Array("5051CB\r\n".utf8)))
        feed(.received(connection, Array("60".utf8)))
        feed(.received(connection, Array("9003CC\r\n".utf8)))
    }

    static func house(
        password: String = "Kp4xZ9qq", master: String = "739146", channels: String = ""
    ) throws -> Configuration {
        let text = """
            site: {name: Mill, time_zone: UTC}
            panel: {host: 192.0.2.1, password: \(password), code_master: '\(master)', set_clock: false}
            \(channels)
            """
        let result = ConfigurationReader.read(bytes: Array(text.utf8), name: "c.yaml")
        return try #require(result.configuration, "\(result.problems.map(\.description))")
    }
}
