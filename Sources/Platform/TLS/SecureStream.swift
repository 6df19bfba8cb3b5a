package import AlarmModel

/// TLS over a connected stream, with the stream's own surface. Confined to the loop's thread; lives as long as the
/// stream below, whose callbacks it takes over.
///
/// Bytes queued before the handshake is complete leave after it. Plain text is encrypted at the end of a round, and
/// only as fast as the stream below gets rid of it.
package final class SecureStream: ByteStream {
    /// The handshake is complete and the peer has proved who it is.
    package var onSecured: (() -> Void)?
    package var onReceived: (([UInt8]) -> Void)?
    /// The total of plain bytes whose ciphertext the kernel has taken.
    package var onSent: ((UInt64) -> Void)?
    /// `.tls` when the handshake failed or the encryption broke; an end without close_notify is `.finished`.
    package var onClosed: ((ConnectionEnd) -> Void)?

    package var peer: Endpoint? { below.peer }
    package private(set) var sentTotal: UInt64 = 0
    package var unsentCount: Int { plain.count + Int(clamping: encryptedTotal - sentTotal) }
    package var unacknowledgedCount: Int { below.unacknowledgedCount }
    /// For the log, once secured: "TLSv1.3, TLS_AES_256_GCM_SHA384".
    package var summary: String { session.summary }

    /// Of RFC 9266 (`tls-exporter`), 32 bytes; nil unless secured with TLS 1.3.
    package var channelBinding: [UInt8]? { phase == .secured ? session.channelBinding : nil }

    private enum Phase {
        case idle
        case handshaking
        case secured
        /// `close()` was called; the stream below says when it is over.
        case closing
        case ended
    }

    /// When the kernel has taken so much ciphertext, it has taken so much plain text.
    private struct Mark {
        let cipher: UInt64
        let plain: UInt64
    }

    private let below: any ByteStream
    private let session: TLSSession
    private let loop: EventLoop
    private var phase = Phase.idle
    private var plain = ByteQueue()
    private var encryptedTotal: UInt64 = 0
    private var cipherTotal: UInt64
    private var marks: [Mark] = []
    private var isPaused = false
    private var isEncryptionPlanned = false
    private var isDrainPlanned = false
    /// The end came while the owner was not reading; it is reported after what came before.
    private var heldEnd: ConnectionEnd?
    private var deadline: TimerToken?
    private static let encryptedLimit = 256 * 1024
    private static let unsentLimit = 1024 * 1024

    /// A client over a connection that has just been opened. `serverName` is a host name or an IP address; its certificate
    /// has to be valid at `time`, or now.
    package convenience init(
        client stream: any ByteStream, serverName: String, trust: TLSTrust, at time: WallTime? = nil,
        on loop: EventLoop
    ) throws(TLSFailure) {
        self.init(stream, try TLSSession.client(serverName: serverName, trust: trust, at: time), on: loop)
    }

    /// A server over a connection that was just accepted, for simulators and tests.
    package convenience init(server stream: any ByteStream, identity: TLSIdentity, on loop: EventLoop) {
        self.init(stream, TLSSession.server(identity: identity), on: loop)
    }

    private init(_ stream: any ByteStream, _ session: TLSSession, on loop: EventLoop) {
        below = stream
        self.session = session
        self.loop = loop
        cipherTotal = stream.sentTotal + UInt64(stream.unsentCount)
        below.onReceived = { self.receivedCipher($0) }
        below.onSent = { self.sentCipher($0) }
        below.onClosed = { self.belowClosed($0) }
    }

    /// Begins; `onSecured` or `onClosed` follows. A peer that is not done after `span` is `.tls(.stalled)`.
    package func startHandshake(within span: Duration = .seconds(15)) {
        guard phase == .idle else { return }
        phase = .handshaking
        deadline = loop.setTimer(after: span) { self.fail(.stalled) }
        loop.later { self.continueHandshake() }
    }

    package func send(_ bytes: [UInt8]) {
        guard phase != .closing, phase != .ended, !bytes.isEmpty else { return }
        plain.append(bytes)
        planEncryption()
    }

    /// Pauses the stream below, except during the handshake.
    package func pauseReading() {
        isPaused = true
        if phase == .secured { below.pauseReading() }
    }

    package func resumeReading() {
        isPaused = false
        guard phase == .secured else { return }
        below.resumeReading()
        guard !isDrainPlanned else { return }
        isDrainPlanned = true
        loop.later {
            self.isDrainPlanned = false
            self.drain()
        }
    }

    /// Lets what was queued leave with close_notify behind it. Before the handshake is complete nothing is sent.
    package func close(within span: Duration = .milliseconds(500)) {
        guard phase != .closing, phase != .ended else { return }
        if phase == .secured { sayGoodbye() }
        phase = .closing
        if let deadline { loop.cancel(deadline) }
        plain.removeAll()
        below.onReceived = nil
        below.onSent = nil
        if heldEnd != nil {
            loop.later { self.end(.local) }
        } else {
            below.close(within: span)
        }
    }

    package func reset() {
        guard phase != .ended else { return }
        phase = .closing
        if let deadline { loop.cancel(deadline) }
        if heldEnd != nil {
            loop.later { self.end(.local) }
        } else {
            below.reset()
        }
    }

    // MARK: Handshake

    private func continueHandshake() {
        guard phase == .handshaking else { return }
        let isComplete: Bool
        do throws(TLSFailure) {
            isComplete = try session.handshake()
        } catch {
            return fail(error)
        }
        passOn()
        guard isComplete else { return }
        phase = .secured
        if let deadline { loop.cancel(deadline) }
        if isPaused { below.pauseReading() }
        planEncryption()
        let secured = onSecured
        onSecured = nil
        secured?()
        drain()
    }

    // MARK: Receiving

    private func receivedCipher(_ bytes: [UInt8]) {
        session.receive(bytes)
        switch phase {
        case .idle, .closing, .ended: break
        case .handshaking: continueHandshake()
        case .secured: drain()
        }
    }

    /// Hands over what can be decrypted, until the owner pauses.
    private func drain() {
        while phase == .secured, !isPaused {
            var count = 0
            var isExhausted = false
            while !isExhausted, loop.readBuffer.count - count >= TLSSession.recordLimit {
                let room = UnsafeMutableRawBufferPointer(rebasing: loop.readBuffer[count...])
                do throws(TLSFailure) {
                    switch try session.read(into: room) {
                    case .bytes(let more): count += more
                    case .nothing: isExhausted = true
                    case .finished:
                        isExhausted = true
                        if heldEnd == nil { leave(as: .finished) }
                    }
                } catch {
                    isExhausted = true
                    if heldEnd == nil { leave(as: .tls(error)) }
                }
            }
            passOn()
            // Our own bytes stop before that: these are answers of TLS itself, to a peer that asks and does not read.
            guard below.unsentCount <= Self.unsentLimit else {
                return fail(.protocolError("it asks for more than it takes"))
            }
            if count > 0 { onReceived?([UInt8](UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))) }
            if isExhausted {
                if let heldEnd, phase == .secured, !isPaused { end(heldEnd) }
                return
            }
        }
    }

    /// The peer has no more to say, or is not to be believed: the stream below goes on its own way, the owner hears of
    /// the end after what came before it.
    private func leave(as how: ConnectionEnd) {
        if how == .finished { sayGoodbye() } else { passOn() }
        heldEnd = how
        releaseBelow()
        below.close(within: .milliseconds(500))
    }

    private func belowClosed(_ how: ConnectionEnd) {
        switch phase {
        case .handshaking: end(how == .finished || how == .reset ? .tls(.cutOff) : how)
        case .secured:
            heldEnd = how
            drain()
        case .idle, .closing: end(how)
        case .ended: break
        }
    }

    // MARK: Sending

    private func planEncryption() {
        guard phase == .secured, !isEncryptionPlanned, !plain.isEmpty else { return }
        isEncryptionPlanned = true
        loop.later {
            self.isEncryptionPlanned = false
            self.encrypt(upTo: Self.encryptedLimit)
        }
    }

    private func encrypt(upTo limit: Int) {
        guard phase == .secured, heldEnd == nil else { return }
        while !plain.isEmpty, below.unsentCount < limit {
            let written = plain.withBytes { bytes in
                Result { () throws(TLSFailure) -> Int in try session.write(bytes) }
            }
            switch written {
            case .success(let count):
                guard count > 0 else { return }
                plain.removeFirst(count)
                encryptedTotal += UInt64(count)
                passOn()
                marks.append(Mark(cipher: cipherTotal, plain: encryptedTotal))
            case .failure(let failure):
                return fail(failure)
            }
        }
    }

    private func sayGoodbye() {
        encrypt(upTo: .max)
        session.finish()
        passOn()
    }

    private func passOn() {
        let bytes = session.takeOutput()
        guard !bytes.isEmpty else { return }
        cipherTotal += UInt64(bytes.count)
        below.send(bytes)
    }

    private func sentCipher(_ total: UInt64) {
        let done = marks.prefix { $0.cipher <= total }
        guard let last = done.last else { return }
        marks.removeFirst(done.count)
        sentTotal = last.plain
        encrypt(upTo: Self.encryptedLimit)
        if phase == .secured { onSent?(sentTotal) }
    }

    // MARK: The end

    private func fail(_ failure: TLSFailure) {
        guard phase == .handshaking || phase == .secured else { return }
        // The alert tells the peer why.
        passOn()
        releaseBelow()
        below.close(within: .milliseconds(500))
        end(.tls(failure))
    }

    private func releaseBelow() {
        below.onReceived = nil
        below.onSent = nil
        below.onClosed = nil
    }

    private func end(_ how: ConnectionEnd) {
        guard phase != .ended else { return }
        phase = .ended
        if let deadline { loop.cancel(deadline) }
        releaseBelow()
        let report = onClosed
        (onSecured, onReceived, onSent, onClosed) = (nil, nil, nil, nil)
        report?(how)
    }
}
