package import AlarmModel
package import PhoneProtocol

/// An order of the core to the shell. The core names connections, batches, timers and queries; the shell invents none
/// but the clients it accepts.
package enum Effect: Codable, Equatable, Sendable {
    /// The exit status that tells a supervisor to start us again; EX_TEMPFAIL.
    package static let restartStatus: Int32 = 75

    case resolve(ResolveID, name: String, Link)
    /// Answered by `connected` or `closed`.
    case open(ConnectionID, Endpoint, Link)
    /// A socket in the file system. Answered by `connected` or `closed`.
    case openLocal(ConnectionID, path: String)
    /// Encrypt a connection that stands and have the peer prove that it is this host. Answered by `secured` or
    /// `closed`.
    /// - Parameter at: the time at which its certificate has to be valid; nil: the system's clock has it
    case startTLS(ConnectionID, serverName: String, authorityFile: String?, at: WallTime?)
    case send(ConnectionID, [UInt8])
    /// Stop reading: the peer has to wait.
    case pause(ConnectionID)
    case resume(ConnectionID)
    /// Let what was sent leave, then close; a control client too. No `closed` follows.
    case close(ConnectionID)
    /// Store a batch; batches are stored in order, several may be merged into one transaction.
    indirect case commit(Batch)
    case read(QueryID, EventQuery)
    case readMessages(QueryID, OutboxQuery)
    /// A job for the keeper of the keys; jobs are done in order.
    case vault(VaultJobID, VaultJob)
    /// A computation for a channel to people. Answered by `computed`.
    case compute(ComputeID, TransportJob)
    /// A key derivation on the worker thread. Answered by `derived`.
    case derive(DeriveID, PINJob)
    /// The SRV records of a service. Answered by `located`.
    case locate(ComputeID, service: String, Link)
    /// Fire at this time, or not at all; replaces what was set before.
    case setTimer(TimerID, BootTime?)
    /// An answer to a control client; `sent` counts them.
    case reply(ConnectionID, ControlReply)
    /// Tell `links` of exactly these interfaces from now on, now and whenever something of them changes.
    case watchLinks([String])
    /// Tell `links` now: what they have carried is wanted.
    case readLinks
    /// Questions that go out by this link are asked of these name servers.
    case useNameServers([Endpoint], Link)
    /// Answered by `modem`.
    case modem(ModemOrder)
    case notify(ServiceNote)
    case log(LogEntry)
    /// Ask the service manager for a restart of the machine; it then tells the daemon to stop.
    case reboot
    /// What runs has proved itself: have its slot marked good.
    case healthy
    /// Have the version of this bundle installed.
    case update(bundle: String, isOlderConfirmed: Bool)
    /// Have this done with a stick.
    case stick(StickRequest)
    /// Everything is closed and stored: end the process with this status.
    case finish(status: Int32)
}

/// Names a computation; numbered by the core.
package struct ComputeID: Codable, Hashable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

/// Names a key derivation; numbered by the core.
package struct DeriveID: Codable, Equatable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

/// What the service manager is told.
package enum ServiceNote: Codable, Equatable, Sendable {
    case ready
    /// One line for people.
    case status(String)
    case reloading
    case stopping
    /// The watchdog's ping: the loop runs and every machine acts.
    case alive
}
