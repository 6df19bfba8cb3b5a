import AlarmModel

/// Bypass is typed as at a keypad: `*1`, two digits for each zone, `#`, with which the panel lists what is bypassed
/// (616). A panel that wants a code for `*1` asks for it with 900, and what was typed behind `*1` is lost: there `*1`
/// goes first, the code answers the 900, and the rest follows. The code is never typed as keys, because a panel that
/// wants none would take its digits for zones (docs/envisalink.md 5, bypass).
extension PanelTransaction {
    /// How far the typing is.
    enum BypassEntry: String, Codable, Equatable, Sendable {
        /// All in one string: the panel is not known to want a code.
        case plain
        /// `#` leaves the question that came to this string.
        case leaving
        /// `*1` is typed, and the question is waited for.
        case opening
        /// The code has been sent.
        case answered
        /// What stands behind `*1` is typed.
        case typed
    }

    mutating func beginBypass(zone: Int, wanted: Bool, _ context: TransactionContext) -> Ending? {
        let partition = context.partition(ofZone: zone)
        if let status = context.status(of: partition), !status.isDisarmed {
            return .outcome(.refused(.bypassWhileArmed))
        }
        if context.bypassNeedsCode {
            guard codeForBypass(context) != nil else { return .outcome(.refused(.bypassNeedsCode)) }
            if context.isLockedOut { return .outcome(.refused(.lockedOut)) }
            bypassEntry = .typed
        }
        return continueBypass(zone: zone, wanted: wanted, context)
    }

    /// Compares, then lists, toggles or ends.
    mutating func continueBypass(zone: Int, wanted: Bool, _ context: TransactionContext) -> Ending? {
        let partition = context.partition(ofZone: zone)
        switch context.state.zone(zone)?.bypassed.current {
        case nil: type("", .listing, at: partition)
        case wanted: return .outcome(.done)
        case .some:
            guard togglesLeft > 0 else {
                let text = "the panel did not change the bypass of zone \(zone); look at the keypad"
                return .outcome(.failed(.badRequest(text)))
            }
            togglesLeft -= 1
            type(zone.padded(), .toggling, at: partition)
        }
        return nil
    }

    /// A toggle was not answered with a list, but may have happened: it is looked up instead of toggled blindly.
    mutating func listBypassAgain(zone: Int, _ context: TransactionContext) {
        type("", .relisting, at: context.partition(ofZone: zone))
    }

    private mutating func type(_ zones: String, _ purpose: Bypass, at partition: Int) {
        bypass = purpose
        confirmBy = nil
        switch bypassEntry {
        case .plain: stage = .ready(.keys(partition: partition, keys: Secret("*1\(zones)#")))
        case .leaving, .opening, .answered, .typed:
            bypassKeys = Secret("\(zones)#")
            bypassEntry = .opening
            stage = .ready(.keys(partition: partition, keys: Secret("*1")))
        }
    }

    /// 900 came.
    mutating func codeRequestedForBypass(zone: Int, _ context: TransactionContext) -> Ending? {
        let partition = context.partition(ofZone: zone)
        let code = codeForBypass(context)
        switch bypassEntry {
        case .plain:
            bypassKeys = Secret(bypass == .toggling ? "\(zone.padded())#" : "#")
            bypassEntry = .leaving
            if code == nil { parting = .failed(.bypassNeedsCode) }
            if context.isLockedOut { parting = .failed(.lockedOut) }
            confirmBy = nil
            stage = .ready(.keys(partition: partition, keys: Secret("#")))
        case .opening:
            guard let code, TPICommand.sendCode(code).fault == nil else { return .outcome(.failed(.wrongCode)) }
            bypassEntry = .answered
            confirmBy = nil
            if case .inFlight = stage { codeToSend = code } else { stage = .ready(.sendCode(code)) }
        case .leaving, .answered, .typed: break
        }
        return nil
    }

    /// 500 came for what was typed of a bypass that needs a code.
    mutating func bypassAcknowledged(_ command: TPICommand, zone: Int, _ context: TransactionContext) {
        let partition = context.partition(ofZone: zone)
        switch (bypassEntry, command) {
        case (.leaving, .keys):
            bypassEntry = .opening
            stage = .ready(.keys(partition: partition, keys: Secret("*1")))
        case (.answered, .sendCode):
            bypassEntry = .typed
            stage = .ready(.keys(partition: partition, keys: bypassKeys))
            // A wrong code is told behind the acknowledgement.
            notBefore = context.now.boot + context.settings.keySpacing
        default: return
        }
        confirmBy = nil
    }

    /// No question came to `*1`: the one before was somebody else's, and the menu is open.
    mutating func typeWithoutCode(zone: Int, _ context: TransactionContext) {
        bypassEntry = .typed
        stage = .ready(.keys(partition: context.partition(ofZone: zone), keys: bypassKeys))
    }

    /// The one that was given with the order. The configured one only where the owner lets it answer everything.
    private func codeForBypass(_ context: TransactionContext) -> Secret? {
        order?.code ?? (context.settings.codeOnRequest == .always ? context.settings.masterCode : nil)
    }
}
