import AlarmModel
import ApplianceCore
import PhoneLink

/// The configuration as its file has it: the owner edits it while the daemon runs.
///
/// Guarantees: whatever was edited, mending brings back what the house began with.
struct OwnersFile: Sendable {
    private(set) var configuration: Configuration
    private let whole: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
        whole = configuration
    }

    /// The push service's account is the one that it began with.
    var hasItsAccount: Bool { configuration.phones.account == whole.phones.account }

    /// Something carries sealed messages to such addresses: the owner may have taken it out.
    func carries(_ kind: AddressKind) -> Bool {
        switch kind {
        case .topic: has(.ntfy)
        case .fcmToken, .fcmInstallation: configuration.phones.account != nil || has(.fcm)
        case .xmpp: has(.xmpp)
        case .mqtt: has(.mqtt)
        case .webPush: has(.webPush)
        }
    }
    /// CCS does, and FCM has not taken the phones over.
    var hasAccountAlone: Bool { configuration.phones.account != nil && !has(.fcm) }
    private func has(_ kind: ChannelKind) -> Bool { configuration.phones.channels.contains { $0.kind == kind } }

    mutating func change(_ edit: OwnerEdit) { edit.change(&configuration, whole: whole) }

    /// - Returns: whether something was to be mended
    mutating func mend() -> Bool {
        guard configuration != whole else { return false }
        configuration = whole
        return true
    }
}
