import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What an account is answered to its words, and a store app to a button. One table of words for each language:
/// `EnglishAnswers`, `GermanAnswers`; `docs/answers.txt` shows them all.
enum ContactAnswer: Equatable, Sendable {
    /// The box's digits, before anything is told there.
    case code(Secret)
    case paired
    case notUnderstood(ContactCommandError)
    case notAllowed(ContactVerb)
    /// - isAllowed: the verb; codes alone are missing
    case noCodes(ContactVerb, isAllowed: Bool)
    case help([ContactVerb])
    case seen
    /// nil: the panel cannot be reached.
    case status(HouseStatus?)
    /// Lines of the journal, which is English.
    case log([String])
    case storageFails
    case tooManyCommands
    /// The service brought a command again after a restart.
    case notRepeated
    case clockInDoubt
    case codesLocked
    /// nil: other codes still count.
    case wrongCode(lockedFor: Duration?)
    /// Made with `NoticeText.outcome`.
    case outcome(String)
}

/// The house at a moment, for a few lines.
struct HouseStatus: Equatable, Sendable {
    struct Part: Equatable, Sendable {
        var number: Int
        var name: String?
        /// nil: not known.
        var status: PartitionStatus?
    }
    struct Zone: Equatable, Sendable {
        var number: Int
        var name: String?
    }
    var partitions: [Part] = []
    var open: [Zone] = []
    var bypassed: [Zone] = []
    var troubles: [Trouble] = []
}

extension NoticeText {
    func notice(_ answer: ContactAnswer, at time: WallTime) -> Notice {
        let words = self.words(answer)
        return notice(title: words.title, text: words.text, at: time)
    }

    private func words(_ answer: ContactAnswer) -> NoticeWords {
        switch language {
        case .english: EnglishAnswers.words(answer)
        case .german: GermanAnswers.words(answer)
        }
    }

    /// How a contact's command ended.
    ///
    /// - Parameters:
    ///   - summary: of the command, `PanelCommand.summary`
    ///   - sentence: the journal's, English
    func outcome(_ outcome: Outcome, of summary: String, sentence: String) -> String {
        switch language {
        case .english: sentence
        case .german: GermanAnswers.outcome(outcome, of: summary, names)
        }
    }

    /// The last run ended before a command did.
    func unfinished(_ summary: String, sentence: String) -> String {
        switch language {
        case .english: sentence
        case .german: GermanAnswers.unfinished(summary, names)
        }
    }
}

extension Step {
    mutating func tell(_ contact: Contact, _ answer: ContactAnswer) {
        tell(contact, noticeText(for: contact.person).notice(answer, at: now.wall))
    }

    /// In whose language the contact with this address reads.
    func noticeText(forContact address: AddressID) -> NoticeText { noticeText(for: book.contact(address)?.person) }

    var houseStatus: HouseStatus? {
        guard panel.link == .up else { return nil }
        func zones(_ wanted: (ZoneState) -> Bool) -> [HouseStatus.Zone] {
            panel.zones.filter(wanted).map { .init(number: $0.number, name: $0.name) }
        }
        return HouseStatus(
            partitions: configuration.panel.partitions.map { number in
                .init(
                    number: number, name: configuration.panel.names.partition(number),
                    status: panel.partition(number)?.shownStatus.current)
            }, open: zones { $0.open.current == true }, bypassed: zones { $0.bypassed.current == true },
            troubles: Trouble.allCases.filter { panel.system[$0].current == .trouble })
    }
}
