import AlarmModel

extension Session.Phase {
    var isLoggedIn: Bool {
        switch self {
        case .resynchronising, .up: true
        case .idle, .waiting, .connecting, .greeting, .greeted, .authenticating, .stopped: false
        }
    }

    var isConnectedOrConnecting: Bool {
        switch self {
        case .connecting, .greeting, .greeted, .authenticating, .resynchronising, .up: true
        case .idle, .waiting, .stopped: false
        }
    }

    var deadline: BootTime? {
        switch self {
        case .idle, .resynchronising, .up, .stopped: nil
        case .waiting(let time), .connecting(let time), .greeting(let time), .greeted(let time),
            .authenticating(let time):
            time
        }
    }

    /// As `howalarming panel` shows it.
    var reported: SessionReport.Phase {
        switch self {
        case .idle: .idle
        case .waiting: .waiting
        case .connecting: .connecting
        case .greeting, .greeted, .authenticating: .loggingIn
        case .resynchronising: .resynchronising
        case .up: .up
        case .stopped: .stopped
        }
    }
}
