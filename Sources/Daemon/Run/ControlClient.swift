import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform

/// A client of the control socket: lines in, requests out; replies in, lines out. Confined to the loop's thread.
final class ControlClient {
    /// A request is a line of at most this many bytes; a longer one ends the connection.
    static let lineLimit = 16 * 1024
    /// From the connection to its first request, and for each request once it was begun; a slower client is sent away,
    /// for it holds one of few places.
    static let lineSpan = Duration.seconds(10)
    /// Answers that a client has not read, in bytes; one that reads less is sent away.
    static let unreadLimit: UInt64 = 8 * 1024 * 1024

    private let stream: Stream
    private let loop: EventLoop
    private let lineSpan: Duration
    private var lineTimer: TimerToken?
    private let onInput: (Result<ControlRequest, ControlRequestError>) -> Void
    private var partial: [UInt8] = []
    /// Where each reply that has not left ends in the stream of bytes.
    private var ends: [UInt64] = []
    private var queued: UInt64 = 0
    private var left: UInt64 = 0

    /// - Parameter lineSpan: shorter in tests
    init(
        _ stream: Stream, on loop: EventLoop, lineSpan: Duration = lineSpan,
        onInput: @escaping (Result<ControlRequest, ControlRequestError>) -> Void,
        onSent: @escaping (UInt64) -> Void, onClosed: @escaping (ConnectionEnd) -> Void
    ) {
        self.stream = stream
        self.loop = loop
        self.lineSpan = lineSpan
        self.onInput = onInput
        stream.onReceived = { [weak self] bytes in self?.received(bytes) }
        stream.onSent = { [weak self] total in
            guard let self else { return }
            let count = ends.prefix { $0 <= total }.count
            guard count > 0 else { return }
            ends.removeFirst(count)
            left += UInt64(count)
            onSent(left)
        }
        stream.onClosed = { [weak self] end in
            self?.expectNothing()
            onClosed(end)
        }
        expectLine()
    }

    /// - Parameter secret: a member that stands beside the reply on the wire and is part of no recorded value.
    func send(_ reply: ControlReply, with secret: JSON.Member? = nil) {
        let text: String
        do {
            var json = try JSON.encoding(reply)
            if let secret, case .object(let members) = json { json = .object(members + [secret]) }
            text = json.text
        } catch {
            text = #"{"error":{"_0":"this answer cannot be written down"}}"#
        }
        let bytes = Array(text.utf8) + [10]
        queued += UInt64(bytes.count)
        ends.append(queued)
        stream.send(bytes)
        if queued - stream.sentTotal > Self.unreadLimit { stream.reset() }
    }

    func close() { stream.close() }

    private func expectLine() {
        guard lineTimer == nil else { return }
        lineTimer = loop.setTimer(after: lineSpan) { [weak self] in
            guard let self else { return }
            lineTimer = nil
            let begun = partial.isEmpty ? "nothing was asked" : "the line did not end"
            onInput(.failure(ControlRequestError("\(begun) within \(lineSpan.components.seconds) s")))
            stream.close()
        }
    }

    private func expectNothing() {
        if let lineTimer { loop.cancel(lineTimer) }
        lineTimer = nil
    }

    private func received(_ bytes: [UInt8]) {
        for byte in bytes {
            guard byte == 10 else {
                partial.append(byte)
                if partial.count > Self.lineLimit {
                    partial = []
                    onInput(.failure(ControlRequestError("the line is longer than \(Self.lineLimit) bytes")))
                    return stream.close()
                }
                continue
            }
            let line = partial
            partial = []
            expectNothing()
            guard !line.isEmpty else { continue }
            do throws(ControlRequestError) {
                onInput(.success(try ControlRequest(line: line)))
            } catch {
                onInput(.failure(error))
            }
        }
        if !partial.isEmpty { expectLine() }
    }
}
