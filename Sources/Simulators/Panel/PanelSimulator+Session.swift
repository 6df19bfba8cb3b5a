import AlarmModel

/// Connections and login (docs/envisalink.md 1.1, 1.3).
extension PanelSimulator {
    mutating func welcome(_ client: ConnectionID) {
        // A mount that cannot drop SYN packets has accepted: the newcomer hears nothing.
        guard module.listening != .drop else { return }
        guard module.isUp, module.staleUntil <= now else {
            outgoing.append(.reset(client))
            return
        }
        guard session == nil else {
            switch faults.secondClient {
            case .reset: outgoing.append(.reset(client))
            case .finish: outgoing.append(.close(client))
            case .silence: break
            }
            return
        }
        forgetJobs(of: client)
        session = PanelSession(client: client)
        if faults.silent == .deaf { setReading(false) }
        after(.seconds(10), .loginDeadline(client))
        reply("505", "3")
    }

    /// A mount may use a number again.
    private mutating func forgetJobs(of client: ConnectionID) {
        schedule.removeAll { $0.job.client == client }
    }

    mutating func lose(_ client: ConnectionID, why: ConnectionEnd) {
        guard session?.client == client else { return }
        session = nil
        switch why {
        case .finished, .local: break
        case .refused, .reset, .timedOut, .unreachable, .tls, .failed: module.staleUntil = now + faults.staleSession
        }
    }

    mutating func clientVanished() {
        guard session != nil else { return }
        session = nil
        module.staleUntil = now + max(faults.staleSession, .minutes(3))
    }

    mutating func dropClient(reset: Bool) {
        guard let client = session?.client else { return }
        session = nil
        outgoing.append(reset ? .reset(client) : .close(client))
    }

    mutating func take(_ bytes: [UInt8], from client: ConnectionID) {
        guard session?.client == client, faults.silent == .off else { return }
        if let until = session?.stalledUntil, until > now {
            session?.stalledInput += bytes
            return
        }
        if faults.tcpStall, let sent = session?.lastSend, now - sent < .milliseconds(1) {
            session?.stalledUntil = now + .minutes(2)
            session?.stalledInput += bytes
            setReading(false)
            after(.minutes(2), .stallEnds(client))
            return
        }
        for line in session?.reader.read(bytes) ?? [] { take(line, from: client) }
    }

    private mutating func take(_ line: ClientLine, from client: ConnectionID) {
        guard let current = session, current.client == client else { return }
        switch line {
        case .rejected:
            if current.isLoggedIn { reply("501") }
        case .command(let command):
            guard current.isLoggedIn || command.code == "005" else { return }
            guard !current.isProcessing else {
                refuse(1)
                return
            }
            session?.isProcessing = true
            after(house.ackLatency + faults.slowAck, .answer(client, command))
        }
    }

    mutating func stallEnds(_ client: ConnectionID) {
        guard let stalled = session, stalled.client == client else { return }
        session?.stalledUntil = now
        session?.stalledInput = []
        session?.stalledOutput = []
        setReading(faults.silent != .deaf)
        for bytes in stalled.stalledOutput { push(bytes) }
        for line in session?.reader.read(stalled.stalledInput) ?? [] { take(line, from: client) }
    }

    mutating func setReading(_ isReading: Bool) {
        guard let current = session, current.isReadingStopped == isReading else { return }
        session?.isReadingStopped = !isReading
        outgoing.append(isReading ? .resumeReading(current.client) : .stopReading(current.client))
    }

    mutating func loginDeadlinePassed(_ client: ConnectionID) {
        guard session?.client == client, session?.isLoggedIn == false else { return }
        reply("505", "2")
        endSession()
    }

    mutating func login(_ password: String) {
        if faults.loginTimeout || (faults.mutePassword && password.count > 6) { return }
        let isRight = password == house.password.revealed && !faults.wrongPassword
        inOneSegment { module in
            if !module.faults.proxy { module.reply("500", "005") }
            module.reply("505", isRight ? "1" : "0")
            if isRight {
                module.session?.isLoggedIn = true
                module.reply("615", module.zoneTimers)
            }
        }
        if isRight {
            cancel(.strayAck)
            if faults.proxy { after(.seconds(20), .strayAck) }
        } else {
            endSession()
        }
    }

    private mutating func endSession() {
        guard let client = session?.client else { return }
        session = nil
        outgoing.append(.close(client))
    }
}
