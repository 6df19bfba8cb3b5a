import AlarmModel
import Platform

/// A client of a simulated server: what is to go out waits its turn, so that each segment is a write of its own.
final class SegmentWriter {
    enum Outgoing {
        case send([UInt8])
        /// FIN after what was sent.
        case close
        /// RST
        case reset
    }

    let id: ConnectionID
    let stream: any ByteStream
    private let loop: EventLoop
    private let onSent: ([UInt8]) -> Void
    private var waiting: [Outgoing] = []
    private var isBusy = false

    init(_ id: ConnectionID, _ stream: any ByteStream, on loop: EventLoop, onSent: @escaping ([UInt8]) -> Void) {
        self.id = id
        self.stream = stream
        self.loop = loop
        self.onSent = onSent
    }

    func add(_ item: Outgoing) {
        waiting.append(item)
        if !isBusy { next() }
    }

    private func next() {
        isBusy = false
        guard !waiting.isEmpty else { return }
        switch waiting.removeFirst() {
        case .send(let bytes):
            onSent(bytes)
            stream.send(bytes)
            // The stream flushes at the end of the round; what comes next is queued behind that.
            isBusy = true
            loop.later { self.next() }
        case .close:
            waiting = []
            stream.close()
        case .reset:
            waiting = []
            stream.reset()
        }
    }
}
