import AlarmModel
import Platform

/// Lines over a stream of the loop, both ways.
final class LineStream {
    var onLine: (([UInt8]) -> Void)?
    private(set) var hasEnded = false
    private let stream: Stream
    private var partial: [UInt8] = []

    init(_ stream: Stream, onEnd: @escaping () -> Void) {
        self.stream = stream
        stream.onReceived = { [weak self] bytes in self?.received(bytes) }
        stream.onClosed = { [weak self] _ in
            self?.hasEnded = true
            onEnd()
        }
    }

    func send(_ line: String) { stream.send(Array(line.utf8) + [10]) }
    func close() { stream.close() }

    private func received(_ bytes: [UInt8]) {
        for part in bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
            let line = partial + part
            partial = []
            onLine?(line)
        }
        partial += bytes[(bytes.lastIndex(of: 10).map { $0 + 1 } ?? 0)...]
    }
}
