/// A command that this phone gave, and what became of it.
public struct CommandRecord: Codable, Equatable, Sendable, Identifiable {
    /// Numbered by the phone, from 1.
    public var id: Int64
    public var command: HouseCommand
    /// The counter that it was last signed with; nil while it waits for a challenge.
    public var counter: Int64?
    /// Seconds since 1970 by the phone's clock.
    public var time: Int64
    public var outcome: CommandOutcome
}

/// What became of a command.
public enum CommandOutcome: Codable, Equatable, Sendable {
    case pending
    /// The panel has done it.
    case ok
    /// The box refused; the word says why (`role`, `key`, `challenge`, `cond`, `rate` …, docs/pairing.md 7.4).
    case denied(String)
    /// Not done; `storage`, a word of the panel's, or one of ours: `not signed`, `no contact`, `too long`, `not valid`
    /// (the command or the phone's clock has a value that no command can carry).
    case failed(String)
    /// It came too late to the box.
    case expired
    /// Nobody knows: the panel did not confirm it, or no answer came. Look at the state before trying again.
    case timeout

    /// As the box writes it; nil for words that are not known.
    init?(out: String?, why: String?) {
        switch out {
        case "pending": self = .pending
        case "ok": self = .ok
        case "denied": self = .denied(why ?? "")
        case "failed": self = .failed(why ?? "")
        case "expired": self = .expired
        case "timeout": self = .timeout
        case _: return nil
        }
    }
}
