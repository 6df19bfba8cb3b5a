import AlarmModel
import Platform

/// The terminal of a console: bytes in, bytes out within what the line carries; a serial line that was unplugged is
/// opened again. Confined to the loop's thread.
final class ConsoleTerminal {
    enum Place: Equatable {
        /// A serial line of its own.
        case device(String)
        /// The terminal in which this program was started.
        case own
    }

    var onBytes: (([UInt8]) -> Void)?
    /// There is a terminal, perhaps another one than before.
    var onOpened: (() -> Void)?
    /// It has ended or was unplugged. A serial line is tried again every second.
    var onLost: (() -> Void)?
    /// There is room for more.
    var onRoom: (() -> Void)?

    private let place: Place
    private let loop: EventLoop
    private var line: SerialLine?
    private var watch: Watch?
    private var output: [UInt8] = []
    private var budget = OutputBudget()
    private var timer: TimerToken?
    /// When there is room again.
    private var refill: TimerToken?

    init(_ place: Place, on loop: EventLoop) {
        self.place = place
        self.loop = loop
    }

    var isOpen: Bool { line != nil }

    /// What it says of its size; nil for a serial line.
    var size: Terminal.Size? { line.flatMap { Terminal.size($0.descriptor.number) } }

    func open() throws(SystemError) {
        let line: SerialLine
        switch place {
        case .device(let path): line = try SerialLine(device: path)
        case .own: line = try SerialLine(behind: 0)
        }
        self.line = line
        output = []
        watch = try loop.watch(line.descriptor.number, for: .read) { [weak self] in self?.ready($0) }
        onOpened?()
    }

    /// How many bytes may be written now without the line falling behind; none while some wait.
    func room() -> Int { line != nil && output.isEmpty ? budget.available(at: SystemClock.bootTime()) : 0 }

    /// Of any length; what is above the line's pace waits.
    func write(_ bytes: [UInt8]) {
        guard line != nil, !bytes.isEmpty else { return }
        output += bytes
        flush()
    }

    /// Calls `onRoom` as soon as there is some.
    func wantRoom() {
        guard refill == nil, line != nil else { return }
        refill = loop.setTimer(after: .milliseconds(100)) { [weak self] in
            self?.refill = nil
            self?.onRoom?()
        }
    }

    /// Writes what has to be there in the end, and gives the terminal back.
    func close(_ last: [UInt8]) {
        guard let line else { return }
        _ = line.write(last)
        line.restore()
        letGo()
    }

    private func ready(_ interest: EventLoop.Interest) {
        if interest.contains(.read) {
            guard let bytes = line?.read() else { return lost() }
            if !bytes.isEmpty { onBytes?(bytes) }
        }
        if interest.contains(.write) { flush() }
    }

    private func flush() {
        guard let line, !output.isEmpty, timer == nil else { return }
        let limit = budget.available(at: SystemClock.bootTime())
        var isFull = false
        if limit > 0 {
            guard let count = line.write(Array(output.prefix(limit))) else { return lost() }
            budget.spend(count)
            output.removeFirst(count)
            isFull = count < limit && !output.isEmpty
        }
        watch?.update(isFull ? [.read, .write] : .read)
        guard !output.isEmpty, !isFull else { return }
        timer = loop.setTimer(after: .milliseconds(50)) { [weak self] in
            self?.timer = nil
            self?.flush()
        }
    }

    private func lost() {
        letGo()
        onLost?()
        if case .device = place { tryAgain() }
    }

    func tryAgain() {
        _ = loop.setTimer(after: .seconds(1)) { [weak self] in
            guard let self, line == nil else { return }
            do throws(SystemError) {
                try open()
            } catch {
                tryAgain()
            }
        }
    }

    private func letGo() {
        watch?.cancel()
        watch = nil
        line = nil
        output = []
        if let timer { loop.cancel(timer) }
        if let refill { loop.cancel(refill) }
        timer = nil
        refill = nil
    }
}
