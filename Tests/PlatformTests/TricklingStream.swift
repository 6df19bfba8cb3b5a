import AlarmModel
import Platform

/// A stream whose owner gets one byte at a time and whose sending goes byte by byte.
final class TricklingStream: ByteStream {
    private let below: any ByteStream

    init(_ below: any ByteStream) { self.below = below }

    var onReceived: (([UInt8]) -> Void)? {
        didSet {
            below.onReceived = { [weak self] bytes in
                for byte in bytes { self?.onReceived?([byte]) }
            }
        }
    }
    var onSent: ((UInt64) -> Void)? {
        get { below.onSent }
        set { below.onSent = newValue }
    }
    var onClosed: ((ConnectionEnd) -> Void)? {
        get { below.onClosed }
        set { below.onClosed = newValue }
    }
    var peer: Endpoint? { below.peer }
    var sentTotal: UInt64 { below.sentTotal }
    var unsentCount: Int { below.unsentCount }
    var unacknowledgedCount: Int { below.unacknowledgedCount }

    func send(_ bytes: [UInt8]) { for byte in bytes { below.send([byte]) } }
    func pauseReading() { below.pauseReading() }
    func resumeReading() { below.resumeReading() }
    func close(within span: Duration) { below.close(within: span) }
    func reset() { below.reset() }
}
