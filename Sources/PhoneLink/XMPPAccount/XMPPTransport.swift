package import AlarmModel
import PhoneProtocol

/// The box as a contact: an account on any XMPP server, which alerts people in a chat and hears their commands there.
///
/// A lost connection is resumed where the server can (XEP-0198): what it has not taken is sent again with the same ids,
/// what it has taken is not. Where it cannot, everything under way is given back.
package struct XMPPTransport: Transport {
    struct UnderWay: Codable, Equatable, Sendable {
        var message: MessageID
        /// Bare.
        var to: String
        var wantsReceipt: Bool
        var sentAt: BootTime
        /// The ping whose answer says that the server has it, where it does not say so itself.
        var barrier: UInt64?
    }

    struct Awaited: Codable, Equatable, Sendable {
        var message: MessageID
        /// Bare.
        var address: String
        var wantsReceipt: Bool
    }

    struct Owed: Codable, Equatable, Sendable {
        var from: String
        var id: String
        var fullFrom: String
    }

    package let settings: XMPPSettings
    var jitter: Jitter
    var attempts: Reconnector
    /// Index of the route that is tried, and how many of them have failed one after the other.
    var route = 0
    /// What SRV records said, until all of it was tried; nil: it is asked before the next attempt.
    var located: [XMPPSettings.Route]?
    /// Where the server was that proved itself last; empty or one.
    var proved: [XMPPSettings.Route] = []
    /// The records say that the domain has no XMPP service.
    var saysNoService = false
    /// Under way while there are any.
    var lookups: [Lookup] = []
    var failedRoutes = 0
    var routeProblem: TransportProblem?
    var connection: XMPPConnection?
    /// Of a lost connection, to be resumed; and until when it was certainly heard.
    var session: XMPPSession?
    var sessionHeard: BootTime?
    /// In the order in which they were sent.
    var underWay: [UnderWay] = []
    /// Messages that the server took and of which a receipt may come, or a word that they came back; oldest first.
    var awaited: [Awaited] = []
    /// Receipts for messages that the core has not dealt with.
    var owed: [Owed] = []
    /// Sorted; nil: nobody has said.
    var admitted: [String]?
    /// Those who see the box have to be compared with those who may.
    var isRosterDue = true
    /// Who sees the box, as the server said; bare. Until it is known who may.
    var watchers: [String] = []
    var status = "starting"
    var shownStatus: String?
    /// A server that has shown that it can prove itself gets the password itself no more.
    var hasOfferedSCRAM = false
    var told = ToldProblem()
    var lastAccepted: WallTime?
    var ownIDs: UInt64 = 0
    var jobs: UInt64 = 0
    var job: TransportJobID?
    /// Messages of strangers and such that mean nothing.
    var strays = 0

    /// Bytes of a message.
    static let contentLimit = 16_384
    /// Of the stanza about one, with all that is escaped in it.
    static let stanzaLimit = 32_768
    static let awaitedLimit = 200
    static let owedLimit = 200

    package init(settings: XMPPSettings, seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
        attempts = Reconnector(
            pace: settings.pace, dialPatience: settings.dialPatience, setupPatience: settings.setupDeadline,
            steadyAfter: settings.steadyAfter)
    }

    package var room: TransportRoom {
        guard attempts.isReady, connection?.stream.canKeep(Self.stanzaLimit) ?? true else { return .none }
        let free = max(0, settings.window - underWay.count)
        return TransportRoom(alarm: free, other: max(0, free - settings.reservedForAlarms))
    }

    package var health: TransportHealth {
        TransportHealth(
            phase: attempts.shown, problem: told.current, underWay: underWay.count, lastAccepted: lastAccepted)
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !attempts.isRunning else { return }
        connect(at: now, into: &actions)
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isRunning else { return }
        if attempts.isDialing, lookups.isEmpty { actions.append(.cancelConnect(Self.slot)) }
        lookups = []
        located = nil
        if var connection {
            self.connection = nil
            var orders: [XMPPAction] = []
            if attempts.isReady {
                connection.stream.send(XMPPStanza.presence(type: "unavailable"), into: &orders)
            }
            connection.stream.end(into: &orders)
            for case .send(let bytes) in orders { actions.append(.send(connection.id, bytes)) }
            actions.append(.close(connection.id))
            if attempts.isReady { actions.append(.notReady) }
        }
        attempts.stop()
        session = nil
        job = nil
        giveBack(into: &actions)
        told.tell(nil, into: &actions)
    }

    /// The addresses of people: only these are heard, and may see whether the box is there.
    package mutating func listen(to senders: [String], at now: Moment, into actions: inout [TransportAction]) {
        let list = Set(senders.compactMap { XMPPAddress($0)?.bare }).sorted()
        let gone = (admitted ?? []).filter { !list.contains($0) }
        admitted = list
        owed.removeAll { gone.contains($0.from) }
        guard attempts.isReady else {
            // Nobody can be told now.
            isRosterDue = true
            return
        }
        for jid in gone { send(XMPPStanza.presence(type: "unsubscribed", to: jid), at: now, into: &actions) }
        shutOut(at: now, into: &actions)
    }

    package mutating func houseChanged(
        _ house: HousePicture, at now: Moment, into actions: inout [TransportAction]
    ) {
        status = XMPPStanza.status(house, showsArming: settings.showsArming)
        showStatus(at: now, into: &actions)
    }

    mutating func showStatus(at now: Moment, into actions: inout [TransportAction]) {
        guard attempts.isReady, shownStatus != status else { return }
        shownStatus = status
        send(XMPPStanza.presence(status), at: now, into: &actions)
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) { attempts.setUrgent(isUrgent, at: now) }

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        if attempts.waitsForNetwork { connect(at: now, into: &actions) }
        ping(at: now, into: &actions)
    }

    static let slot = DialSlot(0)
}

/// The one connection of an account.
struct XMPPConnection: Codable, Equatable, Sendable {
    let id: ConnectionID
    var stream: XMPPStream
    var lastHeard: BootTime
    var pingSentAt: BootTime?
    /// When the server was asked what it has taken; nil: no such question is open.
    var askedAt: BootTime?
    /// The ping whose answer says that messages were taken.
    var barrier: UInt64?
    /// What comes without a stamp right after a resumption may be so old.
    var replayedAge: Duration?
    var hasAskedForRoster = false
}
