import AlarmModel
import PhoneLink
import PhoneProtocol

/// What waits for a batch to be durable. While the store fails nothing waits.
struct Continuation: Codable, Equatable, Sendable {
    enum Step: Codable, Equatable, Sendable {
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
        case stick(ConnectionID, StickRequest)
        /// The fetcher goes to the host that offers versions.
        case updates(ConnectionID, UpdatesRequest)
        /// A command of a phone whose counter is spent: now it is judged.
        case judge(AcceptedCommand)
        /// The outcome of a phone's command; `event` is its index in the batch.
        case tellPhone(PhoneID, counter: UInt64, event: Int?)
        /// An original app's command is carried out.
        case carryOut(PanelOrder)
        case tellLegacy(token: String)
        /// The outcome of a contact's command.
        case tellContact(AddressID, String)
        /// That of a command of the broker's.
        case tellHouse(HouseAnswer)
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

extension Step {
    /// What needs no machine: an answer, an order.
    ///
    /// - Parameter stored: what was waited for is durable; else it never will be, or not soon
    mutating func goOn(_ next: Continuation.Step, stored: Bool) {
        switch next {
        case .replyOutcome(let client, let outcome):
            finishRequest(of: client, with: .outcome(outcome, stored: stored))
        case .replyMaintenance(let client, let on): finishRequest(of: client, with: .maintenance(on))
        case .replyChanged(let client, let words):
            let more = stored ? "" : "; it is stored as soon as the storage works again"
            finishRequest(of: client, with: .changed(words + more))
        case .reboot(let client):
            effects.append(.reboot)
            finishRequest(of: client, with: .changed("the machine restarts now"))
        case .update(let client, let bundle, let older):
            effects.append(.update(bundle: bundle, isOlderConfirmed: older))
            finishRequest(
                of: client,
                with: .changed("the bundle is checked and installed now; the Software page shows how far"))
        case .stick(let client, let request):
            effects.append(.stick(request))
            finishRequest(of: client, with: .changed("the stick is at work"))
        case .tellContact(let address, let words):
            if let contact = book.contact(address) { tell(contact, .outcome(words)) }
        case .tellHouse(let answer): tell(answer)
        case .endVault(let job): tell(job)
        case .codesStored(let client, let name):
            finishRequest(of: client, with: .pairing(.codesOn(person: name)))
        case .submit, .healthy, .updates, .judge, .tellPhone, .carryOut, .tellLegacy, .acknowledge, .paired,
            .contactPaired,
            .checkPIN, .replyConsole, .leave:
            break
        }
    }
}
