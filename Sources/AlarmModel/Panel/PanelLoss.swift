/// What the box can lose of the panel. While the house is armed, that may be the first thing that a burglar does.
package enum PanelLoss: String, Codable, Hashable, Sendable, CaseIterable {
    /// There is no session with the module.
    case module
    /// The session stands, and no line has told what any partition is doing.
    case answers
    /// 502 014: the module cannot reach the panel.
    case keybus
    /// The panel has neither mains nor a good battery.
    case power
}
