package import AlarmModel

/// Plays a transcript as the module would: sends its lines, waits for the client's, and notes where the client differs.
///
/// Mounted like `PanelSimulator`. One client at a time; a line that differs is noted and taken for the one expected.
package struct TranscriptPlayer: Codable, Equatable, Sendable {
    package struct Mismatch: Codable, Equatable, Sendable {
        /// In the transcript, from 1.
        package var line: Int
        /// nil: the transcript expects nothing more.
        package var expected: String?
        /// nil: the connection ended instead.
        package var found: String?
    }

    package private(set) var mismatches: [Mismatch] = []
    private let steps: [Transcript.NumberedStep]
    private var position = 0
    private var now = BootTime.zero
    private var client: ConnectionID?
    /// A delay or a time of silence ends then.
    private var waitsUntil: BootTime?
    private var isDown = false
    /// The client's bytes that are no whole line yet, and lines that the transcript has not come to.
    private var pending: [UInt8] = []
    private var lines: [String] = []
    private var outgoing: [PanelSimulator.Action] = []

    package init(_ transcript: Transcript) { steps = transcript.steps }

    package var isFinished: Bool { position >= steps.count }
    /// The place in the text where it waits, from 1; nil at the end.
    package var line: Int? { isFinished ? nil : steps[position].line }
    package var nextDeadline: BootTime? { waitsUntil }

    package mutating func accepted(
        _ newcomer: ConnectionID, at time: BootTime, into actions: inout [PanelSimulator.Action]
    ) {
        step(at: time, into: &actions) { player in
            guard player.client == nil, !player.isDown else {
                player.outgoing.append(.reset(newcomer))
                return
            }
            if !player.isFinished, case .onConnect(let isRefused) = player.steps[player.position].step {
                player.position += 1
                if isRefused {
                    player.outgoing.append(.reset(newcomer))
                    return
                }
            }
            player.client = newcomer
        }
    }

    package mutating func received(
        _ sender: ConnectionID, _ bytes: [UInt8], at time: BootTime, into actions: inout [PanelSimulator.Action]
    ) {
        step(at: time, into: &actions) { player in
            guard player.client == sender else { return }
            for byte in bytes {
                guard byte == 10 else {
                    player.pending.append(byte)
                    continue
                }
                if player.pending.last == 13 { player.pending.removeLast() }
                player.lines.append(String(decoding: player.pending, as: UTF8.self))
                player.pending = []
            }
        }
    }

    package mutating func closed(
        _ gone: ConnectionID, at time: BootTime, into actions: inout [PanelSimulator.Action]
    ) {
        step(at: time, into: &actions) { player in
            guard player.client == gone else { return }
            player.client = nil
            // What was still to be said in this connection has nobody to hear it.
            while !player.isFinished {
                if case .onConnect = player.steps[player.position].step { break }
                if case .expect(let expected) = player.steps[player.position].step {
                    player.mismatches.append(
                        Mismatch(line: player.steps[player.position].line, expected: expected, found: nil))
                }
                player.position += 1
            }
            player.waitsUntil = nil
            player.forgetInput()
        }
    }

    package mutating func timerFired(at time: BootTime, into actions: inout [PanelSimulator.Action]) {
        step(at: time, into: &actions) { _ in }
    }

    private mutating func step(
        at time: BootTime, into actions: inout [PanelSimulator.Action], _ body: (inout TranscriptPlayer) -> Void
    ) {
        while let due = waitsUntil, due <= time {
            now = max(now, due)
            waitsUntil = nil
            if isDown {
                isDown = false
                outgoing.append(.listen(.accept))
            }
            advance()
        }
        now = max(now, time)
        body(&self)
        advance()
        actions += outgoing
        outgoing = []
    }

    private mutating func advance() {
        while waitsUntil == nil, !isFinished {
            let current = steps[position]
            switch current.step {
            case .onConnect:
                return
            case .send(let pieces):
                guard let client else { return }
                for piece in pieces { outgoing.append(.send(client, piece)) }
            case .expect(let expected):
                guard client != nil, !lines.isEmpty else { return }
                let found = lines.removeFirst()
                if found != expected {
                    mismatches.append(Mismatch(line: current.line, expected: expected, found: found))
                }
            case .delay(let span):
                guard client != nil else { return }
                waitsUntil = now + span
            case .close, .reset:
                guard let client else { return }
                outgoing.append(current.step == .close ? .close(client) : .reset(client))
                self.client = nil
                forgetInput()
            case .down(let span):
                isDown = true
                waitsUntil = now + span
                outgoing.append(.listen(.refuse))
            }
            position += 1
        }
        guard isFinished, waitsUntil == nil else { return }
        forgetInput()
    }

    /// Lines that the transcript never came to are mismatches.
    private mutating func forgetInput() {
        let place = position < steps.count ? steps[position].line : steps.last?.line ?? 0
        for line in lines { mismatches.append(Mismatch(line: place, expected: nil, found: line)) }
        lines = []
        pending = []
    }
}
