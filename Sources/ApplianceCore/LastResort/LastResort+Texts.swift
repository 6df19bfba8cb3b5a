package import AlarmModel
import Uplinks

/// Texts that come in: who may answer, and what an answer means. One word counts, "ok", and it means that its sender has seen
/// the alarm; nothing else is done by text. What a text says otherwise is neither told nor kept.
extension LastResort {
    mutating func textCame(from sender: String, _ text: String, _ step: inout Step) {
        let settings = step.configuration.texts
        guard let settings, let number = whose(sender, settings, step) else {
            // No event: a stranger must not be able to fill the journal.
            strangeTexts += 1
            let count = LogEntry.Field("count", "\(strangeTexts)")
            return step.log(LogEntry(.debug, "a text message came from a number that is not in 'sms'", [count]))
        }
        let name = settings.people?.first { $0.number == number }?.name
        let who = name ?? "Somebody at the number that ends with \(number.suffix(4))"
        guard TextAnswer.isSeen(text) else {
            return noteHourly(
                \.otherTextTold,
                "\(who) sent a text message that is not OK, so nothing was done. The text about an alarm can be answered with "
                    + "OK, which means that it was seen; nothing else goes by text.", &step)
        }
        #if SABOTAGE
            if step.sabotage == .answerIsNoWord { return }
        #endif
        guard let meant = openTexts.answered(by: number, at: step.now.boot) else {
            return noteHourly(
                \.idleAnswerTold,
                "\(who) answered OK, and no text of the last 24 hours to that number is left to be answered; nothing was done.",
                &step)
        }
        let words = "\(who) answered OK to the text about \(Self.count(meant.alarms))."
        heard(meant.alarms, upTo: meant.last, at: number, by: name, .textAnswer, words, &step)
    }

    private func whose(_ sender: String, _ settings: TextAlarmSettings, _ step: Step) -> String? {
        #if SABOTAGE
            if step.sabotage == .anybodyAnswers { return settings.numbers.first }
        #endif
        return TextAnswer.number(of: sender, among: settings.numbers)
    }

    /// An owner needs to read it once.
    private mutating func noteHourly(
        _ last: WritableKeyPath<Self, BootTime?>, _ words: String, _ step: inout Step
    ) {
        if let time = self[keyPath: last], step.now.boot - time < .hours(1) { return }
        self[keyPath: last] = step.now.boot
        step.note(.info, .textAnswer, words)
    }

    /// Somebody has heard a call or answered a text. It is the word of a provider or of a network, so only this number,
    /// and its person, has seen the alarms.
    ///
    /// - Parameters:
    ///   - name: whose number it is; nil: nobody has said so
    ///   - words: told where it is nobody of the phone book
    mutating func heard(
        _ alarms: [WaitingAlarmID], upTo seq: SequenceNumber?, at number: String, by name: String?, _ code: EventCode,
        _ words: String, _ step: inout Step
    ) {
        driveBoth(&step) { recipient, moment, orders in
            guard recipient.has(number) else { return }
            for id in alarms { recipient.alarm.confirmed(id, as: .seen, at: moment, into: &orders) }
        }
        if let seq, let person = name.flatMap({ step.book.person(named: $0) }) {
            return actions.append(.seen(seq, name: person.name, person.id))
        }
        step.note(.info, code, words)
    }
}

extension ModemFact {
    /// As it may be recorded: a text that is no answer to ours says nothing, for somebody could have written a code.
    package var withoutWords: ModemFact {
        guard case .textReceived(let number, let text) = self, !TextAnswer.isSeen(text) else { return self }
        return .textReceived(number: number, text: "")
    }
}
