import AlarmModel
import Foundation
import Simulators
import Testing

@Suite("The transcript player")
struct TranscriptPlayerTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("PanelLinkTests/Transcripts")

    static let names: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("dsc-") }.sorted())
        ?? []

    /// A client that connects whenever it may and says what the transcript wants to hear.
    private struct Client {
        var player: TranscriptPlayer
        let transcript: Transcript
        var now = BootTime.zero
        var isConnected = false
        var connections: UInt64 = 0
        var heard: [UInt8] = []
        var segments = 0
        var resets = 0

        init(_ transcript: Transcript) {
            self.transcript = transcript
            player = TranscriptPlayer(transcript)
        }

        mutating func carryOut(_ actions: [PanelSimulator.Action]) {
            for action in actions {
                switch action {
                case .send(_, let bytes):
                    heard += bytes
                    segments += 1
                case .close: isConnected = false
                case .reset:
                    isConnected = false
                    resets += 1
                    heard.append(10)
                case .listen, .stopReading, .resumeReading: break
                }
            }
        }

        mutating func run(changing: (String) -> String = { $0 }) {
            for _ in 1...2000 where !player.isFinished || player.nextDeadline != nil {
                var actions: [PanelSimulator.Action] = []
                if let due = player.nextDeadline {
                    now = max(now, due)
                    player.timerFired(at: now, into: &actions)
                } else if !isConnected {
                    isConnected = true
                    connections += 1
                    player.accepted(ConnectionID(connections), at: now, into: &actions)
                } else if let step = transcript.steps.first(where: { $0.line == player.line }),
                    case .expect(let line) = step.step
                {
                    player.received(
                        ConnectionID(connections), Array((changing(line) + "\r\n").utf8), at: now, into: &actions)
                }
                carryOut(actions)
            }
        }
    }

    @Test("every DSC transcript plays to its end against a client that says what it wants", arguments: names)
    func everyDSCTranscriptPlaysToItsEndAgainstAClientThatSays(_ name: String) throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
        var client = Client(try Transcript(parsing: text))
        client.run()
        #expect(client.player.isFinished)
        #expect(client.player.mismatches.isEmpty)
        let heard = client.heard.split { $0 == 13 || $0 == 10 }.map { String(decoding: $0, as: UTF8.self) }
        let said = text.split(separator: "\n").filter { $0.hasPrefix("< ") }.map { String($0.dropFirst(2)) }
        #expect(heard.filter { said.contains($0) } == said)
    }

    @Test("the transcripts are where the tests look for them")
    func theTranscriptsAreWhereTheTestsLookForThem() { #expect(Self.names.count >= 9) }

    @Test("directives shape the writes, and time passes as they say")
    func directivesShapeTheWrites() throws {
        var client = Client(
            try Transcript(
                parsing: """
                    #! on-connect
                    #! one-segment 2
                    < 61000128
                    < 6501CC
                    #! split 1,4
                    < 60900130
                    #! split-before-lf
                    < 60900231
                    #! no-crlf
                    < 61000229
                    #! hex FF00
                    #! bare-crlf 2
                    #! delay 10
                    #! partial 6511
                    #! rst
                    #! down 40
                    #! on-connect rst
                    #! on-connect
                    < 5053CD
                    """))
        client.run()
        #expect(client.player.isFinished)
        #expect(client.segments == 1 + 3 + 2 + 1 + 1 + 1 + 1 + 1)
        #expect(client.resets == 2)
        #expect(client.connections == 3)
        #expect(client.now == .zero + .seconds(50))
        #expect(
            client.heard == Array(
                "61000128\r\n6501CC\r\n60900130\r\n60900231\r\n61000229".utf8) + [255, 0]
                + Array(
                    "\r\n\r\n6511\n\n5053CD\r\n".utf8))
    }

    @Test("another line than the expected one is noted, and so is a connection that ends too early")
    func anotherLineThanTheExpectedOneIsNoted() throws {
        let transcript = try Transcript(parsing: "#! on-connect\n< 5053CD\n> 005user54\n< 5051CB\n> 00090\n")
        var client = Client(transcript)
        client.run { $0 == "00090" ? "00191" : $0 }
        #expect(client.player.mismatches.map(\.line) == [5] && client.player.mismatches.map(\.found) == ["00191"])
        var player = TranscriptPlayer(transcript)
        var actions: [PanelSimulator.Action] = []
        player.accepted(ConnectionID(1), at: .zero, into: &actions)
        player.closed(ConnectionID(1), at: .zero, into: &actions)
        #expect(player.mismatches.map(\.expected) == ["005user54", "00090"])
        #expect(player.isFinished)
    }

    @Test(
        "what is no transcript is refused with its line",
        arguments: [
            ("hello", 1, TranscriptError.Reason.unknownLine), ("< 1\n#! dance", 2, .unknownDirective),
            ("#! delay soon", 1, .badValue), ("#! hex F", 1, .badValue),
            ("#! one-segment 2\n< 1\n> 2", 3, .noLineFollows),
            ("#! on-connect fin", 1, .badValue),
        ])
    func whatIsNoTranscriptIsRefusedWithItsLine(_ text: String, _ line: Int, _ reason: TranscriptError.Reason) {
        #expect(throws: TranscriptError(line: line, reason: reason)) { try Transcript(parsing: text) }
    }
}
