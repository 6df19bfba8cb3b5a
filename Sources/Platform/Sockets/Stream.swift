package import AlarmModel
import CLinux
import Glibc

/// A connected stream socket, TCP or Unix. Confined to the loop's thread; the loop holds it until it has ended.
///
/// No callback runs inside a call that its owner makes. `onClosed` comes exactly once, last, and only after everything
/// that was received was handed over.
package final class Stream {
    private static let readLimit = 4 * 1024

    /// At most 4 KiB at a time, once a round.
    package var onReceived: (([UInt8]) -> Void)?
    /// The total of bytes that the kernel has taken since the stream began.
    package var onSent: ((UInt64) -> Void)?
    package var onClosed: ((ConnectionEnd) -> Void)?

    /// The other end; nil for a Unix socket.
    package let peer: Endpoint?
    /// Total of bytes that the kernel has taken.
    package private(set) var sentTotal: UInt64 = 0
    /// Bytes that wait for the kernel.
    package var unsentCount: Int { output.count }

    /// Told once the descriptor is closed: how a listener counts its clients.
    var onReleased: (() -> Void)?

    private enum Phase {
        case open
        /// `close()` was called; what waits is sent, what comes is thrown away.
        case flushing
        /// Our FIN is out; we wait for the peer's, because closing with unread bytes would send a reset.
        case lingering
        case ended
    }

    private let loop: EventLoop
    private var descriptor: Descriptor?
    private var watch: Watch?
    private var output = ByteQueue()
    private var phase = Phase.open
    private var isPaused = false
    private var isFlushPlanned = false
    private var hasPeerFinished = false
    /// Sending failed; the end is reported after what the peer had sent before was read.
    private var sendEnd: ConnectionEnd?
    private var closeTimer: TimerToken?
    private static let writeLimit = 256 * 1024

    /// Takes over a connected, non-blocking socket.
    package init(adopting descriptor: Descriptor, on loop: EventLoop) throws(SystemError) {
        self.loop = loop
        self.descriptor = descriptor
        let address = try? SocketAddress(peerOf: descriptor.number)
        peer = address?.endpoint
        if peer != nil { try SocketOption.set(descriptor.number, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        watch = try loop.watch(descriptor.number, for: .read) { self.ready($0) }
    }

    /// Queues bytes; they leave at the end of this round, together with others queued in it. Ignored after `close`.
    package func send(_ bytes: [UInt8]) {
        guard phase == .open, sendEnd == nil, !bytes.isEmpty else { return }
        output.append(bytes)
        planFlush()
    }

    /// Stops reading: the kernel's buffer fills and the peer has to wait. The end of the connection is not noticed
    /// while reading is paused, unless something is sent.
    package func pauseReading() {
        isPaused = true
        updateInterest()
    }

    package func resumeReading() {
        isPaused = false
        updateInterest()
    }

    /// Lets what was queued leave, sends FIN, waits for the peer's, and ends as `.local`, at the latest after `span`.
    package func close(within span: Duration = .milliseconds(500)) {
        guard phase == .open else { return }
        phase = .flushing
        closeTimer = loop.setTimer(after: span) { self.end(.local) }
        updateInterest()
        planFlush()
    }

    /// Ends the connection with RST (on a Unix socket just at once): nothing that waits is sent. Ends as `.local`.
    package func reset() {
        guard phase != .ended, let descriptor else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor.number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        let report = onClosed
        onClosed = nil
        end(.local)
        if let report { loop.later { report(.local) } }
    }

    /// Bytes that the peer's kernel has not acknowledged yet.
    package var unacknowledgedCount: Int {
        var count: Int32 = 0
        guard let descriptor, ha_unacknowledged(descriptor.number, &count) == 0 else { return 0 }
        return Int(count)
    }

    // MARK: Events

    private func ready(_ interest: EventLoop.Interest) {
        if interest.contains(.read) { receive() }
        if interest.contains(.write), phase != .ended { flush() }
    }

    private func receive() {
        guard let descriptor else { return }
        // What one read brings is one step of the core: lines of a panel are short, and each may be an event.
        let buffer = UnsafeMutableRawBufferPointer(rebasing: loop.readBuffer[..<Self.readLimit])
        let count = uninterrupted { recv(descriptor.number, buffer.baseAddress, buffer.count, 0) }
        if count > 0 {
            if phase == .open { onReceived?([UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count]))) }
        } else if count == 0 {
            receivedEnd(.finished)
        } else if errno != EAGAIN {
            receivedEnd(ConnectionEnd(systemErrorNumber: errno))
        }
    }

    private func receivedEnd(_ how: ConnectionEnd) {
        switch phase {
        case .open: end(sendEnd ?? how)
        case .flushing where how == .finished:
            hasPeerFinished = true
            updateInterest()
        case .flushing, .lingering: end(.local)
        case .ended: break
        }
    }

    private func planFlush() {
        guard !isFlushPlanned else { return }
        isFlushPlanned = true
        loop.later { self.flush() }
    }

    private func flush() {
        isFlushPlanned = false
        guard phase == .open || phase == .flushing, let descriptor else { return }
        let before = sentTotal
        var room = Self.writeLimit
        while !output.isEmpty, room > 0, sendEnd == nil {
            let count = output.withBytes { bytes in
                uninterrupted {
                    Glibc.send(descriptor.number, bytes.baseAddress, min(bytes.count, room), Int32(MSG_NOSIGNAL))
                }
            }
            if count >= 0 {
                output.removeFirst(count)
                room -= count
                sentTotal += UInt64(count)
            } else if errno == EAGAIN {
                break
            } else {
                sendFailed(errno)
            }
        }
        if phase == .flushing, output.isEmpty { finishSending() }
        updateInterest()
        if phase == .open, sentTotal != before { onSent?(sentTotal) }
    }

    private func sendFailed(_ number: Int32) {
        output.removeAll()
        let how = ConnectionEnd(systemErrorNumber: number)
        guard phase == .open else { return end(.local) }
        // After a reset the kernel still gives what had arrived before, then the end.
        if how == .reset { sendEnd = how } else { end(how) }
    }

    private func finishSending() {
        guard phase == .flushing, let descriptor else { return }
        _ = shutdown(descriptor.number, Int32(SHUT_WR))
        if hasPeerFinished { return end(.local) }
        phase = .lingering
    }

    private func updateInterest() {
        guard phase != .ended else { return }
        var interest: EventLoop.Interest = []
        if phase == .open ? !isPaused : !hasPeerFinished { interest.insert(.read) }
        if !output.isEmpty, !isFlushPlanned { interest.insert(.write) }
        watch?.update(interest)
    }

    private func end(_ how: ConnectionEnd) {
        guard phase != .ended else { return }
        phase = .ended
        watch?.cancel()
        watch = nil
        descriptor = nil
        if let closeTimer { loop.cancel(closeTimer) }
        let report = onClosed
        let released = onReleased
        (onReceived, onSent, onClosed, onReleased) = (nil, nil, nil, nil)
        released?()
        report?(how)
    }
}
