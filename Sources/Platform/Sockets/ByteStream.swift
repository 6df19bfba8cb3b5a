package import AlarmModel

/// A connection that carries bytes both ways, in the clear (`Stream`) or encrypted (`SecureStream`). Confined to the
/// loop's thread.
///
/// No callback runs inside a call that its owner makes. `onClosed` comes exactly once, last, and only after everything
/// that was received was handed over.
package protocol ByteStream: AnyObject {
    /// At most 64 KiB at a time.
    var onReceived: (([UInt8]) -> Void)? { get set }
    /// The total of the owner's bytes that the kernel has taken since the stream began.
    var onSent: ((UInt64) -> Void)? { get set }
    var onClosed: ((ConnectionEnd) -> Void)? { get set }
    /// The other end; nil for a Unix socket.
    var peer: Endpoint? { get }
    /// Total of the owner's bytes that the kernel has taken.
    var sentTotal: UInt64 { get }
    /// The owner's bytes that wait for the kernel.
    var unsentCount: Int { get }
    /// Bytes on the wire that the peer's kernel has not acknowledged yet.
    var unacknowledgedCount: Int { get }

    /// Queues bytes. Ignored after `close`.
    func send(_ bytes: [UInt8])
    /// Stops reading, so that the peer has to wait in the end.
    func pauseReading()
    func resumeReading()
    /// Lets what was queued leave and ends as `.local`, at the latest after `span`.
    func close(within span: Duration)
    /// Ends the connection at once: nothing that waits is sent. Ends as `.local`.
    func reset()
}

extension ByteStream {
    /// Closes within half a second.
    package func close() { close(within: .milliseconds(500)) }
}

extension Stream: ByteStream {}
