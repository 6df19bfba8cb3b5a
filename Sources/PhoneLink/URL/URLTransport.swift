package import AlarmModel
import PhoneProtocol

/// Tells addresses of the web about events: each over a connection of its own, so that one that stalls holds up no other.
///
/// Every delivery is tried once, as far as HTTP knows; what failed for a reason that may pass is refused with `retry`.
/// The answer's body is not looked at. Redirects are not followed, because the event would go where nobody asked for.
package struct URLTransport: HTTPLines {
    struct UnderWay: Codable, Equatable, Sendable {
        var request: HTTPRequestID
        var message: MessageID
    }
    package struct Line: HTTPLine, Codable, Equatable, Sendable {
        var target: URLTarget
        package var client: HTTPClient
        /// In the order in which they were taken.
        var underWay: [UnderWay] = []
        package var problem: TransportProblem?
    }
    /// Waits for its signature.
    struct Signing: Codable, Equatable, Sendable {
        var job: TransportJobID
        var line: Int
        var message: MessageID
        var request: HTTPRequest
        var timestamp: Int64
        var isUrgent: Bool
        var due: BootTime
    }

    package let settings: URLSettings
    package var lines: [Line]
    var signing: [Signing] = []
    var nextRequest: UInt64 = 1
    var nextJob: UInt64 = 1
    var isRunning = false
    package var lastAccepted: WallTime?
    package var told = ToldProblem()

    /// - Parameter seed: not needed, because the wait before another try is not decided here
    package init(settings: URLSettings, seed: UInt64) {
        self.settings = settings
        lines = settings.targets.enumerated().map { index, target in
            Line(
                target: target,
                client: HTTPClient(origin: target.origin, slot: DialSlot(index), settings: settings.client))
        }
    }

    /// Constant: what an address has no place for is refused for the moment, so that the others get theirs.
    package var room: TransportRoom { isRunning ? TransportRoom(alarm: 64, other: 48) : .none }

    package var health: TransportHealth {
        TransportHealth(
            phase: isRunning ? .ready : .stopped, problem: problem,
            underWay: lines.reduce(signing.count) { $0 + $1.underWay.count }, lastAccepted: lastAccepted)
    }

    package var problem: TransportProblem? { lines.lazy.compactMap(\.problem).first }

    package var nextDeadline: BootTime? {
        guard isRunning else { return nil }
        return (lines.compactMap(\.client.nextDeadline) + signing.map(\.due)).min()
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !isRunning else { return }
        isRunning = true
        actions.append(.ready)
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard isRunning else { return }
        isRunning = false
        var back = signing.map(\.message)
        signing = []
        for index in lines.indices {
            back += lines[index].underWay.map(\.message)
            lines[index].underWay = []
            drive(index, at: now, into: &actions) { $0.stop(at: now, into: &$1) }
        }
        actions.append(.notReady)
        if !back.isEmpty { actions.append(.returned(back)) }
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard isRunning else { return false }
        guard let index = lines.firstIndex(where: { $0.target.text == delivery.address.value }) else {
            refuse(delivery.message, .giveUp, "the URL is not in the configuration any more", into: &actions)
            return true
        }
        guard case .event(let json, let type) = delivery.content else {
            refuse(delivery.message, .giveUp, "a URL takes events for programs only", into: &actions)
            return true
        }
        let line = lines[index]
        guard line.client.room > signing.count(where: { $0.line == index }) else {
            refuse(
                delivery.message, .retry(first: .seconds(1), attempts: nil),
                "\(line.target.place) has not answered those before it", into: &actions)
            return true
        }
        let event = JSONText(text: json.text, type: type)
        var request = line.target.request(event, message: delivery.message)
        let timestamp = now.wall.seconds
        request.fields.append(HTTPField("X-HowAlarming-Timestamp", "\(timestamp)"))
        guard let secret = line.target.secret else {
            send(request, for: delivery.message, on: index, isUrgent: delivery.isAlarm, at: now, into: &actions)
            return true
        }
        let job = TransportJobID(nextJob)
        nextJob += 1
        signing.append(
            Signing(
                job: job, line: index, message: delivery.message, request: request, timestamp: timestamp,
                isUrgent: delivery.isAlarm, due: now.boot + settings.signPatience))
        actions.append(
            .compute(job, .hmacSHA256(key: secret, message: URLTarget.signed(request, timestamp: timestamp))))
        return true
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        guard isRunning else { return }
        for late in signing.filter({ $0.due <= now.boot }) {
            computed(late.job, .failed("it took too long"), at: now, into: &actions)
        }
        for index in lines.indices { drive(index, at: now, into: &actions) { $0.timerFired(at: now, into: &$1) } }
    }

    /// Nothing waits here before it is tried.
    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {}
}
