#if SABOTAGE
    import AlarmModel

    /// A part of the core that stops making progress, put in on purpose to see that it is noticed. Debug builds only.
    package enum Freeze: String, Codable, Equatable, Sendable, CaseIterable {
        case panel, dialer
        /// Only the timer of the channels to people is lost.
        case phones
    }

    extension Freeze {
        /// Whether a frozen machine swallows this.
        /// - Parameter panel: the panel's connection
        func swallows(_ input: Input, panel: ConnectionID?) -> Bool {
            switch (self, input) {
            case (.panel, .timer(.panel)), (.dialer, .timer(.dialer)), (.phones, .timer(.phones)): true
            case (.panel, .received(let connection, _)): connection == panel
            case (.dialer, .connected(let connection)): connection.owner == .panel
            case (.dialer, .closed(let connection, _)): connection.owner == .panel && connection != panel
            case (_, _): false
            }
        }
    }
#endif
