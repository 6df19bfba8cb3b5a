import Glibc

/// Reads lines from a pipe on the loop.
final class LineReader {
    private(set) var hasEnded = false
    private var pipe: Descriptor?
    private var watch: Watch?
    private let loop: EventLoop
    private var partial: [UInt8] = []
    private let onLine: (String) -> Void
    private let onEnd: () -> Void
    private static let longest = 64 * 1024

    init(
        _ pipe: Descriptor, on loop: EventLoop, onLine: @escaping (String) -> Void, onEnd: @escaping () -> Void
    ) throws(SystemError) {
        self.pipe = pipe
        self.loop = loop
        self.onLine = onLine
        self.onEnd = onEnd
        // One read a round, and only when there is something: the pipe may stay blocking.
        watch = try loop.watch(pipe.number, for: .read) { _ in self.receive() }
    }

    /// Reads no more; what came of a line without its end is handed over.
    func stop() {
        guard !hasEnded else { return }
        hasEnded = true
        watch?.cancel()
        watch = nil
        pipe = nil
        if !partial.isEmpty { onLine(String(decoding: partial, as: UTF8.self)) }
        partial = []
        onEnd()
    }

    private func receive() {
        guard let pipe else { return }
        let buffer = loop.readBuffer
        let count = uninterrupted { read(pipe.number, buffer.baseAddress, buffer.count) }
        guard count > 0 else { return stop() }
        let bytes = [UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            partial += part
            if index < parts.count - 1 || partial.count >= Self.longest {
                let line = partial
                partial = []
                onLine(String(decoding: line, as: UTF8.self))
            }
        }
    }
}
