import AlarmModel
import PhoneLink
import PhoneProtocol

/// What waits for a batch to be durable. While the store fails nothing waits.
struct Continuation: Codable, Hashable, Sendable {
    enum Step: Codable, Hashable, Sendable {
        case submit(PanelOrder)
        case replyOutcome(ConnectionID, Outcome)
        case replyMaintenance(ConnectionID, Bool)
        case replyChanged(ConnectionID, String)
        /// The machine is restarted.
        case reboot(ConnectionID)
        /// A new version is good once the store has taken that.
        case healthy
        /// A bundle is installed.
        case update(ConnectionID, bundle: String, isOlderConfirmed: Bool)
        /// A command of a phone whose counter is spent: now it is judged.
        case judge(AcceptedCommand)
        /// The outcome of a phone's command; `event` is its index in the batch.
        case tellPhone(PhoneID, counter: UInt64, event: Int?)
        /// An original app's command is carried out.
        case carryOut(PanelOrder)
        case tellLegacy(token: String)
        /// The outcome of a contact's command.
        case tellContact(AddressID, String)
        case acknowledge(InboundMessage)
        case paired(PhoneID, ConnectionID, PairingUndo)
        case contactPaired(AddressID, ConnectionID)
        case endVault(VaultJob)
        /// One-time codes of the person with this name count from now on.
        case codesStored(ConnectionID, String)
        /// A try of the console's PIN is counted: now it is checked. `new`: the PIN that is to take its place.
        case checkPIN(ConnectionID, Secret, new: Secret?)
        case replyConsole(ConnectionID, ConsoleReport.Answer)
        /// A phone has heard that its wish is stored.
        case leave(PhoneID)
    }
    var batch: BatchID
    var step: Step
}
