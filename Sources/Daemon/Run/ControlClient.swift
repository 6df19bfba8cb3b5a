import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform

/// A client of the control socket: lines in, requests out; replies in, lines out. Confined to the loop's thread.
final class ControlClient {
    /// A request is a line of at most this many bytes; a longer one ends the connection.
    static let lineLimit = 16 * 1024

    private let stream: Stream
    private let onInput: (Result<ControlRequest, ControlRequestError>) -> Void
    private var partial: [UInt8] = []
    /// Where each reply that has not left ends in the stream of bytes.
    private var ends: [UInt64] = []
    private var queued: UInt64 = 0
    private var left: UInt64 = 0

    init(
        _ stream: Stream, onInput: @escaping (Result<ControlRequest, ControlRequestError>) -> Void,
        onSent: @escaping (UInt64) -> Void, onClosed: @escaping (ConnectionEnd) -> Void
    ) {
        self.stream = stream
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
        stream.onClosed = onClosed
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
    }

    func close() { stream.close() }

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
            guard !line.isEmpty else { continue }
            do throws(ControlRequestError) {
                onInput(.success(try ControlRequest(line: line)))
            } catch {
                onInput(.failure(error))
            }
        }
    }
}
