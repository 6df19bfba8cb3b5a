import AlarmModel
import Platform

/// A simulator's port on loopback, which can stop listening and listen again. Confined to the loop's thread.
final class SimulatorPort {
    /// Also while nothing listens on it.
    let number: UInt16
    /// Whoever comes while this is nil is turned away.
    var onAccepted: ((Stream) -> Void)?

    private let loop: EventLoop
    private var listener: Listener?
    private var retry: TimerToken?

    /// Listens at once; port 0 takes a free one.
    init(_ wanted: UInt16, on loop: EventLoop) throws(SystemError) {
        self.loop = loop
        var welcome: ((Stream) -> Void)?
        let listener = try Self.listener(port: wanted, on: loop) { welcome?($0) }
        number = listener.port
        self.listener = listener
        welcome = { [weak self] in Self.pass($0, to: self) }
    }

    /// The same port again; should somebody have taken it, until it is free.
    func open() {
        guard listener == nil else { return }
        listener = try? Self.listener(port: number, on: loop) { [weak self] in Self.pass($0, to: self) }
        guard listener == nil else { return }
        cancelRetry()
        retry = loop.setTimer(after: .milliseconds(100)) { [weak self] in
            self?.retry = nil
            self?.open()
        }
    }

    /// Who dials is refused, until it opens again.
    func close() {
        cancelRetry()
        listener?.close()
        listener = nil
    }

    private func cancelRetry() {
        if let retry { loop.cancel(retry) }
        retry = nil
    }

    private static func pass(_ stream: Stream, to port: SimulatorPort?) {
        guard let onAccepted = port?.onAccepted else { return stream.reset() }
        onAccepted(stream)
    }

    private static func listener(
        port: UInt16, on loop: EventLoop, onAccepted: @escaping (Stream) -> Void
    ) throws(SystemError) -> Listener {
        guard let address = IPAddress(bytes: [127, 0, 0, 1]) else { preconditionFailure("four bytes are an address") }
        return try Listener(
            loopback: Endpoint(address: address, port: port), on: loop, limit: 64, onAccepted: onAccepted)
    }
}
