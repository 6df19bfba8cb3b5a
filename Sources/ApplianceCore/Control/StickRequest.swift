package import AlarmModel

/// What somebody at the box wants done with a USB stick. The daemon has it done by a service of its own, which alone may
/// mount one (docs/ARCHITECTURE.md 2, "Sticks").
package struct StickRequest: Codable, Equatable, Sendable {
    package enum Task: Codable, Equatable, Sendable {
        /// Say which backups and versions are on it.
        case look
        case backup(passphrase: Secret)
        /// `file`: its name on the stick. It takes effect at the next start.
        case restore(file: String, passphrase: Secret)
        /// All events that may be shown, for a spreadsheet and for programs.
        case journal
        case support
        /// Those of the cameras.
        case pictures
        /// The history of the house, to be looked at.
        case history

        private enum CodingKeys: String, CodingKey {
            case look = "look", backup = "backup", restore = "restore", journal = "journal", support = "support",
                pictures = "pictures", history = "history"
        }
    }

    /// Chosen by whoever asks; the report of what came of it has the same.
    package var id: Int64
    package var task: Task

    package init(id: Int64, task: Task) {
        self.id = id
        self.task = task
    }

    /// Bytes of a passphrase, and of a file's name on the stick.
    package static let passphraseLength = 8...200
    static let nameLength = 1...255

    /// What the journal says of it; nil: nothing leaves the box and nothing changes.
    var words: String? {
        switch task {
        case .look: nil
        case .backup: "A backup on a stick was asked for at the box."
        case .restore: "Bringing a backup back from a stick was asked for at the box."
        case .journal: "A copy of the journal on a stick was asked for at the box."
        case .support: "A support archive on a stick was asked for at the box."
        case .pictures: "A copy of the pictures on a stick was asked for at the box."
        case .history: "The history of the house on a stick was asked for at the box."
        }
    }
}

extension StickRequest {
    init(_ line: inout RequestLine) throws(ControlRequestError) {
        let id = try line.integer("id", in: 0...Int64.max)
        self.id = try line.needed(id, "id", "a whole number that the report repeats")
        switch try line.text("do", 1...16) {
        case "look": task = .look
        case "journal": task = .journal
        case "support": task = .support
        case "pictures": task = .pictures
        case "history": task = .history
        case "backup": task = .backup(passphrase: Secret(try line.text("passphrase", Self.passphraseLength)))
        case "restore":
            let file = try line.text("file", Self.nameLength)
            guard !file.contains("/"), !file.hasPrefix(".") else {
                throw ControlRequestError("member 'file' is the name of a file on the stick, without a directory")
            }
            task = .restore(file: file, passphrase: Secret(try line.text("passphrase", Self.passphraseLength)))
        default:
            throw ControlRequestError(
                "member 'do' is one of look, backup, restore, journal, support, pictures, history")
        }
    }

    var line: (task: String, file: String?, passphrase: Secret?) {
        switch task {
        case .look: ("look", nil, nil)
        case .backup(let passphrase): ("backup", nil, passphrase)
        case .restore(let file, let passphrase): ("restore", file, passphrase)
        case .journal: ("journal", nil, nil)
        case .support: ("support", nil, nil)
        case .pictures: ("pictures", nil, nil)
        case .history: ("history", nil, nil)
        }
    }
}
