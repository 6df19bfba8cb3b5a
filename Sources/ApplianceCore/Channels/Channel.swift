import AlarmModel
import PhoneLink

/// One configured channel to people.
struct Channel: Codable, Equatable, Sendable {
    var settings: ChannelSettings
    var carrier: AnyTransport
    var isReady = false
    /// It was at work in the last crashes: it does nothing before.
    var heldUntil: BootTime?
    /// As it was told last.
    var isUrgent = false
    /// Since when it has been out of reach, and what was told of it.
    var offlineSince: BootTime?
    var offlineTold: TransportProblem?
    /// Addresses of which it was told that messages are refused there.
    var refused: [RefusedAddress] = []
    /// What people send by it does not come in, while what goes to them goes out.
    var inboundFailure: InboundFailure?

    struct InboundFailure: Codable, Equatable, Sendable {
        var problem: TransportProblem
        var since: BootTime
        var told: TransportProblem?
    }

    struct RefusedAddress: Codable, Equatable, Sendable {
        var address: AddressID
        /// What was told of the service as a whole; nil: only this address is concerned.
        var service: TransportProblem?
    }

    var kind: ChannelKind { settings.kind }

    /// - Parameter record: which number a receiver was told last
    init(_ settings: ChannelSettings, seed: UInt64, receiver record: ReceiverRecord?) {
        self.settings = settings
        carrier = AnyTransport(settings, seed: seed)
        guard let record, var receiver = carrier.transport as? ReceiverTransport else { return }
        receiver.resume(record)
        carrier.transport = receiver
    }
}
